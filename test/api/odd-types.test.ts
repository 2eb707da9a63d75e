import { sql } from 'drizzle-orm'
import {
  alias,
  boolean,
  char,
  customType,
  date,
  integer,
  pgEnum,
  pgTable,
  point,
  text,
  timestamp,
} from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { lintDatabase } from '../../infra/scaffold/lint/lint-database.ts'
import { lintSources } from '../../infra/scaffold/lint/lint-sources.ts'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'

/** An enum that is declared by an object. Its name begins like a type. */
const mood = pgEnum('text_Mood', { Good: 'good', Bad: 'bad' })

const things = pgTable('odd_types', {
  id: integer().primaryKey(),
  state: char({ length: 8 }),
  states: char({ length: 8 }).array(),
  flags: boolean().array(),
  moments: timestamp({ withTimezone: true }).array(),
  words: text().array(),
  any_case: customType<{ data: string }>({ dataType: () => 'citext' })(),
  at: timestamp({ withTimezone: true, mode: 'string' }),
  own: customType<{ data: string }>({ dataType: () => 'timestamptz' })(),
  spot: point({ mode: 'xy' }),
  span: customType<{ data: string }>({ dataType: () => 'int4range' })(),
  photo: customType<{ data: Buffer }>({ dataType: () => 'bytea' })(),
  found: customType<{ data: string }>({ dataType: () => 'tsvector' })(),
  mood: mood(),
  moods: mood().array(),
})

const tellUnshown = ({ spot, span, ...row }: Record<'spot' | 'span', unknown>) =>
  JSON.stringify([spot, span, 'photo' in row || 'found' in row])
const operators = ['=', 'in', 'like', 'starts with', 'ends with', '!='] as const

const odd = defineFixture({
  name: 'odd_types',
  from: things,
  key: 'id',
  scope: everyRow,
  timeZone: 'Asia/Riyadh',
  computed: {
    latest: sql`greatest(${things.at}, ${things.own})`.mapWith(things.at),
    earliest: sql<string>`${things.at} at time zone 'Asia/Riyadh'`,
    day: sql<string>`${things.at}::date`,
    listed: sql<string[]>`array[${things.state}::text, null] || ${things.words}`,
    document: sql<string[]>`to_jsonb(${things.words})`,
  },
  columns: {
    state: { label: 'State', values: { open: { label: 'Open' }, done: { label: 'Done' } } },
    states: { label: 'States' },
    flags: { label: 'Flags' },
    moments: { label: 'Moments' },
    listed: { label: 'Listed', type: 'datalist' },
    document: { label: 'Document', type: 'datalist' },
    at: { label: 'At' },
    own: { label: 'Own' },
    latest: { label: 'Latest', type: 'date' },
    earliest: { label: 'Earliest', type: 'date' },
    any_case: { label: 'Any case' },
    unshown: { label: 'Unshown', value: tellUnshown },
    mood: { label: 'Mood', editable: true },
    moods: { label: 'Moods', editable: { schema: z.array(z.enum(mood.enumValues)) } },
    seen: { label: 'Seen', value: ({ state, listed }) => JSON.stringify([state, listed]) },
  },
  filters: {
    state: { type: 'text', operators: [...operators] },
    folded: { type: 'text', label: 'Folded', source: 'state', fold: true, operators: [...operators] },
    at: { label: 'At' },
    own: { label: 'Own' },
    latest: { type: 'date', label: 'Latest' },
    earliest: { type: 'date', label: 'Earliest' },
    day: { type: 'text', label: 'Day', operators: ['=', '!=', 'in', 'like'] },
    any_case: { operators: ['=', 'in', 'not in'] },
    mood: {},
    mood_text: { type: 'text', label: 'Mood', source: 'mood' },
    cases: { type: 'select', label: 'Cases', source: 'any_case', options: { search: true } },
    choice: { type: 'multi_select', label: 'Choice', source: 'state', options: { open: 'Open', done: 'Done' } },
  },
  rowActions: { tell: { run: ({ row }) => ({ message: tellUnshown(row) }) } },
  bulkActions: { csv: { export: 'csv', response: 'instant', label: 'CSV' } },
})

const dates = pgTable('odd_dates', {
  id: integer().primaryKey(),
  day: date(),
  at: timestamp({ withTimezone: true, mode: 'string' }),
  clock: timestamp({ mode: 'string' }),
})

