import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { colleague, fixtureClaims, manager, south } from '../support/fixtures/identities.ts'
import { linesTable } from '../support/fixtures/lines-tables.ts'
import { committed, meanwhile, plannedOrdersTable, plannedViewTable } from '../support/fixtures/planned-orders-table.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'

const fixture = await startDeliveringApi()
const api = fixture.variant(
  // Calls at once need a connection each.
  { DATABASE_CONNECTIONS: '4' },
  createRegistry([plannedOrdersTable, plannedViewTable, linesTable], { claims: fixtureClaims }),
)
beforeEach(async () => {
  committed.length = 0
  await fixture.reset()
})

type Options = Parameters<typeof api.post>[2]

const bulk = (action: string, body: object, options?: Options) =>
  api.post(`bulk-table-action/planned_orders/${action}`, body, options)
const rowBulk = (action: string, body: object, options?: Options) =>
  api.post(`row-bulk-table-action/planned_orders/${action}`, body, options)

const readChanged = async () =>
  (await fixture.sql`select id from orders where runs > 0 order by id`).map(({ id }) => Number(id))

const failure = (status: number, code: string, field?: string) => ({
  status,
  code,
  ...(field !== undefined && { field }),
})

const planTouch = async (body: object = { selected_ids: [1, 2, 3, 4] }) =>
  (await bulk('touch', { plan: true, ...body })).json.plan

