import { customType, integer, interval, pgTable, text, varchar } from 'drizzle-orm/pg-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { serviceLogin } from '../support/database/service-login.ts'
import { editingRegistry } from '../support/fixtures/edited-orders.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { colleague, defineFixture, fixtureClaims, manager, south } from '../support/fixtures/identities.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'

const work = await startWorkApi()
const api = work.variant({}, editingRegistry)
await work.sql.unsafe(`
  create unique index orders_title on orders (lower(title));
  alter table orders add constraint orders_rule check (runs < 1000 or amount > 100);
`)
beforeEach(() => work.reset())

type Options = Parameters<typeof api.post>[2]

const edit = (id: number, cells: unknown, more: object = {}, options: Options = {}) =>
  api.post(`row-table-action/orders/update_cells/${id}`, { cells, ...more }, options)

const editSeveral = (ids: readonly number[], cells: object, more: object = {}, options: Options = {}) =>
  api.post('row-bulk-table-action/orders/update_cells', { selected_ids: ids, cells, ...more }, options)

const readOrder = async (id: number) => (await work.sql`select * from orders where id = ${id}`)[0]

const readChanges = () =>
  work.sql`select row_key, subject, cells, request_id from table_control.cell_changes order by id`

it('a plan shows no value of a sensitive column, and which cells of one would change', async () => {
  const { json } = await editSeveral([1, 2], { assignee: 'Jane Roe', runs: 7 }, { plan: true })
  const [{ before, after, redacted }] = json.plan.sample
  expect([before, after].map((item) => Object.hasOwn(item, 'assignee'))).toEqual([false, false])
  expect([before.runs, after.runs, redacted]).toEqual([0, 7, ['assignee']])
  expect(JSON.stringify(json)).not.toContain('Jane Roe')
  const same = await editSeveral([1], { runs: 7 }, { plan: true })
  expect(same.json.plan.sample[0]).not.toHaveProperty('redacted')
})

it('a long cell of a sensitive column is planned and applied, and one that is too long is not planned', async () => {
  const path = 'row-bulk-table-action/orders/update_cells'
  for (const text of ['x'.repeat(262_000), 'ع'.repeat(262_000)]) {
    const { json } = await editSeveral([1], { assignee: text }, { plan: true })
    expect((await api.post(path, { plan_id: json.plan.id })).json.counts).toEqual({ succeeded: 1, failed: 0 })
    expect((await readOrder(1))?.['assignee']).toBe(text)
  }
  for (const length of [262_144, 390_000, 400_000]) {
    const refused = await editSeveral([1], { assignee: 'x'.repeat(length) }, { plan: true })
    expectFailure(refused, { status: 413, code: 'body_too_large' })
  }
})

it('an edit of several rows is planned with the cells before and after, and applied once', async () => {
  const { json } = await editSeveral([1, 2], { assignee: 'sami' }, { plan: true })
  expect(json.plan).toMatchObject({ rows: 2, applicable: 2, refused: [] })
  expect(json.plan.sample[0]).toMatchObject({ id: 1, redacted: ['assignee'] })
  expect(await readChanges()).toEqual([])
  const path = 'row-bulk-table-action/orders/update_cells'
  const applied = await api.post(path, { plan_id: json.plan.id })
  expect(applied.json.counts).toEqual({ succeeded: 2, failed: 0 })
  expect(await readOrder(2)).toMatchObject({ assignee: 'sami' })
  expect((await api.post(path, { plan_id: json.plan.id })).json).toMatchObject({ replayed: true })
  expect(await readChanges()).toHaveLength(2)
  const beside = await api.post(path, { plan_id: json.plan.id, cells: { assignee: 'x' } })
  expectFailure(beside, { status: 422, code: 'validation_failed', field: 'cells' })
})