const oddDates = defineFixture({
  name: 'odd_dates',
  from: dates,
  key: 'id',
  scope: everyRow,
  columns: { day: { label: 'Day' }, at: { label: 'At' }, clock: { label: 'Clock' } },
  filters: {
    has_day: { type: 'null', label: 'Day', source: 'day' },
    has_at: { type: 'null', label: 'At', source: 'at' },
    has_clock: { type: 'null', label: 'Clock', source: 'clock' },
  },
})

const moments = pgTable('odd_moments', {
  id: integer().primaryKey(),
  at: timestamp(),
  instant: timestamp({ withTimezone: true }),
  day: date({ mode: 'date' }),
})

const oddMoments = defineFixture({
  name: 'odd_moments',
  from: moments,
  key: 'id',
  scope: everyRow,
  columns: {
    at: { label: 'At', editable: { schema: z.string().transform((text) => new Date(text)) } },
    seen: { label: 'Seen', value: ({ at, instant, day }) => JSON.stringify([at, instant, day]) },
  },
})

const viewed = pgTable('odd_view', { id: integer().primaryKey(), place: integer().notNull(), boss_id: integer() })

const oddView = defineFixture({
  name: 'odd_view',
  from: viewed,
  key: 'id',
  scope: everyRow,
  relations: { boss: { table: alias(viewed, 'boss_of'), on: { boss_id: 'id' } } },
  computed: {
    data: sql<unknown>`coalesce(jsonb_build_object('place', ${viewed.place}))`,
    clock: sql<string>`time '12:00'`,
  },
  columns: {
    id: { label: 'ID' },
    place: { label: 'Place', sortable: true },
    boss__place: { label: 'Place of the boss' },
    data: { label: 'Data', format: () => '', sortable: true },
    clock: { label: 'Clock', type: 'date', pattern: 'HH:mm' },
  },
  filters: { clock: {}, data: { type: 'number', label: 'Data' } },
})

const fixture = await startFixtureApi()
const registry = createRegistry([odd, oddDates, oddMoments, oddView], { claims: fixtureClaims })
const api = fixture.variant({}, registry)

const database = postgres(fixture.databaseUrl, { max: 1 })
await database.unsafe(`
  create extension citext;
  create type "text_Mood" as enum ('good', 'bad');
  create table odd_types (id integer primary key, state char(8), states char(8)[], flags boolean[], moments timestamptz[], words text[],
    any_case citext, at timestamptz, own timestamptz, spot point, span int4range, photo bytea, found tsvector, mood "text_Mood", moods "text_Mood"[]);
  insert into odd_types values
    (1, 'open', '{open,done}', '{t,null,f}', '{2026-01-31 22:30Z}', '{a,b}', 'Abc', '2026-01-31 22:30Z', '2026-01-31 22:30Z'),
    (2, 'done', null, null, null, '{}', 'abc', '2026-01-31 20:30Z', '2026-01-31 20:30Z'), (3, null, '{}', '{}', null, null, null, null, null);
  create table odd_dates (id integer primary key, day date, at timestamptz, clock timestamp);
  insert into odd_dates select id, value::date, value::timestamptz, value::timestamp
    from (values (1, '2026-01-31'), (2, 'infinity'), (3, '-infinity'), (4, null), (5, '2026-02-01')) given (id, value);
  create table odd_moments (id integer primary key, at timestamp, instant timestamptz, day date);
  insert into odd_moments select id, value::timestamp, value::timestamptz, value::date from (values (1, '0001-01-01'),
    (2, 'infinity'), (3, '-infinity'), (4, '0044-03-15 BC'), (5, '0050-02-28 12:30'), (6, '2026-01-31'), (7, null)) given (id, value);
  create view odd_view as select id, case when id % 3 > 0 then id end as place, id - 1 as boss_id from generate_series(1, 10) id;
  update odd_types set mood = 'good', spot = '(1,2)', span = '[1,5)', photo = '\\\\x00', found = 'a' where id = 1;
  grant update on odd_types, odd_moments to public;
  grant select on odd_types, odd_dates, odd_moments, odd_view to public`)
afterAll(() => database.end())

const ask = async (body: object, table = 'odd_types') => (await api.post(`query-table/${table}`, body)).json
const ids = ({ items }: { items: readonly { id: number }[] }) => items.map(({ id }) => id)
const find = async (field: string, operator: string, value: unknown) =>
  ids(await ask({ filters: [{ field, operator, value }] }))

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

