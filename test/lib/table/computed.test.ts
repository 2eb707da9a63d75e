import { and, eq, type SQL, sql } from 'drizzle-orm'
import { alias, QueryBuilder } from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import { createRegistry, everyRow, type Table } from '../../../lib/index.ts'
import { startFixtureApi } from '../../support/fixtures/fixture-api.ts'
import { samples, suppliers } from '../../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims } from '../../support/fixtures/identities.ts'

const api = await startFixtureApi()

const valid = { name: 'valid', from: samples, key: 'id', scope: everyRow, columns: {} } as const
const register = (changes: object) => () =>
  createRegistry([{ definition: { ...valid, ...changes } } as unknown as Table<Record<string, unknown>>])

const query = new QueryBuilder()
const other = alias(suppliers, 'other')

describe('a computed value', () => {
  it.each<[string, SQL]>([
    ['in plain sight', sql`upper(${suppliers.name})`],
    ['deep inside', sql`coalesce(${and(eq(samples.short, suppliers.name))}, false)`],
    ['in a list', sql`${samples.short} in ${[suppliers.name]}`],
  ])('may not name another table %s', (_, made) => {
    expect(register({ computed: { made } })).toThrow(
      'the computed "made" names suppliers.name; use a relation column or a subquery',
    )
  })

  it.each<[string, SQL]>([
    ['written', sql`(select ${suppliers.name} from ${suppliers} limit 1)`],
    ['written by hand', sql`(select max(${suppliers.name}) from suppliers)`],
    ['built', sql`(${query.select({ name: suppliers.name }).from(suppliers).limit(1)})`],
    ['built over an alias', sql`(${query.select({ name: other.name }).from(other).limit(1)})`],
  ])('may name another table in a subquery that is %s', (_, made) => {
    expect(register({ computed: { made } })).not.toThrow()
  })

  it.each<[string, SQL]>([
    ['by itself', sql`rank() over (order by ${samples.id})`],
    ['inside another call', sql`coalesce(sum(${samples.id}) filter (where true) OVER(), 0)`],
    ['beside a subquery', sql`(select 1) + (row_number() over /* all */ ())`],
  ])('may not call a window function %s', (_, made) => {
    expect(register({ computed: { made } })).toThrow(
      'the computed "made" calls a window function, whose value depends on the rows that a request selects',
    )
  })

  it.each<[string, SQL]>([
    [
      'in a subquery',
      sql`(select coalesce(place, 0) from (select id, (rank() over (order by id)) as place from samples) s)`,
    ],
    ['in an array', sql`array(with s as (select 1) select rank() over (order by id) from samples)`],
    ['in a text', sql`concat('rank() over (order by id)', "over")`],
  ])('may name a window function %s', (_, made) => {
    expect(register({ computed: { made } })).not.toThrow()
  })

  it('must say how its cells look', () => {
    const createTable = (column: object) =>
      register({ computed: { made: sql`1` }, columns: { made: { label: 'Made', ...column } } })
    expect(createTable({})).toThrow('the column "made" needs a type or a format, because only Postgres knows the type')
    expect(createTable({ type: 'number' })).not.toThrow()
    expect(createTable({ format: () => 1 })).not.toThrow()
  })

  it("reaches the author's functions as its mapWith makes it, unless it is null", async () => {
    const seen: unknown[] = []
    const table = defineFixture({
      ...valid,
      computed: {
        mapped: sql`(${samples.id} * 1.5)::numeric`.mapWith(Number),
        plain: sql<string>`(${samples.id} * 1.5)::numeric`,
        none: sql`null::numeric`.mapWith(Number),
      },
      columns: {
        id: { label: 'ID' },
        mapped: { label: 'Mapped', format: (value) => value + 1 },
        plain: { label: 'Plain', type: 'number' },
        none: { label: 'None', type: 'number' },
        all: { label: 'All', value: ({ mapped, plain, none }) => seen.push(mapped, plain, none) },
      },
      maxPerPage: 100,
    })
    const { json } = await api
      .variant({}, createRegistry([table], { claims: fixtureClaims }))
      .post('query-table/valid', { perPage: 1 })
    expect(json.items[0]).toMatchObject({ id: 1, mapped: 2.5, plain: 1.5, none: null })
    expect(seen).toEqual([1.5, '1.5', null])
  })
})
