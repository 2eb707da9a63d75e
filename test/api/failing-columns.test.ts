import { type SQL, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { defineFixture, fixtureClaims, north } from '../support/fixtures/identities.ts'
import { orders } from '../support/fixtures/work-schema.ts'
import { jobRow } from '../support/jobs/queued-jobs.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import { startWatchingInstallation } from '../support/sockets/watching-installation.ts'

/** Defines a table whose column "rate" fails for an order with five runs. */
const defineFailing = (name: string, rate: SQL, scope: () => SQL = everyRow) =>
  defineFixture({
    name,
    from: orders,
    key: 'id',
    scope,
    computed: { double: sql<number>`${orders.id} * 2`, rate },
    columns: {
      id: { label: 'ID' },
      double: { label: 'Double', type: 'number' },
      rate: { label: { en: 'Rate', ar: 'النسبة' }, type: 'number' },
    },
    sortables: ['rate'],
    filters: {
      id: { type: 'number', operators: ['=', '!='] },
      rate: { type: 'number', label: 'Rate' },
    },
    rowActions: {
      flag: {
        run: async ({ db, where }) => {
          await db.update(orders).set({ flagged: true }).where(where)
        },
      },
      break: {
        run: async ({ db, where }) => {
          await db.update(orders).set({ runs: 5 }).where(where)
        },
      },
    },
    bulkActions: {
      csv: { response: 'instant', export: 'csv' },
      excel: { response: 'notification', export: 'excel' },
      push: { response: 'websocket', export: 'csv' },
    },
  })

const dates = defineFixture({
  name: 'dates',
  from: orders,
  key: 'id',
  scope: everyRow,
  timeZone: 'Asia/Riyadh',
  columns: { id: { label: 'ID' }, due: { label: 'Due' } },
})

const registry = createRegistry(
  [
    defineFailing('divided', sql`100 / (${orders.runs} - 5)`),
    defineFailing('cast', sql`(case ${orders.runs} when 5 then 'none' else '1' end)::int`),
    defineFailing('looked_up', sql`(select n from generate_series(1, case ${orders.runs} when 5 then 2 else 1 end) n)`),
    dates,
    defineFailing('misscoped', sql`100 / (${orders.runs} - 5)`, () => sql`100 / (${orders.runs} - 5) < 0`),
  ],
  { claims: fixtureClaims },
)
const live = await startWatchingInstallation(registry)
const breakOrder = () => live.sql`update orders set runs = 5 where id = 5`
beforeEach(async () => {
  await live.clear()
  await breakOrder()
})

const query = (table: string, body: object = {}) => live.actions.post(`query-table/${table}`, body)

const named = {
  code: 'internal_error',
  errors: [
    '"Rate" cannot be computed for one of the rows; leave it out of the request, or report it',
    'تعذّر حساب «النسبة» لأحد الصفوف؛ أعد الطلب بدونه أو أبلغ عن ذلك',
  ],
}

describe.each(['divided', 'cast', 'looked_up'])('a computed column that fails for a row (%s)', (table) => {
  it.each([
    ['a page', 'query-table/TABLE', {}],
    ['a sort', 'query-table/TABLE', { columns: ['id'], sorts: [{ field: 'rate' }] }],
    ['a filter', 'query-table/TABLE', { columns: ['id'], filters: { rate: 3 } }],
    ['a row', 'row-refetch/TABLE/5', {}],
    ['an action on a row', 'row-table-action/TABLE/flag/5', {}],
    ['a file', 'bulk-table-action/TABLE/csv', {}],
    ['a workbook', 'bulk-table-action/TABLE/excel', {}],
  ])('is named by the failure of %s', async (_, path, body) => {
    const { status, json } = await live.actions.post(path.replace('TABLE', table), body)
    expect(status).toBe(500)
    expect(json).toMatchObject(named)
    const [order] = await live.sql`select flagged from orders where id = 5`
    expect(order?.['flagged']).toBe(false)
  })

  it('is named by an action on a row after which it fails, also if the action has run before', async () => {
    const breakAnother = () => live.actions.post(`row-table-action/${table}/break/4`)
    expect((await breakAnother()).json).toMatchObject(named)
    // The row is read behind the one statement of the action by now.
    expect((await breakAnother()).json).toMatchObject(named)
  })

  it('is named by the failure of a page that a cursor asks for', async () => {
    const { json } = await query(table, { columns: ['id'], perPage: 3 })
    expect((await query(table, { perPage: 3, cursor: json.pagination.next_cursor })).json).toMatchObject(named)
  })

  it.each([
    ['an action on a row', 'row-table-action/TABLE/flag/5'],
    ['a file', 'bulk-table-action/TABLE/csv'],
  ])('is in the audit with the code that %s was answered', async (_, path) => {
    await live.actions.post(path.replace('TABLE', table))
    expect(await live.sql`select outcome from table_control.audit`).toEqual([{ outcome: named.code }])
  })

  it('is named by a job, which fails at once', async () => {
    const { json } = await live.actions.post(`bulk-table-action/${table}/push`)
    await live.drain()
    const [en, ar] = named.errors
    expect(await jobRow(live.sql, json.job.id)).toMatchObject({
      state: 'failed',
      attempts: 1,
      failure: { code: named.code, en, ar },
    })
  })

  it('fails nothing that does not read it', async () => {
    expect((await query(table, { columns: ['id', 'double'] })).json.items).toHaveLength(16)
    expect((await query(table, { filters: [{ field: 'id', operator: '!=', value: 5 }] })).json.items).toHaveLength(15)
  })

  it('is left out of the parts beside a page, which are named', async () => {
    const parts = {
      facets: ['rate', 'id'],
      aggregates: [{ field: 'rate', fn: 'sum' }],
      group_by: [{ field: 'rate' }],
    }
    const { json } = await query(table, { columns: ['id'], ...parts })
    expect(json.items).toHaveLength(16)
    expect(json.partial).toEqual(['aggregates', 'facets', 'groups'])
    expect(Object.keys(json.facets)).toEqual(['id'])
  })

  it('does not end a subscription, whose watcher is told to read the page again', async () => {
    const watcher = await live.watch()
    const subscribe = { event: 'subscribe', id: 'page', table, token: live.tokenFor(north), query: {} }
    expect(await watcher.ask(subscribe)).toMatchObject({ event: 'error', ...named })
    await live.sql`update orders set runs = 0`
    expect(await watcher.ask(subscribe)).toMatchObject({ event: 'rows.subscribed' })
    await breakOrder()
    await live.actions.post(`row-table-action/${table}/flag/4`)
    await live.drain()
    expect((await watcher.received(3))[2]).toMatchObject({ event: 'rows.stale', data: { reason: 'unread' } })
  })
})

it('names a failing column in the log by its key, with the code of the database', async () => {
  const log = recordLog()
  await query('cast')
  log.restore()
  expect(log.lines()).toMatchObject([{ column: 'rate', errors: [{}, { code: '22P02' }] }])
})

it('names a date column if one of its dates is too late for the clocks of the time zone', async () => {
  await live.sql`update orders set due = '294276-12-31 23:30Z' where id = 5`
  const { status, json } = await query('dates')
  expect([status, json.errors[0]]).toEqual([500, expect.stringMatching(/^"Due" cannot be computed/)])
  expect((await query('dates', { columns: ['id'] })).status).toBe(200)
})

it('names no column if the scope of its table fails', async () => {
  const { json, text } = await query('misscoped')
  expect(json.code).toBe('internal_error')
  expect(text).not.toContain('Rate')
})