it('reads a date as its moment for functions, and an infinite one as the furthest Date', async () => {
  const { items } = await ask({}, 'odd_moments')
  const seen = items.map((item: { seen: string }) => JSON.parse(item.seen))
  const same = (at: string | null, day = at) => [at, at, day]
  expect(seen).toEqual([
    same('0001-01-01T00:00:00.000Z'),
    same('+275760-09-13T00:00:00.000Z'),
    same('-271821-04-20T00:00:00.000Z'),
    same('-000043-03-15T00:00:00.000Z'),
    same('0050-02-28T12:30:00.000Z', '0050-02-28T00:00:00.000Z'),
    same('2026-01-31T00:00:00.000Z'),
    same(null),
  ])
})

it('refuses a cell of whose text its schema makes no date', async () => {
  const { status, json } = await api.post('row-table-action/odd_moments/update_cells/1', { cells: { at: 'soon' } })
  expect([status, json.errors[0]]).toEqual([422, expect.stringMatching(/^cells.at: must be a date such as/)])
})

it('compares a computed value of another type as a text in a text filter', async () => {
  expect(await find('day', '=', '2026-01-31')).toEqual([1, 2])
  expect(await find('day', '=', 'January')).toEqual([])
  expect(await find('day', '!=', 'January')).toEqual([1, 2, 3])
  expect(await find('day', 'in', ['2026-01-31', 'January'])).toEqual([1, 2])
})

it('takes texts of either case for one value where their type does, in filters and facets', async () => {
  expect(await find('any_case', '=', 'ABC')).toEqual([1, 2])
  expect(await find('any_case', 'in', ['ABC'])).toEqual([1, 2])
  expect(await find('any_case', 'not in', ['ABC'])).toEqual([3])
  expect((await ask({ facets: ['cases'] })).facets.cases.options).toMatchObject([{ count: 2 }])
})

it('gives functions the attributes that it cannot show, but for bytes, in cells, actions and files', async () => {
  const [whole, missing] = ['[{"x":1,"y":2},"[1,5)",false]', '[null,null,false]']
  const { items } = await ask({})
  expect(items.map(({ unshown }: { unshown: string }) => unshown)).toEqual([whole, missing, missing])
  expect((await api.post('row-table-action/odd_types/tell/1', {})).json.message).toBe(whole)
  const { text } = await api.post('bulk-table-action/odd_types/csv', {}, { headers: { accept: 'text/csv' } })
  expect(text).toContain(whole.replaceAll('"', '""'))
})

it('takes the values of an enum that is declared by an object, alone and in lists', async () => {
  expect(await find('mood', '=', 'good')).toEqual([1])
  expect(await find('mood_text', '=', 'good')).toEqual([1])
  expect(await find('mood_text', 'like', 'OO')).toEqual([1])
  const edit = async (changed: object) =>
    (await api.post('row-table-action/odd_types/update_cells/3', { cells: changed, include: ['effects'] })).json
  const cells = { mood: 'bad', moods: ['bad', 'good'] }
  expect((await edit(cells)).effects.rows).toMatchObject([cells])
  expect((await edit({ mood: 'worse' })).errors[0]).toBe('cells.mood: must be one of: good, bad')
})

describe('a view with missing values in a column that is declared not null', () => {
  it.each([
    ['begin', 'desc', 2, [9, 6, 3, 10, 8, 7, 5, 4, 2, 1]],
    ['end', 'asc', 2, [1, 2, 4, 5, 7, 8, 10, 3, 6, 9]],
    ['end behind the last page that is full', 'asc', 7, [1, 2, 4, 5, 7, 8, 10, 3, 6, 9]],
  ] as const)('is read to its end by cursors that %s with the missing values', async (_, direction, perPage, all) => {
    for (const count of ['exact', 'none', 'auto']) {
      const walked: number[] = []
      for (let cursor: string | null = null; walked.length < 20; ) {
        const sorts = [{ field: 'place', direction }]
        const { items, pagination } = await ask({ perPage, cursor, sorts, count }, 'odd_view')
        walked.push(...ids({ items }))
        cursor = pagination.next_cursor
        if (cursor === null) break
      }
      expect(walked, count).toEqual(all)
    }
  })

  it('is found by table:lint, as are computed values of a type that has no order or no such filter', async () => {
    const table = await registry.registered.get('odd_view')?.load()
    if (table === undefined) throw new Error('odd_view is not registered')
    const { findings } = await lintDatabase(database, table)
    expect(findings.map(({ rule, about }) => `${rule} ${about}`)).toContain('not-null place')
    const found = await lintSources(database, table)
    expect(found.map(({ rule, about, text }) => `${rule} ${about}: ${text}`)).toEqual([
      'computed-type data: the computed data is jsonb, which has no pages',
      'computed-type data: the number filter data compares jsonb',
      'computed-type clock: the date filter clock_from compares time without time zone',
      'computed-type clock: the date filter clock_to compares time without time zone',
    ])
  })

  it('may refer to itself by an alias of drizzle', async () => {
    expect((await ask({}, 'odd_view')).items[2]).toMatchObject({ id: 3, place: null, boss__place: 2 })
  })
})