describe('the structure', () => {
  it('says which columns a caller can edit, what they take, and where', async () => {
    const { json } = await api.get('load-table/orders')
    const columns = Object.fromEntries(json.columns.map((column: { data_src: string }) => [column.data_src, column]))
    expect(columns.title.editable).toMatchObject({ type: 'string' })
    expect(columns.state.editable).toMatchObject({ enum: ['open', 'done', 'archived'] })
    expect(columns.assignee.editable.type).toEqual(['string', 'null'])
    expect(columns.runs.editable).toMatchObject({ type: 'integer', minimum: -2_147_483_648, maximum: 2_147_483_647 })
    expect(columns.amount.editable).toMatchObject({ type: ['string', 'null'], pattern: '^-?\\d{1,10}(\\.\\d{1,2})?$' })
    expect(columns.due.editable).toMatchObject({ type: ['string', 'null'], format: 'date-time' })
    expect(columns.id.editable).toBeUndefined()
    expect(json.editing.url_template.api).toMatch(/\/row-table-action\/orders\/update_cells\/\{id\}$/)
    expect(json.editing.bulk_url.api).toMatch(/\/row-bulk-table-action\/orders\/update_cells$/)
    expect(Object.keys(json.rowActions)).not.toContain('update_cells')
  })

  it.each(['own', 'plain'])('says nothing of editing in the table %s', async (table) => {
    const { json, text } = await api.get(`load-table/${table}`)
    expect(json.editing).toBeUndefined()
    expect(text).not.toContain('"editable"')
  })
})

