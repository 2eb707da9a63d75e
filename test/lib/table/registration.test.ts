import { sql } from 'drizzle-orm'
import { integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry, everyRow, type Table, tableDefiner } from '../../../lib/index.ts'

const depots = pgTable('depots', { id: integer().primaryKey(), city: text().notNull() })

const parcels = pgTable('parcels', { id: integer().primaryKey(), note: text(), depot_id: integer(), extra: jsonb() })

const defineTable = tableDefiner<Record<string, unknown>>()

const label = 'Label'

const valid = { name: 'parcels', from: parcels, key: 'id', scope: everyRow, columns: { id: { label } } } as const

const mistakes: readonly (readonly [string, () => Table<Record<string, unknown>>, RegExp])[] = [
  ['a name that cannot stand in a URL', () => defineTable({ ...valid, name: 'a/b' }), /its name may hold/],
  ['a key that is not unique', () => defineTable({ ...valid, key: 'depot_id' }), /must be a primary key/],
  [
    'a join that could multiply rows',
    () => defineTable({ ...valid, relations: { depot: { table: depots, on: { note: 'city' } } } }),
    /would multiply rows/,
  ],
  [
    'a relation whose name holds the separator',
    () => defineTable({ ...valid, relations: { a__b: { table: depots, on: { depot_id: 'id' } } } }),
    /must not contain "__"/,
  ],
  [
    'a computed value that hides an attribute',
    () => defineTable({ ...valid, computed: { note: sql<string>`''` } }),
    /has two sources/,
  ],
  [
    'an operator that its filter type cannot use',
    // The compiler does not know the type that a filter takes from its column.
    () => defineTable({ ...valid, columns: { note: { label } }, filters: { note: { operators: ['>'] } } }),
    /cannot use the operator >/,
  ],
  [
    'a filter of a type that does not fit',
    () => defineTable({ ...valid, filters: { note: { type: 'number', label } } }),
    /cannot filter text/,
  ],
  [
    'a search in a column that holds no texts',
    // JSON may be a text to the compiler.
    () => defineTable({ ...valid, columns: { extra: { label, format: () => '', search: true } } }),
    /the column "extra" cannot be searched/,
  ],
  [
    'a search in a column whose format may hide what it holds',
    () => defineTable({ ...valid, columns: { note: { label, format: () => '', search: true } } }),
    /the column "note" cannot be searched, because its format/,
  ],
  [
    'a version that may be missing',
    () => defineTable({ ...valid, version: 'note' }),
    /the version "note" may be missing/,
  ],
  [
    'a filter that is declared twice',
    () =>
      defineTable({
        ...valid,
        filters: { note: { type: 'text', label } },
        advancedFilters: { note: { type: 'text', label } },
      }),
    /declared twice/,
  ],
  [
    'options from a binding that does not exist',
    () => defineTable({ ...valid, filters: { note: { type: 'select', label, options: 'bindings' } } }),
    /a binding "note" that does not exist/,
  ],
  [
    'a select without options',
    () => defineTable({ ...valid, filters: { note: { type: 'select', label, options: [] } } }),
    /has no options/,
  ],
  [
    'JSON to sort by',
    () => defineTable({ ...valid, columns: { extra: { label } }, sortables: ['extra'] }),
    /has no order/,
  ],
  ['a page size that is too small', () => defineTable({ ...valid, maxPerPage: 99 }), /from 100 to 1,000/],
  ['a page size that is too large', () => defineTable({ ...valid, maxPerPage: 1_001 }), /from 100 to 1,000/],
  ['a cap of nothing', () => defineTable({ ...valid, count: { capped: 0 } }), /cap of 1 or more/],
  ['a time zone that does not exist', () => defineTable({ ...valid, timeZone: 'Mars/Olympus' }), /IANA time zone/],
  [
    'two actions of one key',
    () => defineTable({ ...valid, rowActions: { 'Mark it': {}, mark_it: {} } }),
    /share the key mark_it/,
  ],
]

it.each(mistakes)('a table with %s is refused when the service starts', (_, define, fault) => {
  expect(() => createRegistry([define()])).toThrow(fault)
})

it('every mistake of a table is reported at once', () => {
  const table = defineTable({ ...valid, name: 'a b', maxPerPage: 1, timeZone: 'nowhere' })
  expect(() => createRegistry([table])).toThrow(/its name.*maxPerPage.*IANA/s)
})

it('two tables of one name are refused', () => {
  expect(() => createRegistry([defineTable(valid), defineTable(valid)])).toThrow('Two tables are named "parcels"')
})

it('claims that requests would have to wait for are refused', () => {
  const claims = z.looseObject({ tenant: z.string().refine(async () => true) })
  expect(() => createRegistry([defineTable(valid)], { claims })).toThrow('the claims of createRegistry is async')
})

it('a table without any mistake is taken', () => {
  expect([...createRegistry([defineTable(valid)]).tables.keys()]).toEqual(['parcels'])
})

it.each<[string, object]>([
  ['an action of its own in place of a default', { rowActions: { show_details: { label } } }],
  ['a toolbar action of its own in place of a default', { bulkActions: { export_excel: { label, export: 'excel' } } }],
  [
    'an action of its own in place of a default that is switched off',
    { rowActions: { show_details: { label } }, defaultActions: { show_details: false } },
  ],
])('a table with %s is taken, and shows it once', (_, changes) => {
  const table = createRegistry([defineTable({ ...valid, ...changes })]).tables.get('parcels')
  const actions = [...(table?.rowActions ?? []), ...(table?.bulkActions ?? [])]
  expect(actions.filter(({ definition }) => definition.label === label)).toHaveLength(1)
  expect(actions).toHaveLength(2)
})
