import { type SQL, sql } from 'drizzle-orm'
import {
  alias,
  bigint,
  bit,
  doublePrecision,
  inet,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import { createRegistry, everyRow, type Table } from '../../lib/index.ts'

const twoPrimary = pgTable('two_primary', { a: integer().primaryKey(), b: integer().primaryKey() })
const mood = pgEnum('mood', ['good', 'bad'])
const taste = pgEnum('taste', ['good', 'bad'])
const others = pgTable('others', {
  id: integer().primaryKey(),
  rate: doublePrecision(),
  mood: mood(),
  address: inet(),
  codes: integer().array(),
  data: jsonb(),
  at: timestamp(),
})
const related = pgTable('related', {
  id: bigint({ mode: 'bigint' }).primaryKey(),
  taste: taste().unique(),
  bits: bit({ dimensions: 3 }).unique(),
  codes: text().array().unique(),
})
const joining = (on: object) => ({ relations: { made: { table: related, on } } })
const sortedBy = (made: SQL) => ({
  computed: { made },
  columns: { made: { label: 'Made', type: 'number' } },
  sortables: ['made'],
})
const long = 'المشرف_المسؤول_عن_أعمال_الصيانة'
const valid = { name: 'valid', from: others, key: 'id', scope: everyRow, columns: {} }

/** The mistakes that types refuse are cast, as an author without types would make them. */
const register = (changes: object) => () =>
  createRegistry([{ definition: { ...valid, ...changes } } as unknown as Table<Record<string, unknown>>])

describe('createRegistry refuses a table', () => {
  it.each<[string, object, RegExp]>([
    ['with a default sort of JSON', { defaultSort: ['data', 'asc'] }, /the default sort "data" is JSON, which has no/],
    ...Object.entries({
      'a key of JSON': sql`${others.data} -> 'rank'`,
      'a bound key of JSON': sql`(${others.data}->${'rank'})`,
      'made JSON': sql`to_jsonb(${others.at})`,
    }).map(([title, made]): [string, object, RegExp] => [
      `with a sortable that is ${title}`,
      sortedBy(made),
      /the sortable "made" is JSON, and pages sorted by it would leave out rows; read a text by ->>/,
    ]),
    ...Object.entries({
      'an age in seconds': sql`extract(epoch from now() - ${others.at})`,
      'an age': sql`age(CURRENT_TIMESTAMP, ${others.at})`,
      random: sql`random()`,
    }).map(([title, made]): [string, object, RegExp] => [
      `with a sortable that is ${title}`,
      sortedBy(made),
      /the sortable "made" moves with the clock, and pages sorted by it would leave out rows/,
    ]),
    ['over an alias', { from: alias(others, 'other') }, /"other" is an alias; name the table itself as from/],
    [
      'with a key that is a part of the primary key',
      { from: twoPrimary, key: 'a', columns: {} },
      /the key "a" must be a primary key, or unique and not null/,
    ],
    [
      'with a primary key whose attribute may be missing',
      {
        from: pgTable('late', { id: integer(), a: integer() }, (table) => [primaryKey({ columns: [table.id] })]),
        columns: {},
      },
      /the key "id" may be missing; declare its attribute .notNull\(\)/,
    ],
    ['with a relation of two enums', joining({ mood: 'taste' }), /Postgres compares no "mood" with "taste"; give both/],
    [
      'with a relation of an address to bits',
      joining({ address: 'bits' }),
      /compares no inet with bit\(3\); give both/,
    ],
    ['with a relation of two lists', joining({ codes: 'codes' }), /compares no integer\[\] with text\[\]; give both/],
    [
      'with a relation of a float to a whole number',
      joining({ rate: 'id' }),
      /joins rate to id, and two different numbers may be equal as double precision; give both one type/,
    ],
    [
      'with relations whose names are equal as far as Postgres reads them',
      {
        relations: {
          [long]: {
            table: others,
            on: { id: 'id' },
            relations: {
              مدينة_الميلاد: { table: others, on: { id: 'id' } },
              مدينة_السكن: { table: others, on: { id: 'id' } },
            },
          },
        },
      },
      /Postgres cuts the names of the relations "\S+الميلاد" and "\S+السكن" to the same 63 bytes; give them shorter names/,
    ],
  ])('%s', (_, changes, message) => {
    expect(register(changes)).toThrow(message)
    expect(register({})).not.toThrow()
  })
})

it.each([
  sql`${others.data} ->> 'rank'`,
  sql`(${others.data} -> 'rank')::int`,
  sql`case when ${others.at} < now() then 1 else 2 end`,
  sql`current_date - ${others.at}::date`,
  sql`coalesce(${others.data} ->> 'at', '->')`,
])('createRegistry accepts a computed sortable that keeps its order', (made) => {
  expect(register(sortedBy(made))).not.toThrow()
})