describe('an edit of one row', () => {
  it('writes the cells, answers the row as it is then, and is audited with before and after', async () => {
    const response = await edit(1, { title: 'New', amount: '12.5', due: '2026-03-01T08:30:00', flagged: true })
    expect(response.status, response.text).toBe(200)
    expect(response.json).toMatchObject({
      onSuccess: 'refetchRow',
      data: { row: { id: 1, title: 'New', amount: 12.5 } },
    })
    expect(await readOrder(1)).toMatchObject({ title: 'New', amount: '12.50', due: new Date('2026-03-01T07:30:00Z') })
    const [entry] = await work.audit()
    expect(entry).toMatchObject({ action: 'update_cells', kind: 'row', rows: 1, outcome: 'succeeded', subject: 'nora' })
    expect(await readChanges()).toEqual([
      {
        row_key: '1',
        subject: 'nora',
        request_id: entry?.['request_id'],
        cells: {
          title: { before: 'Order 1', after: 'New' },
          amount: { before: '1.50', after: '12.50' },
          due: { before: '2026-01-02 22:30:00+00', after: '2026-03-01 07:30:00+00' },
          flagged: { before: 'false', after: 'true' },
        },
      },
    ])
  })

  it('keeps the values of a sensitive column out of the audit', async () => {
    expect((await edit(1, { assignee: 'Jane Roe' })).status).toBe(200)
    expect((await readChanges()).map(({ cells }) => cells)).toEqual([{ assignee: {} }])
    expect(JSON.stringify([await readChanges(), await work.audit()])).not.toContain('Jane Roe')
  })

  it('changes nothing, not even the version, where the cells have these values already', async () => {
    const read = async () => (await api.post('row-refetch/orders/1', { include: ['version'] })).json.data.row._version
    const version = await read()
    expect((await edit(1, { title: 'Order 1', amount: '1.5' })).status).toBe(200)
    expect(await read()).toBe(version)
    expect(await readChanges()).toEqual([])
  })

  it.each<[string, object, Record<string, unknown>]>([
    ['no value', { assignee: null, amount: null, due: null }, { assignee: null, amount: null, due: null }],
    ['a time with an offset', { due: '2026-03-01T08:30:00+03:00' }, { due: new Date('2026-03-01T05:30:00Z') }],
    ['the largest integer', { runs: 999 }, { runs: 999 }],
    ['a text with markup and quotes', { title: `<b>'"\\` }, { title: `<b>'"\\` }],
  ])('writes %s', async (_, cells, expected) => {
    const response = await edit(2, cells)
    expect(response.status, response.text).toBe(200)
    expect(await readOrder(2)).toMatchObject(expected)
  })

  it.each<[string, unknown, string]>([
    ['no cells', undefined, 'cells'],
    ['cells that are a list', ['title'], 'cells'],
    ['an empty object', {}, 'cells'],
    ['an unknown column', { colour: 'red' }, 'cells.colour'],
    ['a column that is not editable', { id: 5 }, 'cells.id'],
    ['a column that the caller does not see', { tenant: 'south' }, 'cells.tenant'],
    ['a text that is a number', { title: 5 }, 'cells.title'],
    ['a missing value where one is needed', { title: null }, 'cells.title'],
    ['a character that Postgres cannot hold', { title: 'a\u0000b' }, 'cells.title'],
    ['an integer beyond its type', { runs: 2_147_483_648 }, 'cells.runs'],
    ['half a number', { runs: 1.5 }, 'cells.runs'],
    ['a decimal that is a number', { amount: 1.5 }, 'cells.amount'],
    ['too many digits behind the point', { amount: '1.234' }, 'cells.amount'],
    ['too many digits before the point', { amount: '12345678901' }, 'cells.amount'],
    ['a decimal without digits', { amount: 'NaN' }, 'cells.amount'],
    ['a text for a boolean', { flagged: 'true' }, 'cells.flagged'],
    ['a day that is no time', { due: '2026-02-30T00:00:00' }, 'cells.due'],
    ['a time that the clocks skip', { due: '2026-03-29T02:30:00' }, 'cells.due'],
    ['a year that Postgres does not know', { due: '0000-01-01T00:00:00' }, 'cells.due'],
    ['a value that the author does not allow', { state: 'lost' }, 'cells.state'],
    ['__proto__', JSON.parse('{"__proto__": 1}'), 'cells.__proto__'],
  ])('is refused for %s', async (_, cells, field) => {
    const before = await readOrder(1)
    expectFailure(await edit(1, cells), { status: 422, code: 'validation_failed', field })
    expect(await readOrder(1)).toEqual(before)
    expect(await readChanges()).toEqual([])
  })

  it('names the columns that can be edited and no hidden one', async () => {
    const refused = await edit(1, { tenant: 'south' })
    expect(refused.json.fields['cells.tenant'][0]).toContain('title, state, assignee, runs, flagged, amount, due')
    expect(refused.text.replaceAll('cells.tenant', '')).not.toContain('tenant')
    expect((await edit(1, { tenant: 'south' }, {}, { as: manager })).json.onSuccess).toBe('deleteRow')
  })

  it.each<[string, object, string, string]>([
    ['the value of another row', { title: 'ORDER 2', amount: '3.00' }, 'conflicting_data', 'cells.title'],
    ['a rule about two columns', { runs: 1000, title: 'New', amount: '5.00' }, 'conflicting_data', 'cells.runs'],
  ])('is refused by Postgres for %s, and says for which column', async (_, cells, code, field) => {
    const refused = await edit(1, cells)
    expectFailure(refused, { status: 422, code, field })
    expect(Object.keys(refused.json.fields)).not.toContain(field === 'cells.title' ? 'cells.amount' : 'cells.title')
    expect(await readOrder(1)).toMatchObject({ title: 'Order 1', amount: '1.50' })
  })

  it('is refused in a row where the column is closed, also by a dry run', async () => {
    await work.sql`update orders set assignee = 'locked' where id = 1`
    for (const more of [{}, { dry_run: true }]) {
      const refused = await edit(1, { title: 'New', state: 'done' }, more)
      expectFailure(refused, { status: 422, code: 'action_not_applicable' })
      expect(refused.json.error).toBe('State: cannot be edited in this row')
    }
    expect(await readOrder(1)).toMatchObject({ title: 'Order 1', state: 'open' })
  })

  it('answers a row outside the scope as a missing one', async () => {
    const outside = await edit(13, { title: 'New' })
    const missing = await edit(999, { title: 'New' })
    for (const refused of [outside, missing]) expectFailure(refused, { status: 404, code: 'row_not_found' })
    expect(Object.keys(outside.json)).toEqual(Object.keys(missing.json))
    expect((await edit(13, { title: 'New' }, {}, { as: south })).status).toBe(200)
  })

  it('removes a row that leaves the scope from the table of the client', async () => {
    const { json } = await edit(3, { state: 'archived' })
    expect(json).toMatchObject({ success: true, onSuccess: 'deleteRow' })
    expect(json.data).toBeUndefined()
  })

  it('takes versions, dry_run, expected_count and an idempotency key as any action does', async () => {
    const { _version } = (await api.post('row-refetch/orders/1', { include: ['version'] })).json.data.row
    expect((await edit(1, { title: 'Dry' }, { dry_run: true })).json).toMatchObject({ dry_run: true })
    expect(await readOrder(1)).toMatchObject({ title: 'Order 1' })
    expectFailure(await edit(1, { title: 'New' }, { expected_count: 2 }), { status: 422, code: 'unexpected_count' })
    const headers = { 'idempotency-key': 'edit-1' }
    const first = await edit(1, { title: 'New' }, { expected_version: _version }, { headers })
    const again = await edit(1, { title: 'New' }, { expected_version: _version }, { headers })
    expect([first.status, again.headers['idempotency-replayed'], again.text]).toEqual([200, 'true', first.text])
    expectFailure(await edit(1, { title: 'Late' }, { expected_version: _version }), {
      status: 422,
      code: 'row_version_conflict',
    })
    expect(await readChanges()).toHaveLength(1)
  })

  it('lets one of two editors through who have read the same version', async () => {
    const { _version } = (await api.post('row-refetch/orders/4', { include: ['version'] })).json.data.row
    const both = await Promise.all([
      edit(4, { title: 'One' }, { expected_version: _version }),
      edit(4, { title: 'Two' }, { expected_version: _version }, { as: colleague }),
    ])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 422])
    expect(await readChanges()).toHaveLength(1)
  })
})