describe('plan: true', () => {
  it('freezes the rows of a row action and changes nothing', async () => {
    const { status, json } = await rowBulk('finish', {
      selected_ids: [1, 9, 13, 2, 999, 8],
      plan: true,
      assignee: 'nora',
    })
    expect(status).toBe(200)
    const [sample] = json.plan.sample
    expect(json.plan).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      rows: 6,
      applicable: 3,
      refused: [
        { code: 'action_not_applicable', text: expect.any(String), count: 1, sample_ids: [9] },
        { code: 'row_not_found', text: expect.any(String), count: 2, sample_ids: [13, 999] },
      ],
      sample: expect.any(Array),
      expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(json.plan.sample.map(({ id }: { id: number }) => id)).toEqual([1, 2])
    expect([sample.before.state, sample.after.state, sample.after.assignee]).toEqual(['open', 'done', 'nora'])
    expect(await readChanged()).toEqual([])
    expect(committed).toEqual([])
    expect(await fixture.audit()).toEqual([])
  })

  it('freezes what a bulk action selects, with the rows that are missing', async () => {
    const { json } = await bulk('touch_all', { plan: true, selected_ids: [1, 2, 13] })
    const { id: _, expires_at: __, ...plan } = json.plan
    const refused = [{ code: 'row_not_found', text: expect.any(String), count: 1, sample_ids: [13] }]
    expect(plan).toEqual({ rows: 3, applicable: 2, refused, sample: [], sample_omitted: 'not_previewable' })
    const filtered = await bulk('touch', {
      plan: true,
      select_all: true,
      excluded_ids: [1],
      filters: { state: 'open' },
    })
    expect(filtered.json.plan).toMatchObject({ rows: 7, applicable: 7, refused: [] })
    expect(filtered.json.plan.sample[0]).toMatchObject({ before: { runs: 0 }, after: { runs: 1 } })
    expect(await readChanged()).toEqual([])
  })

  it('takes 3,000 rows and refuses more', async () => {
    const path = 'bulk-table-action/lines/process'
    const plan = await api.post(path, { plan: true, select_all: true, excluded_ids: [1] })
    expect(plan.json.plan).toMatchObject({ rows: 3_000, applicable: 3_000 })
    expectFailure(await api.post(path, { plan: true }), failure(422, 'selection_too_large'))
    const applied = await api.post(path, { plan_id: plan.json.plan.id })
    expect(applied.json.counts).toEqual({ selected: 3_000, succeeded: 3_000, failed: 0 })
  })

  it.each<[string, string, object]>([
    ['plan', 'touch', { plan: true, dry_run: true }],
    ['plan', 'touch', { plan: 'maybe' }],
    ['plan', 'export_excel', { plan: true }],
    ['plan_id', 'export_excel', { plan_id: 'x' }],
    ['plan_id', 'touch', { plan_id: 'x' }],
    ['selected_ids', 'touch', { plan_id: 'x', selected_ids: [1] }],
    ['filters', 'touch', { plan_id: 'x', filters: [] }],
    ['dry_run', 'touch', { plan_id: 'x', dry_run: true }],
    ['assignee', 'touch', { plan_id: 'x', assignee: 'nora' }],
    ['planId', 'touch', { planId: 'x' }],
  ])('is refused at %s by %s with %j', async (field, action, body) => {
    expectFailure(await bulk(action, body), failure(422, 'validation_failed', field))
    expect(await readChanged()).toEqual([])
  })

  it('is refused by an action whose form has a field plan_id, because it could not be applied', async () => {
    const planned = await bulk('own_id', { plan: true, selected_ids: [1] })
    expectFailure(planned, failure(422, 'validation_failed', 'plan'))
    expect(await readChanged()).toEqual([])
  })

  it('checks the form and the count', async () => {
    const short = await rowBulk('finish', { selected_ids: [1], plan: true, assignee: 'n' })
    expectFailure(short, failure(422, 'validation_failed', 'assignee'))
    const counted = await rowBulk('finish', { selected_ids: [1, 9], plan: true, expected_count: 2 })
    expectFailure(counted, failure(422, 'unexpected_count'))
  })

  it('keeps the version that was checked, not one that came while the action was asked', async () => {
    const script = `import postgres from 'postgres'
      const sql = postgres(process.argv[1])
      await sql\`update orders set title = 'changed meanwhile' where id = 1\`
      await sql.end()`
    meanwhile.run = () => {
      execFileSync(process.execPath, ['--input-type=module', '-e', script, fixture.databaseUrl])
    }
    const { id } = (await rowBulk('asks_slowly', { plan: true, selected_ids: [1, 2] })).json.plan
    const applied = await rowBulk('asks_slowly', { plan_id: id })
    expect(applied.json.results).toMatchObject([
      { id: 1, code: 'plan_outdated' },
      { id: 2, success: true },
    ])
    expect(await readChanged()).toEqual([2])
  })

  it('leaves plan and plan_id to a form that has fields of these names', async () => {
    const { json } = await bulk('own_words', { selected_ids: [1], plan: 'a', plan_id: 'b' })
    expect(json.counts.succeeded).toBe(1)
    const [row] = await fixture.sql`select assignee from orders where id = 1`
    expect(row?.['assignee']).toBe('a b')
  })

  it.each([
    ['a union', 'united', { assignee: 'nora' }, 'nora'],
    ['a transformation', 'transformed', { name: 'nora' }, 'NORA'],
  ])('plans an action whose form is %s, and keeps its keys out of it', async (_what, action, form, assignee) => {
    const { json } = await bulk(action, { plan: true, selected_ids: [1], ...form })
    expect(json.plan).toMatchObject({ applicable: 1 })
    expect((await bulk(action, { plan_id: json.plan.id })).json.counts).toMatchObject({ succeeded: 1 })
    const [row] = await fixture.sql`select assignee from orders where id = 1`
    expect(row?.['assignee']).toBe(assignee)
    expect((await bulk(action, { plan: false, selected_ids: [1], ...form })).status).toBe(200)
  })

  it('leaves plan and plan_id to a form that is a transformed union with fields of these names', async () => {
    const { json } = await bulk('own_union', { selected_ids: [1], plan: 'a', plan_id: 'b' })
    expect(json.counts.succeeded).toBe(1)
    const [row] = await fixture.sql`select assignee from orders where id = 1`
    expect(row?.['assignee']).toBe('a b')
  })

  it('is kept no more than 100 times at once', async () => {
    const { id } = await planTouch()
    await fixture.sql`insert into table_control.plans (subject, guard, table_name, action, kind, params, request, rows, expires_at)
      select subject, guard, table_name, action, kind, params, request, rows, expires_at from table_control.plans,
        generate_series(1, 99) where id = ${id}`
    expectFailure(await bulk('touch', { plan: true, selected_ids: [1] }), failure(422, 'too_many_plans'))
    await bulk('touch', { plan_id: id })
    expect((await bulk('touch', { plan: true, selected_ids: [1] })).status).toBe(200)
  })
})

