import { sql } from 'drizzle-orm'
import { date, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { visits } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'

const things = pgTable('odd_things', {
  id: integer().primaryKey(),
  word: text(),
  code: text(),
  day: date(),
  at: timestamp({ withTimezone: true, mode: 'string' }),
  long: text(),
})

const odd = defineFixture({
  name: 'odd_things',
  from: things,
  key: 'id',
  scope: everyRow,
  timeZone: 'Asia/Riyadh',
  computed: {
    prefixed: sql<string>`${'no '} || ${things.code}`,
    eve: sql`${things.day} - ${1}::integer`,
    moved: sql`${things.at} - interval '1 hour'`.mapWith(things.at),
    delay: sql`${things.at} + interval '90 minutes' - ${things.at}`,
  },
  columns: {
    id: { label: 'ID' },
    word: { label: 'Word', collation: 'sv' },
    code: { label: 'Code', collation: 'natural' },
    prefixed: { label: 'Prefixed', type: 'text', collation: 'natural' },
    day: { label: 'Day' },
    at: { label: 'At' },
    long: { label: 'Long' },
    eve: { label: 'Eve', type: 'date', pattern: 'dd.MM.yyyy' },
    moved: { label: 'Moved', type: 'date', pattern: 'dd.MM.yyyy HH:mm' },
    delay: { label: 'Delay', type: 'date', pattern: 'HH:mm' },
  },
})

const dated = defineFixture({
  name: 'dated',
  from: visits,
  key: 'id',
  scope: everyRow,
  timeZone: 'Asia/Riyadh',
  columns: { at: { label: 'At', type: 'date', pattern: 'yyyy-MM-dd' } },
})

const fixture = await startFixtureApi()
const api = fixture.variant({}, createRegistry([odd, dated], { claims: fixtureClaims }))

const long = (end: string) => `${'long '.repeat(60_000)}${end}`
const database = postgres(fixture.databaseUrl, { max: 1 })
await database.unsafe(`
  create collation if not exists "natural" (provider = icu, locale = 'und-u-kn-true');
  create table odd_things (id integer primary key, word text, code text, day date, at timestamptz, long text);
  grant select on odd_things to public`)
const rows = [
  [1, 'zebra', 'A10', '0044-03-15 BC', '0044-03-15 12:00Z BC', long('a')],
  [2, 'öl', 'A2', '0044-03-15', '0044-03-15 12:00Z', long('b')],
  [3, 'Apfel', 'a1', '2026-01-31', '2026-01-31 12:00Z', long('b')],
  [4, 'ändern', 'B1', '2026-02-01', '2026-02-01 12:00Z', 'short'],
  [5, null, null, null, null, null],
  [6, null, 'C1', null, null, null],
] as const
for (const [id, word, code, day, at, value] of rows)
  await database`insert into odd_things values (${id}, ${word}, ${code}, ${day}::text::date, ${at}::text::timestamptz, ${value})`
await database.end()

const ask = async (body: object) => (await api.post('query-table/odd_things', { perPage: 100, ...body })).json

interface Group {
  readonly keys: readonly { readonly value: unknown; readonly text: string }[]
  readonly count: number
  readonly token: string
}

const ids = ({ items }: { items: readonly { id: number }[] }) => items.map(({ id }) => id).toSorted()

it.each([
  ['word', ['Apfel', 'zebra', 'ändern', 'öl', null]],
  ['code', ['a1', 'A2', 'A10', 'B1', 'C1', null]],
  ['prefixed', ['no a1', 'no A2', 'no A10', 'no B1', 'no C1', null]],
])('groups of %s come in the order of its collation, on each page', async (field, order) => {
  const whole = await ask({ group_by: [{ field }] })
  expect(whole.groups.map(({ keys }: Group) => keys[0]?.value)).toEqual(order)
  const paged: unknown[] = []
  for (let after: string | null | undefined; after !== null; ) {
    const { groups, groups_next } = await ask({ group_by: [{ field }], groups_page: { limit: 1, after } })
    paged.push(...groups.map(({ keys }: Group) => keys[0]?.value))
    after = groups_next
  }
  expect(paged).toEqual(order)
  for (const { token, count } of whole.groups) expect(ids(await ask({ group: token }))).toHaveLength(count)
})

it.each<[object, readonly (readonly unknown[])[]]>([
  [
    { field: 'day' },
    [
      ['0044-03-15 BC', '0044-03-15 BC'],
      ['0044-03-15', '0044-03-15'],
    ],
  ],
  [
    { field: 'day', bucket: 'day' },
    [
      ['0044-03-15 BC', '0044-03-15 BC'],
      ['0044-03-15', '0044-03-15'],
    ],
  ],
  [
    { field: 'day', bucket: 'month' },
    [
      ['0044-03-01 BC', '0044-03 BC'],
      ['0044-03-01', '0044-03'],
    ],
  ],
  [
    { field: 'day', bucket: 'year' },
    [
      ['0044-01-01 BC', '0044 BC'],
      ['0044-01-01', '0044'],
    ],
  ],
  [
    { field: 'at', bucket: 'quarter' },
    [
      ['0044-01-01 BC', '0044-Q1 BC'],
      ['0044-01-01', '0044-Q1'],
    ],
  ],
])('groups of %j tell years before 1 from those after', async (key, first) => {
  const { groups } = await ask({ group_by: [key] })
  const shown = groups.map(({ keys }: Group) => [keys[0]?.value, keys[0]?.text])
  expect(shown.slice(0, 2)).toEqual(first)
  expect(ids(await ask({ group: groups[0].token }))).toEqual([1])
  expect(ids(await ask({ group: groups[1].token }))).toEqual([2])
})

it('groups of quarters are named in the language of the caller', async () => {
  const body = { group_by: [{ field: 'at', bucket: 'quarter' }] }
  const { json } = await api.post('query-table/odd_things', body, { headers: { ln: 'ar' } })
  expect(json.groups.slice(0, 2).map(({ keys }: Group) => keys[0]?.text)).toEqual([
    'الربع الأول 0044 BC',
    'الربع الأول 0044',
  ])
})

it('groups of huge texts have short tokens, which open exactly their rows', async () => {
  const { groups } = await ask({ group_by: [{ field: 'long' }], columns: ['id'] })
  expect(groups.map(({ count }: Group) => count)).toEqual([1, 2, 1, 2])
  for (const { token } of groups) expect(token.length).toBeLessThan(2_000)
  const opened = await Promise.all(groups.map(({ token }: Group) => ask({ group: token, columns: ['id'] })))
  expect(opened.map(ids)).toEqual([[1], [2, 3], [4], [5, 6]])
  const within = await ask({ group: groups[1].token, group_by: [{ field: 'word' }], columns: ['id'] })
  expect(within.groups.map(({ count }: Group) => count)).toEqual([1, 1])
  const next = await ask({ group_by: [{ field: 'long' }], groups_page: { limit: 1 }, columns: ['id'] })
  const after = next.groups_next
  const second = await ask({ group_by: [{ field: 'long' }], groups_page: { limit: 1, after }, columns: ['id'] })
  expect(second.groups[0]?.count, JSON.stringify(second).slice(0, 300)).toBe(2)
})

it.each<[object, readonly (readonly unknown[])[]]>([
  [
    { field: 'eve' },
    [
      ['0044-03-14 BC', '14.03.0044 BC'],
      ['0044-03-14', '14.03.0044'],
      ['2026-01-30', '30.01.2026'],
      ['2026-01-31', '31.01.2026'],
      [null, '-'],
    ],
  ],
  [
    { field: 'eve', bucket: 'month' },
    [
      ['0044-03-01 BC', '0044-03 BC'],
      ['0044-03-01', '0044-03'],
      ['2026-01-01', '2026-01'],
      [null, '-'],
    ],
  ],
  [
    { field: 'moved', bucket: 'year' },
    [
      ['0044-01-01 BC', '0044 BC'],
      ['0044-01-01', '0044'],
      ['2026-01-01', '2026'],
      [null, '-'],
    ],
  ],
  [
    { field: 'delay' },
    [
      ['01:30', '01:30'],
      [null, '-'],
    ],
  ],
])('groups by dates that a computed column makes, in their order: %j', async (group, expected) => {
  const { groups } = await ask({ group_by: [group] })
  expect(groups.map(({ keys }: Group) => [keys[0]?.value, keys[0]?.text])).toEqual(expected)
  for (const { token, count } of groups) expect(ids(await ask({ group: token }))).toHaveLength(count)
})

it('writes the value of a date as ISO text, whatever the pattern of its column', async () => {
  const { groups } = await ask({ group_by: [{ field: 'moved' }] })
  expect(groups.slice(2, 4).map(({ keys }: Group) => keys[0])).toEqual([
    { value: '2026-01-31T11:00Z', text: '31.01.2026 14:00' },
    { value: '2026-02-01T11:00Z', text: '01.02.2026 14:00' },
  ])
  for (const { token, count } of groups) expect(ids(await ask({ group: token }))).toHaveLength(count)
})

it('groups end with the page of the missing values, behind which another key may still have values', async () => {
  const pages: unknown[] = []
  const group_by = [{ field: 'word' }, { field: 'code' }]
  for (let after: string | null | undefined; after !== null; ) {
    const page = await ask({ group_by, groups_page: { limit: 1, after } })
    expect(page.groups).toHaveLength(1)
    pages.push(page.groups[0].keys.map(({ value }: { value: unknown }) => value))
    after = page.groups_next
  }
  expect(pages.slice(-2)).toEqual([
    [null, 'C1'],
    [null, null],
  ])
  expect(pages).toHaveLength(6)
})

it('days of a column that hides the time begin in the time zone of the table alone', async () => {
  for (const time_zone of ['UTC', 'Asia/Tokyo']) {
    const group_by = [{ field: 'at', bucket: 'day' }]
    const { json } = await api.post('query-table/dated', { group_by, time_zone })
    const days = json.groups.map(({ keys, count }: Group) => [keys[0]?.value, count])
    expect(days).toEqual([
      ['2026-01-31', 1],
      ['2026-02-01', 1],
      ['2026-02-28', 1],
      ['2026-03-01', 1],
      [null, 1],
    ])
    const opened = await api.post('query-table/dated', { group: json.groups[1].token, time_zone })
    expect(ids(opened.json)).toEqual([2])
  }
})