describe('a text that Postgres takes for equal to the one before', () => {
  const names = pgTable('names', {
    id: integer().primaryKey(),
    caseless: customType<{ data: string }>({ dataType: () => 'citext' })()
      .notNull()
      .unique(),
    folded: text().notNull(),
    span: interval().notNull(),
    code: varchar({ length: 3 }).notNull(),
  })
  const column = (label: string) => ({ label, editable: true }) as const
  const registry = createRegistry(
    [
      defineFixture({
        name: 'names',
        from: names,
        key: 'id',
        scope: everyRow,
        columns: {
          caseless: column('Caseless'),
          folded: column('Folded'),
          span: column('Span'),
          code: column('Code'),
        },
      }),
    ],
    { claims: fixtureClaims },
  )
  const served = work.variant({}, registry)
  const readNames = () => work.sql`select caseless, folded, span::text, code from names order by id`

  it('is written, and one that is the same changes nothing', async () => {
    await work.sql.unsafe(`create extension if not exists citext;
      create collation caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
      create table names (id integer primary key, caseless citext not null unique, folded text collate caseless not null,
        span interval not null, code varchar(3) not null);
      insert into names values (1, 'smith', 'smith', '24 hours', 'abc'), (2, 'jones', 'jones', '1 day', 'abc');
      grant select, update on names to ${serviceLogin.user}`)
    const cells = { caseless: 'Smith', folded: 'Smith', span: '1 day', code: 'abc' }
    const edited = await served.post('row-table-action/names/update_cells/1', { cells })
    expect(edited.status, edited.text).toBe(200)
    expect((await readNames())[0]).toEqual(cells)
    expect((await readChanges()).map((change) => Object.keys(change['cells']).toSorted())).toEqual([
      ['caseless', 'folded', 'span'],
    ])
    await served.post('row-table-action/names/update_cells/1', { cells })
    expect(await readChanges()).toHaveLength(1)
    const undone = await served.post(new URL(edited.json.undo.url).pathname.split('/control-tables/')[1] ?? '', {})
    expect(undone.json.counts, undone.text).toEqual({ succeeded: 1, failed: 0 })
    expect((await readNames())[0]).toEqual({ caseless: 'smith', folded: 'smith', span: '24:00:00', code: 'abc' })
    const taken = await served.post('row-table-action/names/update_cells/1', { cells: { caseless: 'JONES' } })
    expectFailure(taken, { status: 422, code: 'conflicting_data', field: 'cells.caseless' })
  })
})

