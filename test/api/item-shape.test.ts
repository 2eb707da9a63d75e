import { integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { afterAll, describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { defineFixture, fixtureClaims, manager } from '../support/fixtures/identities.ts'
import { startParcelService } from '../support/parcels/parcel-service.ts'

const [api, parcels] = await Promise.all([startFixtureApi(), startParcelService()])
afterAll(() => parcels.stop())

interface ShapedItem {
  readonly id: string | number
  readonly _raw: Readonly<Record<string, unknown>>
  readonly _version: string
}

const read = async (table: string, body: object, options = {}): Promise<readonly ShapedItem[]> =>
  (await api.post(`query-table/${table}`, body, options)).json.items

describe('include: ["raw"]', () => {
  it('adds the values behind the cells, with dates in ISO 8601', async () => {
    const [item] = await read('products', { include: ['raw'], sorts: { id: 'asc' }, perPage: 1 })
    expect(item).toMatchObject({ id: 1, name: item?._raw['name'] })
    expect(item?._raw).toMatchObject({
      id: 1,
      price: expect.any(Number),
      made_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      sold_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
  })

  it('leaves out cells that a function writes, and keeps every digit', async () => {
    const [item] = await read('samples', { include: ['raw'], sorts: [], perPage: 1 })
    const virtual = ['sum', 'anchor', 'styled', 'place', 'brief', 'details', 'actions']
    expect(Object.keys(item?._raw ?? {}).filter((key) => virtual.includes(key))).toEqual([])
    const [entry] = await read('ledger', { include: ['raw'], sorts: { id: 'desc' }, perPage: 1 })
    expect(String(entry?._raw['id'])).toBe(String(entry?.id))
  })

  it('shows no more of a date than the pattern of its column', async () => {
    const [[visit], [sample]] = await Promise.all([
      read('visits', { include: ['raw'], sorts: { at: 'asc' }, perPage: 1 }),
      read('samples', { include: ['raw'], perPage: 1 }),
    ])
    expect(visit?._raw).toMatchObject({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      clock: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/),
      day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    })
    expect(sample?._raw['day']).toMatch(/^\d{4}-\d\d-\d\d$/)
  })

  it('has no column that is hidden from the caller', async () => {
    const [[own], [managers]] = await Promise.all([
      read('deals', { include: ['raw'], perPage: 1 }),
      read('deals', { include: ['raw'], perPage: 1 }, { as: manager }),
    ])
    expect(Object.keys(own?._raw ?? {})).toEqual(['id', 'name', 'stock'])
    expect(managers?._raw).toHaveProperty('price')
  })
})

describe('include: ["version"]', () => {
  it('changes with the row, and only then', async () => {
    const versions = async () => {
      const items = await read('orders', { include: ['version'], sorts: { id: 'asc' }, perPage: 2 })
      return items.map(({ _version }) => _version)
    }
    const before = await versions()
    expect(await versions()).toEqual(before)
    expect((await api.post('row-table-action/orders/count/1')).status).toBe(200)
    const after = await versions()
    expect([after[0] === before[0], after[1] === before[1]]).toEqual([false, true])
  })

  it('comes with the rows that are read again', async () => {
    const [item] = await read('orders', { include: ['version'], sorts: { id: 'asc' }, perPage: 1 })
    const one = await api.post('row-refetch/orders/1', { include: ['version'] })
    const several = await api.post('multi-row-refetch/orders', { row_ids: [1], include: ['version'] })
    expect([one.json.data.row._version, several.json.items[0]._version]).toEqual([item?._version, item?._version])
  })

  it('is a text of one length that reveals nothing of the row', async () => {
    const items = await read('orders', { include: ['version'], perPage: 5 })
    expect(items.map(({ _version }) => /^[\w-]{22}([\w-]{6})*$/.test(_version))).not.toContain(false)
    expect(new Set(items.map(({ _version }) => _version)).size).toBe(items.length)
  })
})

describe('the version column of a table', () => {
  const notes = pgTable('versioned_notes', {
    id: integer().primaryKey(),
    body: text(),
    changed_at: timestamp({ withTimezone: true, mode: 'string' }).notNull(),
  })
  const everything = { key: 'id', scope: everyRow, columns: { body: { label: 'Body' } } } as const
  const view = pgTable('note_view', { id: integer().primaryKey(), body: text(), changed_at: timestamp().notNull() })
  const registry = createRegistry(
    [
      defineFixture({ name: 'notes', from: notes, version: 'changed_at', ...everything }),
      defineFixture({ name: 'note_view', from: view, ...everything }),
      defineFixture({ name: 'versioned_view', from: view, version: 'changed_at', ...everything }),
    ],
    { claims: fixtureClaims },
  )

  it('is what versions are made of, also for a view, which has none without it', async () => {
    const client = postgres(api.databaseUrl, { max: 1 })
    await client.unsafe(`
      create table versioned_notes (id integer primary key, body text, changed_at timestamptz);
      create view note_view as select id, body, changed_at from versioned_notes;
      insert into versioned_notes values (1, 'one', '2026-01-01'), (2, 'two', null);
      grant select on versioned_notes, note_view to public`)
    const served = api.variant({}, registry)
    const versions = async (table: string) =>
      (await served.post(`query-table/${table}`, { include: ['version'] })).json.items.map(({ _version }: ShapedItem) =>
        _version.slice(0, 22),
      )
    const before = await versions('notes')
    const ofView = await versions('versioned_view')
    await client.unsafe(`update versioned_notes set body = 'same version'`)
    expect([await versions('notes'), await versions('versioned_view')]).toEqual([before, ofView])
    await client.unsafe(`update versioned_notes set changed_at = '2026-01-02'`)
    expect((await versions('notes')).filter((version: string) => before.includes(version))).toEqual([])
    const refused = await served.post('query-table/note_view', { include: ['raw', 'version'] })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'include.1' })
    expect(refused.json.fields['include.1'][0]).toBe('must be one of: raw, matches, selection')
    await client.end()
  })

  it('must be an attribute of the table', () => {
    const wrong = { name: 'wrong', from: notes, ...everything, version: 'nope' as never }
    expect(() => createRegistry([defineFixture(wrong)], { claims: fixtureClaims })).toThrow(
      'the version "nope" is not an attribute of the table',
    )
  })
})

describe('columns', () => {
  it('limit items to these and their id', async () => {
    const items = await read('products', { columns: ['name', 'stock'], perPage: 3 })
    expect(items.map((item) => Object.keys(item))).toEqual(items.map(() => ['id', 'name', 'stock']))
    const whole = await read('products', { perPage: 3 })
    expect(whole).toMatchObject(items)
  })

  it('keep the actions of rows where NA is among them', async () => {
    const [whole, chosen, withActions] = await Promise.all([
      read('tasks', {}),
      read('tasks', { columns: ['short'] }),
      read('tasks', { columns: ['short', 'NA'] }),
    ])
    expect(withActions).toEqual(whole)
    expect(chosen).toEqual(whole.map(({ id, ...item }) => ({ id, short: Reflect.get(item, 'short') })))
  })

  it('limit raw values as well', async () => {
    const [item] = await read('products', { columns: ['name'], include: ['raw', 'version'], perPage: 1 })
    expect(Object.keys(item ?? {})).toEqual(['id', 'name', '_raw', '_version'])
    expect(Object.keys(item?._raw ?? {})).toEqual(['name'])
  })

  it('mean all columns where the list is empty', async () => {
    expect(await read('products', { columns: [] })).toEqual(await read('products', {}))
  })

  it('read nothing else from the database', async () => {
    parcels.statements()
    const body = { columns: ['note'], sorts: { code: 'asc' }, filters: { weight: '5' }, perPage: 2 }
    await parcels.api.post('query-table/parcels', body)
    const texts = parcels.statements().map(({ text }) => text)
    expect(texts).toHaveLength(1)
    const named = [...(texts[0] ?? '').matchAll(/"parcels"\."(\w+)"/g)].map(([, column]) => column)
    expect([...new Set(named)].sort()).toEqual(['code', 'id', 'note', 'weight'])
    expect(texts[0]).not.toContain('join')
  })

  it('give virtual columns the row that they are made of', async () => {
    const [whole] = await read('samples', { perPage: 1 })
    const [item] = await read('samples', { columns: ['sum', 'anchor', 'place'], perPage: 1 })
    const { id, sum, anchor, place } = whole as never as Record<string, unknown>
    expect(item).toEqual({ id, sum, anchor, place })
  })

  it('page on by the same cursor', async () => {
    const first = (await api.post('query-table/products', { columns: ['name'], perPage: 2 })).json
    const second = (
      await api.post('query-table/products', { columns: ['name'], perPage: 2, cursor: first.pagination.next_cursor })
    ).json
    const both = await read('products', { columns: ['name'], perPage: 4 })
    expect([...first.items, ...second.items]).toEqual(both)
  })

  it('are returned by load-table, which reads them as JSON from the query', async () => {
    const { json } = await api.get(
      `load-table/products/true?columns=${encodeURIComponent('["name"]')}&include=${encodeURIComponent('["version"]')}`,
    )
    expect(Object.keys(json.data[0])).toEqual(['id', 'name', '_version'])
    expect(json.columns.length).toBeGreaterThan(1)
  })

  it('are the same to a caller who must not know of one as if it did not exist', async () => {
    const [hidden, unknown] = await Promise.all(
      ['price', 'nope'].map((column) => api.post('query-table/deals', { columns: ['name', column] })),
    )
    expect(hidden?.json.fields['columns.1'][0]).toBe('must be one of: id, name, stock')
    expect(unknown?.json.fields).toEqual(hidden?.json.fields)
  })
})

describe.each(['query-table/products', 'row-refetch/products/1', 'multi-row-refetch/products'])('%s', (path) => {
  it.each([
    ['include', 'raw'],
    ['include', { raw: true }],
    ['include.0', ['matched']],
    ['include.1', ['raw', null]],
    ['columns', 'name'],
    ['columns.0', ['nope']],
    ['columns.0', [5]],
    ['columns', Array.from({ length: 1_001 }, () => 'name')],
  ])('refuses at %s the value %j', async (field, value) => {
    const [key = ''] = field.split('.')
    const refused = await api.post(path, { row_ids: [1], [key]: value })
    expectFailure(refused, { status: 422, code: 'validation_failed', field })
  })
})

it.each(['load-table/products', 'load-table/products/true'])(
  'a misspelt include is refused by %s, with and without rows',
  async (path) => {
    expectFailure(await api.get(`${path}?include=rows`), { status: 422, code: 'validation_failed', field: 'include' })
  },
)

it('a request without include and columns sends the statement that it always did', async () => {
  parcels.statements()
  await parcels.api.post('query-table/parcels', { perPage: 5 })
  await parcels.api.post('query-table/parcels', { perPage: 5, include: [], columns: null })
  const [plain, empty] = parcels.statements()
  expect(empty).toEqual(plain)
  expect(plain?.text).not.toContain('xmin')
})