describe('plan_id', () => {
  it('runs the action on the frozen rows with the frozen form, once', async () => {
    const planned = await rowBulk('finish', { selected_ids: [1, 2, 9], plan: true, assignee: 'nora' })
    const { id } = planned.json.plan
    const first = await rowBulk('finish', { plan_id: id })
    expect(first.json).toMatchObject({ counts: { succeeded: 2, failed: 0 }, results: [{ id: 1 }, { id: 2 }] })
    expect(first.json).not.toHaveProperty('replayed')
    expect(await fixture.sql`select distinct assignee from orders where runs > 0`).toEqual([{ assignee: 'nora' }])
    const second = await rowBulk('finish', { plan_id: id })
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(second.json).toEqual({ code: 'plan_already_applied', replayed: true, ...first.json })
    const inCapitals = await rowBulk('finish', { plan_id: id.toUpperCase() })
    expect(inCapitals.json).toEqual(second.json)
    expect(await fixture.runs(1, 2)).toEqual([1, 1])
    expect(committed).toEqual([[1, 2]])
    expect((await fixture.audit()).map(({ kind, rows, outcome }) => [kind, rows, outcome])).toEqual([
      ['row_bulk', 2, 'succeeded'],
    ])
  })

  it('lets one of several calls at once run', async () => {
    const { id } = (await bulk('slowly', { plan: true, selected_ids: [1, 2, 3] })).json.plan
    const all = await Promise.all([1, 2, 3].map(() => bulk('slowly', { plan_id: id })))
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(all.filter(({ json }) => json.replayed === true)).toHaveLength(2)
    expect(await fixture.runs(1, 2, 3)).toEqual([1, 1, 1])
  })

  it('refuses rows that have changed or left the scope, one by one', async () => {
    const { id } = await planTouch()
    await fixture.sql`update orders set title = 'x' where id = 1`
    await fixture.sql`update orders set tenant = 'south' where id = 2`
    const { json } = await bulk('touch', { plan_id: id })
    expect(json.counts).toEqual({ selected: 4, succeeded: 2, failed: 2 })
    const results = json.results.map(({ id: row, code }: { id: number; code: string }) => [row, code])
    expect(Object.fromEntries(results)).toEqual({ 1: 'plan_outdated', 2: 'row_not_found' })
    expect(await readChanged()).toEqual([3, 4])
    // Its failure is logged.
    expect(committed).toEqual([[3, 4]])
  })

  it('refuses all rows of an action that is all or nothing where one has changed', async () => {
    const changed = await bulk('touch_all', { plan: true, selected_ids: [1, 2] })
    const moved = await rowBulk('all_or_none', { plan: true, selected_ids: [3, 4] })
    await fixture.sql`update orders set title = 'x' where id = 1`
    await fixture.sql`delete from orders where id = 3`
    for (const refused of [
      await bulk('touch_all', { plan_id: changed.json.plan.id }),
      await rowBulk('all_or_none', { plan_id: moved.json.plan.id }),
    ]) {
      expectFailure(refused, failure(422, 'plan_outdated'))
      expect(refused.json.counts).toEqual({ succeeded: 0, failed: 1 })
    }
    expect(await readChanged()).toEqual([])
  })

  it('checks again whether the action applies', async () => {
    const { id } = (await rowBulk('finish', { plan: true, selected_ids: [1, 2] })).json.plan
    await fixture.sql`update orders set state = 'done' where id = 1`
    const { json } = await rowBulk('finish', { plan_id: id })
    expect(json.counts).toEqual({ succeeded: 1, failed: 1 })
    expect(await readChanged()).toEqual([2])
  })

  it('applies to no row where none of its rows is left', async () => {
    const { id } = await planTouch({ selected_ids: [1] })
    await fixture.sql`delete from orders where id = 1`
    expectFailure(await bulk('touch', { plan_id: id }), failure(422, 'row_not_found'))
    const none = await bulk('touch', { plan: true, selected_ids: [999] })
    const applied = await bulk('touch', { plan_id: none.json.plan.id })
    expect(applied.json.counts).toEqual({ selected: 0, succeeded: 0, failed: 0 })
    expect(await readChanged()).toEqual([])
  })

  it('has expired after its time, unless it was applied', async () => {
    const late = await planTouch()
    const applied = await planTouch({ selected_ids: [5] })
    await bulk('touch', { plan_id: applied.id })
    await fixture.sql`update table_control.plans set expires_at = now() - interval '1 second'`
    expectFailure(await bulk('touch', { plan_id: late.id }), failure(422, 'plan_expired'))
    expect((await bulk('touch', { plan_id: applied.id })).json.replayed).toBe(true)
    expect(await readChanged()).toEqual([5])
  })

  it('cannot be found by another caller, another action or another guard', async () => {
    const { id } = await planTouch()
    const strangers = [
      bulk('touch', { plan_id: id }, { as: colleague }),
      bulk('touch', { plan_id: id }, { as: south }),
      bulk('touch_all', { plan_id: id }),
      rowBulk('finish', { plan_id: id }),
      bulk('touch', { plan_id: '00000000-0000-4000-8000-000000000000' }),
    ]
    const texts = (await Promise.all(strangers)).map((response) => {
      expectFailure(response, failure(404, 'plan_not_found'))
      return Object.keys(response.json).join()
    })
    expect(new Set(texts).size).toBe(1)
    expect(await readChanged()).toEqual([])
  })

  it('is refused once the caller has lost the right to the action', async () => {
    const mona = { as: manager }
    const { id } = (await rowBulk('managers_only', { plan: true, selected_ids: [1] }, mona)).json.plan
    const demoted = { as: { sub: 'mona', tenant: 'north' } }
    expectFailure(await rowBulk('managers_only', { plan_id: id }, demoted), failure(422, 'action_not_defined'))
    const moved = await bulk('touch', { plan: true, selected_ids: [1] }, mona)
    const abroad = { as: { sub: 'mona', tenant: 'south' } }
    expectFailure(await bulk('touch', { plan_id: moved.json.plan.id }, abroad), failure(422, 'row_not_found'))
    expect(await readChanged()).toEqual([])
  })

  it('shows the first response without its rows to a caller whose rights have changed', async () => {
    const { id } = (await rowBulk('finish', { plan: true, selected_ids: [1] }, { as: manager })).json.plan
    await rowBulk('finish', { plan_id: id }, { as: manager })
    const { json } = await rowBulk('finish', { plan_id: id }, { as: { sub: 'mona', tenant: 'south' } })
    expect(json).toMatchObject({ replayed: true, items: [], results: [], onSuccess: 'reload' })
  })

  it('answers a request whose first response was lost by that response', async () => {
    const { id } = await planTouch()
    const headers = { 'idempotency-key': 'apply-1' }
    await bulk('touch', { plan_id: id }, { headers })
    const again = await bulk('touch', { plan_id: id }, { headers })
    const other = await bulk('touch', { plan_id: id }, { headers: { 'idempotency-key': 'apply-2' } })
    for (const { json, headers: sent } of [again, other]) {
      expect(sent['idempotency-replayed']).toBe('true')
      expect(json.counts).toEqual({ selected: 4, succeeded: 4, failed: 0 })
    }
    expect(await fixture.runs(1, 2)).toEqual([1, 1])
    expect(committed).toEqual([[1, 2, 3, 4]])
  })

  it('can be applied again after a failure that has undone it', async () => {
    const { id } = (await bulk('notify', { plan: true, selected_ids: [1, 2] })).json.plan
    await fixture.sql`alter table table_control.notifications rename to away`
    const failed = await bulk('notify', { plan_id: id })
    await fixture.sql`alter table table_control.away rename to notifications`
    expect(failed.status).toBe(500)
    expect(await readChanged()).toEqual([])
    expect((await bulk('notify', { plan_id: id })).json.counts).toEqual({ selected: 2, succeeded: 2, failed: 0 })
  })

  it('can be applied again where the queue did not take its job', async () => {
    const { id } = (await bulk('later', { plan: true, selected_ids: [1] })).json.plan
    fixture.queue.faults.add({ action: 'SendMessage', times: 2, status: 500, code: 'InternalError' })
    expectFailure(await bulk('later', { plan_id: id }), failure(503, 'unavailable'))
    expect((await bulk('later', { plan_id: id })).json).toMatchObject({ job: { status: 'queued' } })
    const jobs = await fixture.sql`select state from table_control.jobs order by created_at`
    expect(jobs.map(({ state }) => state)).toEqual(['failed', 'queued'])
  })

  it('leaves out rows that have left a view, because their versions are unknown', async () => {
    await fixture.sql.unsafe(
      'create view planned_view as select id, runs from orders; grant select, update on planned_view to public',
    )
    const path = 'bulk-table-action/planned_view/touch'
    const { id } = (await api.post(path, { plan: true, selected_ids: [1, 2, 3] })).json.plan
    await fixture.sql`delete from orders where id = 2`
    const applied = await api.post(path, { plan_id: id })
    expect(applied.json.counts).toEqual({ selected: 3, succeeded: 2, failed: 1 })
    expect(await readChanged()).toEqual([1, 3])
    await fixture.sql`drop view planned_view`
  })

  it('freezes the rows of a job that are left', async () => {
    const { id } = (await bulk('later', { plan: true, selected_ids: [1, 2, 3] })).json.plan
    await fixture.sql`update orders set title = 'x' where id = 2`
    const first = await bulk('later', { plan_id: id, include: ['effects'] })
    expect(first.json).not.toHaveProperty('effects')
    const chunks = await fixture.sql`select keys from table_control.job_chunks where job_id = ${first.json.job.id}`
    expect(chunks.flatMap(({ keys }) => keys)).toEqual(['1', '3'])
    expect(first.json.results).toMatchObject([{ id: 2, code: 'plan_outdated' }])
    expect((await bulk('later', { plan_id: id })).json).toMatchObject({ replayed: true, job: first.json.job })
    expect(await fixture.sql`select from table_control.jobs`).toHaveLength(1)
  })

  it('changes and audits exactly the planned rows that have not changed since, after any changes of others', async () => {
    const change = fc.record({
      id: fc.integer({ min: 1, max: 16 }),
      to: fc.constantFrom('x', 'south', 'archived', 'gone'),
    })
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 16 }), { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(ids, fc.array(change, { maxLength: 6 }), fc.boolean(), async (selected, changes, isAtomic) => {
        await fixture.reset()
        const action = isAtomic ? 'touch_all' : 'touch'
        const { id } = (await bulk(action, { plan: true, selected_ids: selected })).json.plan
        for (const { id: row, to } of changes) await changeOrder(row, to)
        const altered = new Set(changes.map(({ id: row }) => row))
        const planned = selected.filter((row) => row <= 12)
        const left = planned.filter((row) => !altered.has(row)).sort((one, other) => one - other)
        const all = isAtomic && left.length < planned.length
        const { status } = await bulk(action, { plan_id: id })
        expect(await readChanged()).toEqual(all ? [] : left)
        expect(status).toBe(all || (left.length === 0 && planned.length > 0) ? 422 : 200)
        const audited = (await fixture.audit()).filter(({ outcome }) => outcome === 'succeeded')
        expect(audited.map(({ rows }) => rows)).toEqual(status === 200 ? [left.length] : [])
      }),
      { numRuns: 25 },
    )
  })

  const changeOrder = async (id: number, to: string) => {
    if (to === 'gone') await fixture.sql`delete from orders where id = ${id}`
    else if (to === 'south') await fixture.sql`update orders set tenant = 'south' where id = ${id}`
    else
      await fixture.sql`update orders set ${fixture.sql(to === 'x' ? { title: 'x' } : { state: 'archived' })} where id = ${id}`
  }
})

describe('afterCommit', () => {
  it('runs once after the commit of an action on one row, and never after a refusal', async () => {
    await api.post('row-table-action/planned_orders/finish/1', {})
    await api.post('row-table-action/planned_orders/finish/8', {})
    await api.post('row-table-action/planned_orders/finish/9', {})
    expect(committed).toEqual([[1]])
  })

  it('does not turn a change into a failure where it fails', async () => {
    const { status, json } = await bulk('touch', { selected_ids: [1, 2] })
    expect([status, json.counts.succeeded]).toEqual([200, 2])
    expect(committed).toEqual([[1, 2]])
  })
})