describe('a list of booleans or times', () => {
  it('has the same texts in cells and in files', async () => {
    const [{ flags, moments }] = (await ask({})).items
    expect([flags, moments]).toEqual([['true', 'false'], ['2026-01-31T22:30:00+00:00']])
    const { text } = await api.post('bulk-table-action/odd_types/csv', {}, { headers: { accept: 'text/csv' } })
    expect(text.split('\r\n')[1]).toContain(',"true, false",2026-01-31T22:30:00+00:00,')
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

describe.each(['at', 'own', 'latest', 'earliest'])('a moment is in the time zone of its table: %s', (field) => {
  it('in cells, groups and files', async () => {
    const { items, groups } = await ask({ group_by: [{ field }] })
    const shown = ['2026-02-01 01:30', '2026-01-31 23:30', null]
    expect(items.map((item: Record<string, unknown>) => item[field])).toEqual(shown)
    const texts = groups.map(({ keys }: { keys: readonly { text: string }[] }) => keys[0]?.text)
    expect(texts).toEqual(['2026-01-31 23:30', '2026-02-01 01:30', '-'])
    const { text } = await api.post('bulk-table-action/odd_types/csv', {}, { headers: { accept: 'text/csv' } })
    expect(text.split('\r\n')[1]).toContain('2026-02-01 01:30,2026-02-01 01:30,2026-02-01 01:30,2026-02-01 01:30')
  })

  it('not in filters and their facets', async () => {
    const value = '2026-02-01'
    expect(ids(await ask({ filters: [{ field: `${field}_from`, value }] }))).toEqual([1])
    expect(ids(await ask({ filters: [{ field: `${field}_to`, value: '2026-01-31' }] }))).toEqual([2])
    const { facets } = await ask({ facets: [`${field}_from`] })
    const ranges = facets[`${field}_from`].options.map((option: { value: { from: string } }) => option.value.from)
    expect(ranges).toEqual(['2026-01-31', '2026-02-01'])
  })
})

it.each(['at', 'own', 'latest'])('a raw moment is in UTC: %s', async (field) => {
  const { items } = await ask({ include: ['raw'] })
  expect(items[0]._raw[field]).toBe('2026-01-31T22:30:00.000Z')
})

describe.each(['day', 'at', 'clock'])(
  'an infinite date is a missing value, but for filters, which an index serves: %s',
  (field) => {
    it('not in filters and their facets', async () => {
      const read = async (value: string) =>
        ids(await ask({ filters: [{ field: `has_${field}`, value }], sorts: [{ field: 'id' }] }, 'odd_dates'))
      expect(await read('set')).toEqual([1, 2, 3, 5])
      expect(await read('not_set')).toEqual([4])
      const { facets } = await ask({ facets: [`has_${field}`] }, 'odd_dates')
      const counts = facets[`has_${field}`].options.map(({ value, count }: Record<string, unknown>) => [value, count])
      expect(counts).toEqual([
        ['set', 4],
        ['not_set', 1],
      ])
    })

    it.each([
      [[], ['2026-01-31', '2026-02-01']],
      [
        ['count', 'count_empty', 'count_distinct'],
        ['2026-01-31', '2026-02-01', 2, 3, 2],
      ],
    ])('in totals, beside %j', async (others, expected) => {
      const fns = ['min', 'max', ...others]
      const { aggregates } = await ask({ aggregates: fns.map((fn) => ({ field, fn })) }, 'odd_dates')
      const totals = fns.map((fn) => aggregates[field][fn].value)
      expect(totals.map((value) => (typeof value === 'string' ? value.slice(0, 10) : value))).toEqual(expected)
    })

    it('in the totals of a group', async () => {
      const body = { group_by: [{ field }], aggregates: [{ field, fn: 'max' }] }
      const { groups } = await ask(body, 'odd_dates')
      expect(groups.at(-1)).toMatchObject({ count: 3, aggregates: { [field]: { max: { value: null, text: '-' } } } })
    })
  },
)