describe('an edit of several rows', () => {
  it('writes the same cells into each, and returns the outcome of each', async () => {
    await work.sql`update orders set state = 'done' where id = 2`
    const { status, json, text } = await editSeveral([1, 2, 3, 13, 999], { flagged: true, amount: '9.00' })
    expect(status, text).toBe(200)
    expect(json).toMatchObject({ onSuccess: 'refetchData', counts: { succeeded: 2, failed: 3 } })
    expect(json.results).toMatchObject([
      { id: 1, success: true },
      { id: 2, code: 'action_not_applicable', errors: ['Flagged: cannot be edited in this row', expect.any(String)] },
      { id: 3, success: true },
      { id: 13, code: 'row_not_found' },
      { id: 999, code: 'row_not_found' },
    ])
    expect((await readChanges()).map(({ row_key: key }) => key).toSorted()).toEqual(['1', '3'])
    expect(await readOrder(2)).toMatchObject({ flagged: false, amount: '2.50' })
  })

  it('refuses only the rows that Postgres refuses', async () => {
    const { json } = await editSeveral([5, 6], { title: 'Same' })
    expect(json.results).toMatchObject([
      { id: 5, success: true },
      {
        id: 6,
        code: 'conflicting_data',
        errors: ['Title: is already used by another row; use another value', expect.any(String)],
      },
    ])
    expect([await readOrder(5), await readOrder(6)]).toMatchObject([{ title: 'Same' }, { title: 'Order 6' }])
    expect(await readChanges()).toHaveLength(1)
  })

  it('changes only rows that still have the version that the client has read', async () => {
    const read = await api.post('multi-row-refetch/orders', { row_ids: [1, 2], include: ['version'] })
    const versions = Object.fromEntries(
      read.json.items.map(({ id, _version }: { id: number; _version: string }) => [id, _version]),
    )
    await edit(1, { title: 'Changed' })
    const { json } = await editSeveral([1, 2], { runs: 7 }, { versions })
    expect(json.results).toMatchObject([{ code: 'row_version_conflict' }, { success: true }])
    expect([await readOrder(1), await readOrder(2)]).toMatchObject([{ runs: 0 }, { runs: 7 }])
  })

  it('reports a row that leaves the scope', async () => {
    const { json } = await editSeveral([1, 2], { state: 'archived' })
    expect(json).toMatchObject({ onSuccess: 'deleteRow', removed: [1, 2], items: [] })
  })

  it('is refused for cells that do not fit', async () => {
    expectFailure(await editSeveral([1, 2], { runs: 'many' }), {
      status: 422,
      code: 'validation_failed',
      field: 'cells.runs',
    })
  })
})

describe('a refused edit', () => {
  it.each<[string, string, object, string]>([
    ['a column that cannot be edited', 'row', { cells: { id: 5 } }, 'validation_failed'],
    ['a column that its caller does not see', 'row', { cells: { tenant: 'south' } }, 'validation_failed'],
    ['no cells', 'row_bulk', { selected_ids: [1] }, 'validation_failed'],
    ['a plan that does not exist', 'row_bulk', { plan_id: 'a1b2c3d4-0000-4000-8000-000000000000' }, 'plan_not_found'],
    ['a plan with other keys', 'row_bulk', { plan_id: 'x', selected_ids: [1] }, 'validation_failed'],
  ])('is added to the audit once if it names %s', async (_, kind, body, code) => {
    const path = kind === 'row' ? 'row-table-action/orders/update_cells/1' : 'row-bulk-table-action/orders/update_cells'
    expect((await api.post(path, body)).json.code).toBe(code)
    expect(await work.audit()).toMatchObject([{ action: 'update_cells', kind, outcome: code, rows: 0 }])
  })
})

describe('update_cells', () => {
  it('is the action of its author where the table has one', async () => {
    const own = await api.post('row-table-action/own/update_cells/1', { cells: { title: 'New' } })
    expect(own.json.message).toBe('Own')
    expect(await readOrder(1)).toMatchObject({ title: 'Order 1' })
  })

  it('is no action of a table without editable columns', async () => {
    const refused = await api.post('row-table-action/plain/update_cells/1', { cells: { title: 'New' } })
    expectFailure(refused, { status: 422, code: 'action_not_defined' })
  })
})
