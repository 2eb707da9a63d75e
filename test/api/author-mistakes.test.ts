import { sql } from 'drizzle-orm'
import {
  boolean,
  char,
  customType,
  date,
  doublePrecision,
  jsonb,
  pgTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry, everyRow, type Table } from '../../lib/index.ts'
import { compileTable } from '../../lib/table/compile-table.ts'
import { countries, products, samples, suppliers } from '../support/fixtures/fixture-schema.ts'
import { defineFixture } from '../support/fixtures/identities.ts'

const valid = {
  name: 'valid',
  from: samples,
  key: 'id',
  scope: everyRow,
  columns: { short: { label: 'Short' }, details: { label: 'Details', format: () => null } },
}

/** The mistakes that types refuse are cast, as an author without types would make them. */
const register = (changes: object) => () =>
  createRegistry([{ definition: { ...valid, ...changes } } as unknown as Table<Record<string, unknown>>])

const column = (definition: object, key = 'short') => ({ columns: { [key]: { label: 'Label', ...definition } } })
const filter = (definition: object, name = 'short') => ({ filters: { [name]: { label: 'Label', ...definition } } })
const loose = pgTable('loose', { id: text(), code: text().notNull(), part: text() }, (table) => [
  uniqueIndex('part_of_loose').on(table.part).where(sql`part is not null`),
])
const graded = pgTable('graded', { id: text().primaryKey(), grade: text({ enum: ['a', 'b'] }) })
const grades = {
  ...column({ values: { a: { label: 'A' }, d: { label: 'D' } } }, 'grade'),
  ...filter({ type: 'select', options: { a: 'A', c: 'C' } }, 'grade'),
}
const citext = customType<{ data: string }>({ dataType: () => 'citext' })
const character = (dataType: string) => customType<{ data: string }>({ dataType: () => dataType })
const nested = pgTable('nested', { id: text().primaryKey(), parts: jsonb().array() })
const padded = pgTable('padded', { code: char({ length: 8 }).primaryKey() })
const lettered = pgTable('lettered', { code: character('character(8)')().primaryKey() })
const named = pgTable('named', { code: character('character varying(20)')().primaryKey() })
const caseless = pgTable('caseless', { code: citext().primaryKey() })
const switched = pgTable('switched', { on: boolean().primaryKey() })
const measured = pgTable('measured', { at: doublePrecision().primaryKey() })
const days = Array.from({ length: 900 }, (_, at) => `day${at}`)
const wide = pgTable('wide', { id: text().primaryKey(), ...Object.fromEntries(days.map((day) => [day, date()])) })
const datesOfWide = Object.fromEntries(days.map((day) => [day, { label: 'Day' }]))
const category = (definition: object) => ({ ...definition, from: products, columns: { id: { label: 'ID' } } })

