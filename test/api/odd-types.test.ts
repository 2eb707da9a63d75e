import { sql } from 'drizzle-orm'
import { char, integer, pgTable, text } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { afterAll, describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'

const things = pgTable('odd_types', {
  id: integer().primaryKey(),
  state: char({ length: 8 }),
  states: char({ length: 8 }).array(),
  words: text().array(),
})

const operators = ['=', 'in', 'like', 'starts with', 'ends with', '!='] as const

const odd = defineFixture({
  name: 'odd_types',
  from: things,
  key: 'id',
  scope: everyRow,
  computed: {
    listed: sql<string[]>`array[${things.state}::text, null] || ${things.words}`,
    document: sql<string[]>`to_jsonb(${things.words})`,
  },
  columns: {
    state: { label: 'State', values: { open: { label: 'Open' }, done: { label: 'Done' } } },
    states: { label: 'States' },
    listed: { label: 'Listed', type: 'datalist' },
    document: { label: 'Document', type: 'datalist' },
    seen: { label: 'Seen', value: ({ state, listed }) => JSON.stringify([state, listed]) },
  },
  filters: {
    state: { type: 'text', operators: [...operators] },
    folded: { type: 'text', label: 'Folded', source: 'state', fold: true, operators: [...operators] },
    choice: { type: 'multi_select', label: 'Choice', source: 'state', options: { open: 'Open', done: 'Done' } },
  },
  bulkActions: { csv: { export: 'csv', response: 'instant', label: 'CSV' } },
})

const fixture = await startFixtureApi()
const api = fixture.variant({}, createRegistry([odd], { claims: fixtureClaims }))
afterAll(() => fixture.stop())

const database = postgres(fixture.databaseUrl, { max: 1 })
await database.unsafe(`
  create table odd_types (id integer primary key, state char(8), states char(8)[], words text[]);
  insert into odd_types values (1, 'open', '{open,done}', '{a,b}'), (2, 'done', null, '{}'), (3, null, '{}', null);
  grant select on odd_types to public`)
await database.end()

const ask = async (body: object) => (await api.post('query-table/odd_types', body)).json
const ids = ({ items }: { items: readonly { id: number }[] }) => items.map(({ id }) => id)

describe('a text that Postgres pads with spaces', () => {
  it('has no padding in cells, raw values, lists, rows of functions and files', async () => {
    const { items } = await ask({ include: ['raw'] })
    expect(items.map(({ state }: { state: unknown }) => state)).toEqual(['open', 'done', null])
    expect(items[0]).toMatchObject({ states: ['open', 'done'], _raw: { state: 'open' }, seen: expect.any(String) })
    expect(JSON.parse(items[0].seen)[0]).toBe('open')
    const { text } = await api.post('bulk-table-action/odd_types/csv', {}, { headers: { accept: 'text/csv' } })
    expect(text.split('\r\n')[1]).toMatch(/^Open,"open, done"/)
  })

  it.each(['state', 'folded'])('is found by the text of its cell, whatever the operator: %s', async (field) => {
    for (const operator of ['=', 'like', 'starts with', 'ends with'])
      expect(ids(await ask({ filters: [{ field, operator, value: 'open' }] })), operator).toEqual([1])
    expect(ids(await ask({ filters: [{ field, operator: 'in', value: ['open'] }] }))).toEqual([1])
    expect(ids(await ask({ filters: [{ field, operator: '!=', value: 'open' }] }))).toEqual([2, 3])
  })

  it('has the same value in cells, groups and facets', async () => {
    const { groups, facets } = await ask({ group_by: [{ field: 'state' }], facets: ['choice'] })
    expect(groups.map(({ keys }: { keys: unknown }) => keys)).toEqual([
      [{ value: 'done', text: 'Done' }],
      [{ value: 'open', text: 'Open' }],
      [{ value: null, text: '-' }],
    ])
    expect(facets.choice.options.map(({ value }: { value: unknown }) => value)).toEqual(['done', 'open'])
  })
})

describe('a computed list', () => {
  it('is a list in cells and in rows of functions, without its NULLs in cells', async () => {
    const { items } = await ask({})
    const shown = items.map(({ listed, document }: Record<string, unknown>) => [listed, document])
    expect(shown).toEqual([
      [
        ['open', 'a', 'b'],
        ['a', 'b'],
      ],
      [['done'], []],
      [[], null],
    ])
    expect(JSON.parse(items[0].seen)[1]).toEqual(['open', null, 'a', 'b'])
  })

  it('is joined in files, and counted by its values', async () => {
    const { text } = await api.post('bulk-table-action/odd_types/csv', {}, { headers: { accept: 'text/csv' } })
    expect(text.split('\r\n')[1]).toContain('"open, a, b","a, b"')
    const { aggregates } = await ask({ aggregates: [{ field: 'listed', fn: 'count_distinct' }] })
    expect(aggregates.listed.count_distinct.value).toBe(3)
  })
})
