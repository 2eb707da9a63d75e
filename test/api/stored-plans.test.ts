import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { sendBehindLock } from '../support/database/send-behind-lock.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { fixtureClaims } from '../support/fixtures/identities.ts'
import { plannedOrdersTable } from '../support/fixtures/planned-orders-table.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'

const fixture = await startDeliveringApi()
// Calls at once need a connection each.
const api = fixture.variant(
  { DATABASE_CONNECTIONS: '6' },
  createRegistry([plannedOrdersTable], { claims: fixtureClaims }),
)
beforeEach(() => fixture.reset())

type Options = Parameters<typeof api.post>[2]

const bulk = (action: string, body: object, options?: Options) =>
  api.post(`bulk-table-action/planned_orders/${action}`, body, options)
const rowBulk = (action: string, body: object, options?: Options) =>
  api.post(`row-bulk-table-action/planned_orders/${action}`, body, options)

const failure = (status: number, code: string) => ({ status, code })

const planTouch = async () => (await bulk('touch', { plan: true, selected_ids: [1, 2, 3] })).json.plan

describe('a stored plan', () => {
  it('keeps the body and the response sealed', async () => {
    const { id } = (await rowBulk('finish', { selected_ids: [1], plan: true, assignee: 'Jane Roe' })).json.plan
    await rowBulk('finish', { plan_id: id })
    const stored = JSON.stringify(await fixture.sql`select * from table_control.plans`)
    // With its space, the name is in no sealed text by chance.
    expect(stored).not.toContain('Jane Roe')
    expect((await rowBulk('finish', { plan_id: id })).json.items[0].assignee).toBe('Jane Roe')
    await fixture.sql`update table_control.plans set response = 'x'`
    expectFailure(await rowBulk('finish', { plan_id: id }), failure(422, 'plan_expired'))
  })

  it('keeps no key of the body that the form does not have, and no large body', async () => {
    const large = 'x'.repeat(300_000)
    const path = 'finish'
    const { id } = (await rowBulk(path, { selected_ids: [1], plan: true, note: large })).json.plan
    const [row] = await fixture.sql`select length(request::text) as length from table_control.plans where id = ${id}`
    expect(Number(row?.['length'])).toBeLessThan(1_000)
    const refused = await rowBulk(path, { selected_ids: [1], plan: true, assignee: large })
    expectFailure(refused, failure(413, 'body_too_large'))
  })

  it('keeps the fields of a form by the names of row_actions and include when it is applied with both', async () => {
    const form = { row_actions: 'mine', include: 'mine' }
    const { plan } = (await rowBulk('keep_form', { selected_ids: [1], plan: true, ...form })).json
    const { json } = await rowBulk('keep_form', { plan_id: plan.id, row_actions: 'keys', include: ['effects'] })
    expect(JSON.parse(json.items[0].title)).toEqual(form)
    expect(json.effects.rows).toEqual(json.items)
    expect(json.items[0].row.actions.keep_form).toEqual({})
  })

  it('leaves rows out of a sample that no response has room for', async () => {
    await fixture.sql`update orders set title = repeat('t', 400000) || id where id < 8`
    const { status, json } = await rowBulk('finish', { selected_ids: [1, 2, 3, 4, 5, 6, 7], plan: true })
    expect([status, json.plan?.applicable, json.plan?.sample.map(({ id }: { id: number }) => id)]).toEqual([
      200,
      7,
      [1],
    ])
    await fixture.sql`update orders set title = repeat('t', 1100000) || id where id < 8`
    const { plan } = (await rowBulk('finish', { selected_ids: [1, 2, 3, 4, 5, 6, 7], plan: true })).json
    expect(plan).toMatchObject({ applicable: 7, sample: [], sample_omitted: 'too_large' })
  })

  it('checks the recipients of an action that mails its outcome', async () => {
    const refused = await bulk('mailed', { selected_ids: [1], plan: true, emails: ['nobody'] })
    expectFailure(refused, failure(422, 'validation_failed'))
  })

  it('is stored at most 100 times for a caller by simultaneous requests', async () => {
    const { id } = await planTouch()
    await fixture.sql`insert into table_control.plans (subject, guard, table_name, action, kind, params, request, rows, expires_at)
      select subject, guard, table_name, action, kind, params, request, rows, expires_at from table_control.plans,
        generate_series(1, 97) where id = ${id}`
    const all = await sendBehindLock(
      fixture.sql,
      'lock table table_control.plans in share row exclusive mode',
      [1, 2, 3, 4, 5, 6].map((row) => () => bulk('touch', { plan: true, selected_ids: [row] })),
    )
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, 200, 422, 422, 422, 422])
  })

  it('leaves alone a row that changes while its action waits for the row', async () => {
    const { id } = await planTouch()
    const change = "update orders set title = 'x' where id = 1"
    const [applied] = await sendBehindLock(fixture.sql, change, [() => bulk('touch', { plan_id: id })])
    expect(applied?.json.results, applied?.text).toMatchObject([{ id: 1, code: 'plan_outdated' }])
  })

  it('is found on no other guard and table, and with no other params', async () => {
    const { id } = await planTouch()
    expectFailure(await bulk('touch', { plan_id: id }, { guard: 'web' }), failure(404, 'plan_not_found'))
    const [place] = await fixture.sql`select table_name, params, kind from table_control.plans where id = ${id}`
    for (const other of [{ table_name: 'lines' }, { params: '{"x":1}' }, { kind: 'row_bulk' }]) {
      await fixture.sql`update table_control.plans set ${fixture.sql({ ...place, ...other })} where id = ${id}`
      expectFailure(await bulk('touch', { plan_id: id }), failure(404, 'plan_not_found'))
    }
    await fixture.sql`update table_control.plans set ${fixture.sql({ ...place })} where id = ${id}`
    expect((await bulk('touch', { plan_id: id })).status).toBe(200)
  })
})
