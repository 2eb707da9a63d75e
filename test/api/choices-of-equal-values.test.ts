import { customType, doublePrecision, integer, numeric, pgTable, text } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { afterAll, describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'

const samples = pgTable('equal_samples', {
  id: integer().primaryKey(),
  amount: numeric(),
  size: doublePrecision(),
  heavy: doublePrecision(),
  word: customType<{ data: string }>({ dataType: () => 'citext' })(),
  // The names that the statement of searched options has for its own values.
  v: text(),
  n: text(),
  parent_id: integer(),
})

const searched = { type: 'select', options: { search: true } } as const

const table = defineFixture({
  name: 'equal_samples',
  from: samples,
  key: 'id',
  scope: everyRow,
  relations: { parent: { table: samples, on: { parent_id: 'id' } } },
  columns: { id: { label: 'ID' } },
  filters: {
    amount: { ...searched, label: 'Amount' },
    size: { ...searched, label: 'Size' },
    word: { ...searched, label: 'Word' },
    parent_id: { label: 'Parent', type: 'select', options: { search: true, label: 'parent__n' } },
    weight: { label: 'Weight', type: 'number', source: 'heavy', operators: ['>=', '<'] },
    has_word: { label: 'Has a word', type: 'null', source: 'word' },
  },
})

const fixture = await startFixtureApi()
const api = fixture.variant({}, createRegistry([table], { claims: fixtureClaims }))
const database = postgres(fixture.databaseUrl, { max: 1 })
await database.unsafe(`
  create extension citext;
  create table equal_samples (id integer primary key, amount numeric, size float8, heavy float8, word citext, v text, n text, parent_id integer);
  insert into equal_samples values (1, 7, 0, 1e17, 'Abc', 'one', 'first', null), (2, 7.0, '-0', 1e17, 'abc', 'two', 'second', 1),
    (3, 0.00, 1.5, null, 'b', null, null, 1), (4, 'NaN', 'NaN', null, null, null, null, 3), (5, 'Infinity', '-Infinity', null, null, null, null, null),
    (6, null, null, null, null, null, null, null);
  grant select on equal_samples to public`)
afterAll(() => database.end())

const ask = async (body: object) => {
  const { status, json, text: answer } = await api.post('query-table/equal_samples', { perPage: 1, ...body })
  expect(status, answer).toBe(200)
  return json
}

interface Option {
  readonly value: unknown
  readonly label: string
  readonly count: number
}

const read = (options: readonly Option[]) => options.map(({ value, label, count }) => [value, label, count])

describe.each([
  [
    'amount',
    [
      ['7', '7', 2],
      ['0.00', '0.00', 1],
    ],
  ],
  [
    'size',
    [
      ['0', '0', 2],
      ['1.5', '1.5', 1],
    ],
  ],
  [
    'word',
    [
      ['Abc', 'Abc', 2],
      ['b', 'b', 1],
    ],
  ],
])('equal values with several texts are one choice: %s', (field, expected) => {
  it('in facets, searched options and filters', async () => {
    const { facets } = await ask({ facets: [field] })
    expect(read(facets[field].options)).toEqual(expected)
    const { bindings } = await ask({ options: { field } })
    expect(read(bindings[field]).toSorted()).toEqual(expected.toSorted())
    for (const { value, count } of facets[field].options as readonly Option[])
      expect((await ask({ filters: [{ field, value }] })).pagination.total, String(value)).toBe(count)
  })
})

it('counts set and missing values of citext once each', async () => {
  const { facets } = await ask({ facets: ['has_word'] })
  expect(read(facets.has_word.options)).toEqual([
    ['not_set', 'Not set', 3],
    ['set', 'Set', 3],
  ])
})

it('searches options whose labels are in a relation with columns of any name', async () => {
  const { bindings } = await ask({ options: { field: 'parent_id' } })
  expect(read(bindings.parent_id)).toEqual([
    ['3', '3', 1],
    ['1', 'first', 2],
  ])
})

it('counts one large binary number in a range whose ends are two numbers', async () => {
  const { facets } = await ask({ facets: ['weight'] })
  const [{ value, count }, ...others] = facets.weight.options
  expect([count, others]).toEqual([2, []])
  const filters = [
    { field: 'weight', operator: '>=', value: value.from },
    { field: 'weight', operator: '<', value: value.to },
  ]
  expect((await ask({ filters })).pagination.total).toBe(2)
})
