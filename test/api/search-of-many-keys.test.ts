import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { afterAll, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'

const regions = pgTable('visited_regions', { id: integer().primaryKey(), name: text() })
const places = pgTable('visited_places', { id: integer().unique(), name: text(), region_id: integer() })
const visits = pgTable('place_visits', { id: integer().primaryKey(), note: text(), place_id: integer() })

const base = {
  from: visits,
  key: 'id',
  scope: everyRow,
  relations: {
    place: {
      table: places,
      on: { place_id: 'id' },
      relations: { region: { table: regions, on: { region_id: 'id' } } },
    },
  },
  columns: {
    id: { label: 'ID' },
    note: { label: 'Note', search: true },
    place__name: { label: 'Place', search: true },
    place__region__name: { label: 'Region', search: true },
  },
} as const

const table = defineFixture({ ...base, name: 'place_visits' })
const estimated = defineFixture({ ...base, name: 'estimated_visits', count: 'estimated' })

const fixture = await startFixtureApi()
const api = fixture.variant({}, createRegistry([table, estimated], { claims: fixtureClaims }))
const database = postgres(fixture.databaseUrl, { max: 1 })
// 3,000 places, of which one has no key, and 4,000 visits, of which every seventh has no place.
await database.unsafe(`
  create table visited_regions (id integer primary key, name text);
  create table visited_places (id integer unique, name text, region_id integer);
  create table place_visits (id integer primary key, note text, place_id integer);
  insert into visited_regions values (1, 'Coast'), (2, 'Hills');
  insert into visited_places select nullif(id, 3000), 'Harbour ' || id, 1 + id % 2 from generate_series(1, 3000) id;
  insert into place_visits select id, case when id % 10 = 0 then 'by the harbour' end, case when id % 7 > 0 then id % 3100 end
    from generate_series(1, 4000) id;
  analyze visited_regions, visited_places, place_visits;
  grant select on visited_regions, visited_places, place_visits to public`)
afterAll(() => database.end())

it.each(['harbour', 'harbour 12', 'harbour 2999', 'coast', 'hills', 'harbour coast', 'ha', 'nowhere'])(
  'finds the rows of any number of keys of a relation: %s',
  async (search) => {
    // Words of two characters begin a word.
    const patterns = search.split(' ').map((word) => (word.length > 2 ? word : `\\m${word}`))
    const found = await database`
      select v.id from place_visits v left join visited_places p on p.id = v.place_id left join visited_regions r on r.id = p.region_id
      where (select bool_and(concat_ws(' ', v.note, p.name, r.name) ~* pattern) from unnest(${patterns}::text[]) pattern) order by v.id`
    const { status, json, text: answer } = await api.post('query-table/place_visits', { search, perPage: 50 })
    expect(status, answer).toBe(200)
    expect(json.pagination).toMatchObject({ total: found.length, total_kind: 'exact' })
    expect(json.items.map(({ id }: { id: number }) => id)).toEqual(found.slice(0, 50).map(({ id }) => id))
    const explained = await api.post('query-table/place_visits', { search, perPage: 1, explain: true })
    expect(explained.json.explain.total).toBe(found.length)
  },
)

it('has an exact total where the table has estimated ones', async () => {
  const [exact, other] = await Promise.all(
    ['place_visits', 'estimated_visits'].map((name) => api.post(`query-table/${name}`, { search: 'harbour' })),
  )
  expect(other?.json.pagination).toEqual({ ...exact?.json.pagination, next_cursor: expect.any(String) })
})
