import { eq, sql } from 'drizzle-orm'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { beforeEach, expect, it } from 'vitest'
import { createRegistry, forbidden } from '../../lib/index.ts'
import { editingRegistry, renamedRegistry } from '../support/fixtures/edited-orders.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { colleague, defineFixture, fixtureClaims, manager, south } from '../support/fixtures/identities.ts'
import { ofOrders } from '../support/fixtures/orders-table.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'

const work = await startWorkApi()
const api = work.variant({}, editingRegistry)
beforeEach(() => work.reset())

type Options = Parameters<typeof api.post>[2]

const edit = async (cells: object, options: Options = {}, id = 1) =>
  (await api.post(`row-table-action/orders/update_cells/${id}`, { cells }, options)).json

const readHistory = async (query = '', options: Options = {}) =>
  (await api.get(`history/orders/1${query}`, options)).json

/** The endpoints over the same orders, with only these columns. */
const withColumns = (columns: object) =>
  work.variant({}, createRegistry([defineFixture({ ...ofOrders, name: 'orders', columns })], { claims: fixtureClaims }))

/** Puts the values of a cell into every change of the audit. */
const storeCell = (field: string, before: string, after: string) =>
  work.sql`update table_control.cell_changes set cells = cells || ${work.sql.json({ [field]: { before, after } })}`

it('a history says who has changed which cell when, as the table shows it, the latest change first', async () => {
  await edit({ title: 'New', amount: '1234.5', due: '2026-03-01T08:30:00' })
  await edit({ flagged: true, amount: null }, { as: colleague })
  const { changes, next, success } = await readHistory()
  expect([success, next]).toEqual([true, null])
  expect(changes).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      by: 'noel',
      own: false,
      cells: [
        {
          field: 'amount',
          label: 'Amount',
          before: { value: 1234.5, text: '1,234.5' },
          after: { value: null, text: '-' },
        },
        {
          field: 'flagged',
          label: 'Flagged',
          before: { value: false, text: 'No' },
          after: { value: true, text: 'Yes' },
        },
      ],
    },
    expect.objectContaining({ by: 'nora', own: true }),
  ])
  const due = changes[1].cells.find(({ field }: { field: string }) => field === 'due')
  expect(due.after).toEqual({ value: '2026-03-01T07:30:00.000Z', text: expect.stringContaining('2026') })
  const arabic = await readHistory('', { headers: { ln: 'ar' } })
  expect(arabic.changes[0].cells[0].label).toBe('المبلغ')
})

it('a history shows an undo with the change that it undoes', async () => {
  const { undo } = await edit({ title: 'New' })
  await api.post(new URL(undo.url).pathname.split('/control-tables/')[1] ?? '', {})
  const { changes } = await readHistory()
  expect(changes).toMatchObject([{ undoes: changes[1].id }, { id: undo.url.split('/').at(-1) }])
})

it('a history redacts sensitive cells and leaves out columns that the caller does not see', async () => {
  await edit({ assignee: 'Jane Roe' })
  await edit({ tenant: 'north', title: 'Both' }, { as: manager })
  await work.sql`update table_control.cell_changes set cells = cells || '{"tenant": {"before": "x", "after": "y"}}' where cells ? 'title'`
  await edit({ flagged: true })
  await work.sql`update table_control.cell_changes set cells = '{"tenant": {"before": "x", "after": "y"}}' where cells ? 'flagged'`
  const seen = await api.get('history/orders/1')
  expect(seen.json.changes).toMatchObject([
    { by: 'mona', cells: [{ field: 'title' }] },
    { cells: [{ field: 'assignee', label: 'Assignee', redacted: true }] },
  ])
  expect(seen.text).not.toMatch(/tenant|Roe/)
  expect((await readHistory('', { as: manager })).changes).toHaveLength(3)
})

it('a history redacts cells of a column that a function writes by now', async () => {
  await edit({ title: 'Secret' })
  const hiding = withColumns({ title: { label: 'Title', format: () => '***' } })
  const { json, text } = await hiding.get('history/orders/1')
  expect(json.changes).toMatchObject([{ cells: [{ field: 'title', label: 'Title', redacted: true }] }])
  expect(text).not.toContain('Secret')
})

it('a value that its column can no longer hold leaves the others as the table shows them', async () => {
  await edit({ due: '2026-03-01T08:30:00' })
  await edit({ runs: 5 })
  const runs = { before: 'many', after: '5' }
  await work.sql`update table_control.cell_changes set cells = ${work.sql.json({ runs })} where cells ? 'runs'`
  const due = { label: 'Due', type: 'date', pattern: 'yyyy' }
  const { json } = await withColumns({ runs: { label: 'Runs' }, due }).get('history/orders/1')
  const year = { value: '2026', text: '2026' }
  expect(json.changes).toMatchObject([
    { cells: [{ field: 'runs', before: { value: 'many', text: 'many' }, after: { value: 5, text: '5' } }] },
    { cells: [{ field: 'due', before: year, after: year }] },
  ])
  const cells = json.changes.map((change: { readonly cells: unknown }) => change.cells)
  expect(JSON.stringify(cells)).not.toMatch(/2026-0[123]-\d\d |22:30/)
})

it('a history redacts a value that its column can no longer hold if the column has a pattern', async () => {
  await edit({ due: '2026-03-01T08:30:00', runs: 5 })
  await storeCell('due', 'the 2nd of January', '2026-03-01 07:30:00+00')
  const due = { label: 'Due', type: 'date', pattern: 'yyyy' }
  const { json } = await withColumns({ runs: { label: 'Runs' }, due }).get('history/orders/1')
  expect(json.changes[0].cells).toEqual([
    { field: 'due', label: 'Due', redacted: true },
    expect.objectContaining({ field: 'runs', after: { value: 5, text: '5' } }),
  ])
  expect(JSON.stringify(json.changes[0].cells)).not.toMatch(/January|07:30/)
})