describe('createRegistry', () => {
  it.each<[string, object, RegExp]>([
    [
      'that edits what it cannot',
      column({ editable: 'yes' }),
      /"short" cannot be edited, because editable must be true/,
    ],
    [
      'with an unknown rule of editing',
      column({ editable: { if: true } }),
      /has the unknown key "if"; use schema and when/,
    ],
    ['with a schema of no zod', column({ editable: { schema: {} } }), /editable.schema must be a schema of zod/],
    ['with a format that is async', column({ format: async () => '' }), /format must be a function that is not async/],
    ['with a condition of editing that is no function', column({ editable: { when: 1 } }), /when must be a function/],
    ['that edits its key', column({ editable: true }, 'id'), /"id" cannot be edited, because it is the key/],
    [
      'that edits its version',
      { ...column({ editable: true }, 'name'), from: products, version: 'name' },
      /because it is the version/,
    ],
    [
      'that edits a cell with a format',
      column({ editable: true, format: () => '' }),
      /its format may hide what it holds/,
    ],
    [
      'that edits a value of a function',
      column({ editable: true, value: () => '' }, 'own'),
      /no attribute of the table/,
    ],
    ['that edits JSON', column({ editable: { schema: z.json() } }, 'details'), /because it holds jsonb; edit/],
    [
      'that edits JSON with a format',
      column({ editable: true, format: () => '' }, 'details'),
      /because it holds jsonb/,
    ],
    ['that edits a list without a schema', column({ editable: true }, 'words'), /name them by editable.schema/],
    [
      'that edits a computed value',
      { ...column({ editable: true, type: 'text' }, 'long'), computed: { long: sql`short || short` } },
      /"long" cannot be edited, because it is no attribute of the table itself/,
    ],
    [
      'that edits a part of a time',
      column({ editable: true, pattern: 'yyyy-MM-dd' }, 'at'),
      /its pattern "yyyy-MM-dd" hides a part of what it holds/,
    ],
    [
      'that finds rows of a CSV file by a column that it does not have',
      { ...column({}), matchImportsBy: 'name' },
      /matchImportsBy is "name", which is no column of a text or a whole number/,
    ],
    ...[
      { format: () => '' },
      { values: { a: { label: 'A' } } },
      { pattern: 'yyyy', type: 'date' },
      { type: 'html' },
      { value: () => '' },
    ].map((cells): [string, object, RegExp] => [
      `that finds rows of a CSV file by cells with ${Object.keys(cells)[0]}`,
      { ...column(cells), matchImportsBy: 'short' },
      /matchImportsBy is "short", whose cells are not its values; name a column of the type text or number without/,
    ]),
    ...['_raw', '_version', '_matches', 'row'].map((key): [string, object, RegExp] => [
      `with a column called ${key}`,
      column({ value: () => '' }, key),
      new RegExp(`the column key "${key}" is reserved for a part of items; rename the attribute`),
    ]),
    [
      'with one label for two columns of a file that is edited',
      { columns: { short: { label: 'Name', editable: true }, id: { label: ' Name\r\n' } } },
      /"short" and "id" have the label "Name", by which a file of edited cells cannot tell them apart/,
    ],
    [
      'with the label of a hidden column of files',
      { columns: { short: { label: { en: 'Short', ar: 'table_control' }, editable: true } } },
      /the label "table_control" of "short" is that of a hidden column of exported files; use another label/,
    ],
    ['with half a secret', column({ sensitive: false }), /columns.short.sensitive must be true, or left out/],
    ['with a slash in its name', { name: 'a/b' }, /its name may hold letters, digits/],
    ['with an empty name', { name: '' }, /its name may hold/],
    ['named like a path', { name: '..' }, /its name may hold/],
    ['with less than 100 rows on a page', { maxPerPage: 99 }, /maxPerPage must be from 100 to 1,000/],
    ['with more than 1,000 rows on a page', { maxPerPage: 1001 }, /maxPerPage/],
    ['with half a row on a page', { maxPerPage: 100.5 }, /maxPerPage/],
    ['with a negative maxOffset', { maxOffset: -1 }, /maxOffset must be 0 or more/],
    ['with a budget of less than 100 ms', { pageBudgetMs: 99 }, /pageBudgetMs must be .* 100 to 20,000/],
    ['with actions in no place', { itemActions: 'none' }, /itemActions must be one of both, row, actions/],
    ['with a cap of nothing', { count: { capped: 0 } }, /a capped count needs a cap of 1 or more/],
    ['with an unknown way of counting', { count: 'automatic' }, /count must be "exact", "auto", "none"/],
    [
      'without a budget for counting',
      { count: { auto: { budgetMs: 0 } } },
      /budgetMs must be a whole number from 1 to 5,000/,
    ],
    [
      'that remembers totals for a day',
      { count: { auto: { rememberSeconds: 86_400 } } },
      /rememberSeconds must be .* 3,600/,
    ],
    ['with a cap of nothing for auto', { count: { auto: { cap: 0 } } }, /count.auto.cap must be a whole number from 1/],
    ['without a scope', { scope: undefined }, /it has no scope; write everyRow/],
    ['in an unknown time zone', { timeZone: 'Asia/Atlantis' }, /"Asia\/Atlantis" is not an IANA time zone/],
    ...['IST', 'EET', 'cet', '+03:00', '-0500'].map((timeZone): [string, object, RegExp] => [
      `in the time zone ${timeZone}`,
      { timeZone },
      /in full, such as "Asia\/Riyadh"/,
    ]),
    ['with a key that is no attribute', { key: 'nothing' }, /the key "nothing" is not an attribute/],
    [
      'with a key that is not unique',
      { key: 'short' },
      /the key "short" must be a primary key, or unique and not null/,
    ],
    ['with a key that is unique in part', { from: loose, key: 'part', columns: {} }, /the key "part" must be/],
    ['with a key that is unique nowhere', { from: loose, key: 'code', columns: {} }, /the key "code" must be/],
    ['with a key of padded text', { from: padded, key: 'code', columns: {} }, /the key "code" must be text, varchar/],
    ['with a key of characters', { from: lettered, key: 'code', columns: {} }, /the key "code" must be text, varchar/],
    ['with a key of any case', { from: caseless, key: 'code', columns: {} }, /two citext values can be equal and look/],
    ['with a key of true or false', { from: switched, key: 'on', columns: {} }, /a boolean tells only two rows apart/],
    [
      'with a key of binary fractions',
      { from: measured, key: 'at', columns: {} },
      /two double precision values can be/,
    ],
    ['with an option that its type lacks', { from: graded, ...grades }, /the filter "grade" offers c, which its enum/],
    ['with a label for what its type lacks', { from: graded, ...grades }, /the column "grade" has labels for d, which/],
    ['with a column of no source', column({}, 'nothing'), /the column "nothing" has no source of that name/],
    [
      'with more columns than a statement returns',
      { from: wide, columns: datesOfWide, rowActions: { go: { appliesTo: () => true, run: () => {} } } },
      /its pages read 1801 fields of each row, and 1600 is the most; show fewer columns/,
    ],
    ['with a column of an unknown relation', column({}, 'owner__name'), /the column "owner__name" has no source/],
    [
      'with a virtual column over an attribute',
      column({ value: () => null }),
      /the column "short" hides the attribute/,
    ],
    [
      'with an id that is not its key',
      { ...column({ value: () => 1 }, 'id'), from: countries, key: 'code' },
      /must be the key/,
    ],
    ['with a formatted id', column({ format: () => 'x' }, 'id'), /the column "id" cannot have a format/],
    ['with a column named row', column({ value: () => 1 }, 'row'), /the column key "row" is reserved/],
    ['with a column named actions', column({ value: () => 1 }, 'actions'), /the column key "actions" is reserved/],
    [
      'with a boolean column of texts',
      column({ type: 'boolean' }),
      /the boolean column "short" cannot show text values/,
    ],
    ['with a number column of texts', column({ type: 'number' }), /the number column "short" cannot show/],
    ['with a date column of texts', column({ type: 'date' }), /the date column "short" cannot show/],
    ['with a datalist column of texts', column({ type: 'datalist' }), /the datalist column "short" cannot show/],
    [
      'with a JSON column without a format',
      column({}, 'details'),
      /the text column "details" cannot show jsonb values/,
    ],
    [
      'with a list of JSON without a format',
      { ...column({}, 'parts'), from: nested },
      /the datalist column "parts" cannot show jsonb\[\] values without a format/,
    ],
    [
      'with a date pattern of other letters',
      column({ type: 'date', pattern: 'YYYY-DD' }, 'day'),
      /has the pattern "YYYY-DD"/,
    ],
    [
      'with a date pattern of SQL',
      column({ type: 'date', pattern: "yyyy'" }, 'day'),
      /which is not made of yyyy MM dd/,
    ],
    ['with a filter of no source', filter({ type: 'text' }, 'nothing'), /the filter "nothing" has no source "nothing"/],
    [
      'with a filter of a wrong source',
      filter({ type: 'text', source: 'none' }),
      /the filter "short" has no source "none"/,
    ],
    [
      'with a text filter over numbers',
      filter({ type: 'text' }, 'big'),
      /the text filter "big" cannot filter bigint values/,
    ],
    [
      'with a number filter over texts',
      filter({ type: 'number' }),
      /the number filter "short" cannot filter text values/,
    ],
    ['with a boolean filter over texts', filter({ type: 'boolean' }), /the boolean filter "short" cannot filter/],
    ['with a date filter over texts', filter({ type: 'date' }), /the date filter "short" cannot filter/],
    [
      'with a select over dates',
      filter({ type: 'select', options: ['x'] }, 'day'),
      /the select filter "day" cannot filter/,
    ],
    [
      'with a filter without operators',
      filter({ type: 'text', operators: [] }),
      /the filter "short" allows no operator/,
    ],
    [
      'with a text filter by order',
      filter({ type: 'text', operators: ['<'] }),
      /the text filter "short" cannot use the operator </,
    ],
    [
      'with a number filter by like',
      filter({ type: 'number', operators: ['like'] }, 'big'),
      /cannot use the operator like/,
    ],
    [
      'with a select by between',
      filter({ type: 'select', options: ['x'], operators: ['between'] }),
      /cannot use the operator between/,
    ],
    ['with a select without options', filter({ type: 'select', options: [] }), /the filter "short" has no options/],
    ['with a select of no options', filter({ type: 'select', options: {} }), /the filter "short" has no options/],
    [
      'with options of a missing binding',
      filter({ type: 'select', options: 'bindings' }),
      /takes its options from a binding "short"/,
    ],
    [
      'with one filter in both groups',
      { ...filter({ type: 'text' }), advancedFilters: { short: { type: 'text', label: 'Label' } } },
      /the filter "short" is declared twice/,
    ],
    [
      'with a filter named like the end of a pair',
      { filters: { day: { type: 'date', label: 'Day' }, day_to: { type: 'text', label: 'x', source: 'short' } } },
      /the filter "day_to" is declared twice/,
    ],
    [
      'with a date filter and one named like its start',
      { filters: { day: { type: 'date', label: 'Day' }, day_from: { type: 'text', label: 'x', source: 'short' } } },
      /"day_from" is declared twice; the date filter "day" takes day_from and day_to/,
    ],
    [
      'with a date filter from no date',
      filter({ type: 'date', min: 'yesterday' }, 'day'),
      /the min "yesterday" of the filter "day" is no ISO date/,
    ],
    [
      'with a date filter to no day',
      filter({ type: 'date', max: '2026-02-30' }, 'day'),
      /the max "2026-02-30" of the filter "day" is no ISO date/,
    ],
    [
      'with a date filter that ends before it begins',
      filter({ type: 'date', min: '2026-02-02', max: '2026-02-01' }, 'day'),
      /the min of the filter "day" is after its max/,
    ],
    [
      'with options that its enum lacks',
      category(filter({ type: 'select', options: { tool: 'Tool', tol: 'Toll' } }, 'category')),
      /the filter "category" offers tol, which its enum lacks/,
    ],
    ['with an option "all"', filter({ type: 'select', options: ['all', 'x'] }, 'short'), /"short" offers "all", which/],
    [
      'with labels of values that its enum lacks',
      { from: products, ...column({ values: { tool: { label: 'x' }, tol: { label: 'x' } } }, 'category') },
      /the column "category" has labels for tol, which its enum lacks/,
    ],
    ['with a sortable that is no column', { sortables: ['real'] }, /the sortable "real" is not a column with a source/],
    [
      'with a virtual sortable',
      { ...column({ value: () => 1 }, 'x'), sortables: ['x'] },
      /the sortable "x" is not a column/,
    ],
    ['with a sortable of JSON', { sortables: ['details'] }, /the sortable "details" is JSON, which has no order/],
    [
      'with a default sort of no source',
      { defaultSort: ['nothing', 'asc'] },
      /the default sort "nothing" has no source/,
    ],
    ['with an action without letters', { rowActions: { '--': {} } }, /the action "--" has no letter or digit/],
    ['with two actions of one slug', { rowActions: { 'Mark Done': {}, 'mark-done': {} } }, /share the key mark_done/],
    [
      'with two actions in place of a default',
      { rowActions: { 'Show details': {}, show_details: {} } },
      /the actions "Show details" and "show_details" share the key show_details/,
    ],
    ['with two bulk actions of one slug', { bulkActions: { Send: {}, send: {} } }, /share the key send/],
    [
      'with a relation of a text to a number',
      { relations: { made: { table: suppliers, on: { short: 'id' } } } },
      /the relation "made" joins short to id, and Postgres compares no text with integer; give both one type/,
    ],
    [
      'with a relation that would multiply rows',
      { relations: { made: { table: products, on: { id: 'supplier_id' } } } },
      /the relation "made" would multiply rows, because supplier_id is not unique/,
    ],
    [
      'with a relation over nothing',
      { relations: { made: { table: suppliers, on: {} } } },
      /would multiply rows, because nothing/,
    ],
    [
      'with a relation of a missing attribute',
      { relations: { made: { table: suppliers, on: { none: 'id' } } } },
      /one of them does not/,
    ],
    [
      'with a relation of two underscores',
      { relations: { a__b: { table: suppliers, on: { id: 'id' } } } },
      /must not contain "__"/,
    ],
    [
      'with a relation named like its table',
      { relations: { samples: { table: suppliers, on: { id: 'id' } } } },
      /must not be named like/,
    ],
    ['with a computed key that is taken', { computed: { short: sql`1` } }, /the key "short" has two sources/],
  ])('refuses a table %s', (_, changes, message) => {
    expect(register(changes)).toThrow(message)
    expect(register({})).not.toThrow()
  })

  it('names every mistake of a table at once', () => {
    const mistakes = { maxPerPage: 1, timeZone: 'x', sortables: ['nothing'], key: 'short' }
    expect(register(mistakes)).toThrow(/"valid" cannot be registered:\n( {2}- .+\n){3} {2}- .+$/)
  })

  it.each([
    { maxPerPage: 100, count: { capped: 1 } },
    { maxPerPage: 1_000, maxOffset: 0 },
  ])('takes the ends of what it allows: %j', (ends) => expect(register(ends)).not.toThrow())

  it('refuses a second table of the same name', () => {
    const table = defineFixture({ name: 'twice', from: samples, key: 'id', scope: everyRow, columns: {} })
    expect(() => createRegistry([table, table])).toThrow('Two tables are named "twice"')
  })
})

it('a key may have the type character varying, by its long name', () => {
  const table = compileTable({ ...valid, from: named, key: 'code', columns: {} })
  expect(table.key).toMatchObject({ kind: 'text', sqlType: 'varchar(20)' })
})