it('a history sanitises HTML as the table does', async () => {
  const title = '<img src=x onerror=alert(1)><b>hi</b><script>alert(2)</script>'
  await edit({ title })
  const html = withColumns({ title: { label: 'Title', type: 'html' } })
  const { row } = (await html.post('row-refetch/orders/1', {})).json.data
  const { changes } = (await html.get('history/orders/1')).json
  expect(changes[0].cells).toEqual([
    {
      field: 'title',
      label: 'Title',
      before: { value: 'Order 1', text: 'Order 1' },
      after: { value: row.title, text: 'hi' },
    },
  ])
  expect(row.title).toBe('<img src><b>hi</b>')
})

it('a history shows HTML whose cells claim to span more than memory holds', async () => {
  await edit({ title: '<table><tr><td colspan=100000 rowspan=100000>wide</td></tr></table>' })
  const { json } = await withColumns({ title: { label: 'Title', type: 'html' } }).get('history/orders/1')
  expect(json.changes[0].cells[0].after.text).toBe('wide')
})

it('a history leaves out what an attribute has held if a computed value has its name by now', async () => {
  await edit({ title: 'Secret' })
  const renamed = pgTable('orders', { id: integer().primaryKey(), tenant: text(), fullTitle: text('title') })
  const short = defineFixture({
    name: 'orders',
    from: renamed,
    key: 'id',
    computed: { title: sql`left(${renamed.fullTitle}, 1)` },
    scope: ({ identity: { claims } }) => eq(renamed.tenant, claims.tenant),
    columns: { id: { label: 'ID' }, title: { label: 'Title', type: 'html' } },
  })
  const computing = work.variant({}, createRegistry([short], { claims: fixtureClaims }))
  expect((await computing.get('history/orders/1')).json).toMatchObject({ changes: [], next: null })
})

it('a history shows changes of a column under its former name, as far as the caller sees the column', async () => {
  await edit({ title: 'New', assignee: 'Jane Roe', runs: 5 })
  await edit({ runs: 6 })
  const renamed = work.variant({}, renamedRegistry)
  const { json, text } = await renamed.get('history/orders/1')
  expect(json.changes.map(({ cells }: { cells: unknown }) => cells)).toEqual([
    expect.arrayContaining([
      { field: 'owner', label: 'Owner', redacted: true },
      expect.objectContaining({ field: 'heading', label: 'Heading', after: { value: 'New', text: 'New' } }),
    ]),
  ])
  expect(json.changes[0].cells).toHaveLength(2)
  expect(text).not.toMatch(/Roe|runs|repeats/i)
  const { changes } = (await renamed.get('history/orders/1', { as: manager })).json
  expect(changes).toMatchObject([{ cells: [{ field: 'repeats', after: { value: 6 } }] }, { by: 'nora' }])
})

it('a history is read in pages', async () => {
  for (const runs of [1, 2, 3]) await edit({ runs })
  const first = await readHistory('?limit=2')
  expect(first.changes).toHaveLength(2)
  const second = await readHistory(`?limit=2&before=${first.next}`)
  expect([second.changes.length, second.next]).toEqual([1, null])
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'before=x', 'before=2', 'before='])
    expectFailure(await api.get(`history/orders/1?${query}`), { status: 422, code: 'validation_failed' })
})

it('the next of a history tells nothing of the changes of others, and opens only for its caller, table and row', async () => {
  for (const runs of [1, 2]) await edit({ runs })
  const { next } = await readHistory('?limit=1')
  expect(next).toMatch(/^[\w-]{40,}$/)
  const refused: [path: string, options?: Options][] = [
    [`history/orders/1?before=${next}`, { as: colleague }],
    [`history/orders/2?before=${next}`],
    [`history/own/1?before=${next}`],
    [`history/orders/1?before=${next.slice(0, -2)}AA`],
    [`history/orders/13?before=${next}`],
    [`history/orders/999?before=${next}`],
  ]
  for (const [path, options] of refused) {
    const response = await api.get(path, options)
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'before' })
  }
  expect((await readHistory(`?before=${next}`)).changes).toMatchObject([{ cells: [{ field: 'runs' }] }])
})

it('a history shows a value that its column can no longer hold as it is stored', async () => {
  await edit({ runs: 5 })
  await work.sql`update table_control.cell_changes set cells = '{"runs": {"before": "many", "after": "5"}}'`
  const { changes } = await readHistory()
  expect(changes[0].cells[0]).toMatchObject({ before: { value: 'many', text: 'many' } })
})

it('the history of a row outside the scope is answered as that of a missing one', async () => {
  await edit({ title: 'Theirs' }, { as: south }, 13)
  const responses = await Promise.all(['13', '999', 'x'].map((id) => api.get(`history/orders/${id}`)))
  for (const response of responses) expectFailure(response, { status: 404, code: 'row_not_found' })
  expect(new Set(responses.map(({ json }) => Object.keys(json).join())).size).toBe(1)
})

it('a middleware that refuses rowHistory turns the history of a table off', async () => {
  await edit({ title: 'New' })
  const closed = defineFixture({
    ...ofOrders,
    name: 'orders',
    columns: { title: { label: 'Title', editable: true } },
    middlewares: [
      ({ endpoint }) => {
        if (endpoint.endsWith('.rowHistory')) throw forbidden()
      },
    ],
  })
  const refusing = work.variant({}, createRegistry([closed], { claims: fixtureClaims }))
  expectFailure(await refusing.get('history/orders/1'), { status: 403, code: 'forbidden' })
  expect((await refusing.post('row-refetch/orders/1', {})).status).toBe(200)
})
