import { sql } from 'drizzle-orm'
import { describe, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { createTableClient } from '../../lib/client/index.ts'
import { createRegistry, type Table } from '../../lib/index.ts'
import { base, type Claims, defineTable, label, parcels, plain } from '../support/parcels/typed-parcels.ts'

describe('a filter that is called like a column', () => {
  it('compiles without label, type and options', () => {
    const table = defineTable({
      ...base,
      computed: { heavy: sql<boolean>`${parcels.weight} > 5` },
      columns: {
        weight: { label },
        note: { label, values: { new: { en: 'New', ar: 'جديد' }, old: { label: 'Old', style: 'info' } } },
        heavy: { label, type: 'boolean' },
        sent_at: { label },
      },
      filters: {
        weight: { operators: ['between'] },
        note: { type: 'multi_select' },
        heavy: { selected: true },
        sent_at: { min: '2026-01-01' },
      },
      advancedFilters: { price: { type: 'number', label } },
    })
    expectTypeOf(table).toExtend<Table<Claims>>()
  })

  it('cannot have a type, an option or an operator that does not exist', () => {
    defineTable({ ...plain, filters: { id: { operators: ['>='] } } })
    // @ts-expect-error: there is no such type of filter
    defineTable({ ...plain, filters: { id: { type: 'money' } } })
    // @ts-expect-error: a filter of numbers has no options
    defineTable({ ...plain, filters: { id: { type: 'number', options: ['1'] } } })
    // @ts-expect-error: no filter has this key
    defineTable({ ...plain, filters: { id: { minimum: 1 } } })
    // @ts-expect-error: no filter has this operator
    defineTable({ ...plain, filters: { id: { operators: ['=='] } } })
  })
})

describe('a filter that no column is called like', () => {
  it('cannot leave out its label, its type or the options of a select', () => {
    defineTable({ ...plain, filters: { weight: { type: 'number', label } } })
    // @ts-expect-error: weight is an attribute and no column
    defineTable({ ...plain, filters: { weight: {} } })
    // @ts-expect-error: it has no label
    defineTable({ ...plain, filters: { weight: { type: 'number' } } })
    // @ts-expect-error: it has no type
    defineTable({ ...plain, advancedFilters: { weight: { label } } })
    // @ts-expect-error: it has no options
    defineTable({ ...plain, filters: { note: { type: 'select', label } } })
    // @ts-expect-error: it has no source
    defineTable({ ...plain, filters: { wheight: {} } })
  })
})

describe('a column that is sortable', () => {
  it('is one of the sorts of a typed client, beside those of the list', async () => {
    const table = defineTable({
      ...base,
      columns: { weight: { label, sortable: true }, note: { label }, sent_at: { label } },
      sortables: ['sent_at'],
    })
    const registry = createRegistry([table])
    const client = createTableClient<typeof registry>({ baseUrl: 'https://tables.example.com', token: () => 'token' })
    await client.queryTable('parcels', { sorts: [{ field: 'weight', direction: 'asc' }] })
    await client.queryTable('parcels', { sorts: [{ field: 'sent_at', direction: 'asc' }] })
    // @ts-expect-error: note is a column that is not sortable
    await client.queryTable('parcels', { sorts: [{ field: 'note', direction: 'asc' }] })
  })

  it('has a source', () => {
    defineTable({ ...base, columns: { weight: { label, sortable: true } } })
    // @ts-expect-error: the database has nothing to sort by
    defineTable({ ...base, columns: { length: { label, value: () => 1, sortable: true } } })
    // @ts-expect-error: nor for the row's buttons
    defineTable({ ...base, columns: { buttons: { label, type: 'actions', sortable: true } } })
    // @ts-expect-error: it is a flag
    defineTable({ ...base, columns: { weight: { label, sortable: 'asc' } } })
    // @ts-expect-error: a column has no such key
    defineTable({ ...base, columns: { weight: { label, sortabel: true } } })
  })
})

describe('the column of the row actions', () => {
  it('can only be switched off', () => {
    defineTable({ ...plain, actionsColumn: false })
    // @ts-expect-error: it is there already
    defineTable({ ...plain, actionsColumn: true })
  })
})

describe('a column that is searched', () => {
  it('holds texts', () => {
    const due = sql<Date>`now()`
    const computed = { tag: sql<string>`'tag'`, heavy: sql<boolean>`${parcels.weight} > 5` }
    defineTable({
      ...base,
      computed,
      columns: { note: { label, search: true }, tag: { label, type: 'text', search: true } },
    })
    // @ts-expect-error: weight is a number
    defineTable({ ...base, columns: { weight: { label, search: true } } })
    // @ts-expect-error: a date cannot be searched
    defineTable({ ...base, computed: { due }, columns: { due: { label, type: 'date', search: true } } })
    // @ts-expect-error: heavy is true or false
    defineTable({ ...base, computed, columns: { heavy: { label, type: 'boolean', search: true } } })
    // @ts-expect-error: the database does not know the column
    defineTable({ ...base, columns: { length: { label, value: () => 1, search: true } } })
    // @ts-expect-error: leave it out instead
    defineTable({ ...base, columns: { note: { label, search: false } } })
  })
})

describe('a column with a collation', () => {
  it('holds texts, and names a locale or natural', () => {
    defineTable({ ...base, columns: { note: { label, collation: 'natural' } } })
    defineTable({ ...base, columns: { note: { label, collation: 'ar' } } })
    defineTable({ ...base, columns: { note: { label, collation: 'de-AT' } } })
    // @ts-expect-error: a language by its tag, not by its name
    defineTable({ ...base, columns: { note: { label, collation: 'German' } } })
    // @ts-expect-error: a locale has a hyphen
    defineTable({ ...base, columns: { note: { label, collation: 'de_AT' } } })
    // @ts-expect-error: weight is a number
    defineTable({ ...base, columns: { weight: { label, collation: 'natural' } } })
    // @ts-expect-error: a virtual column cannot be sorted
    defineTable({ ...base, columns: { length: { label, value: () => 1, collation: 'ar' } } })
  })
})

describe('a filter that names its type', () => {
  it('allows the operators of that type only', () => {
    defineTable({ ...plain, filters: { note: { type: 'text', label, operators: ['starts with', 'not like'] } } })
    defineTable({ ...plain, filters: { sent_at: { type: 'date', label, operators: ['within', 'not between'] } } })
    // @ts-expect-error: a number contains no text
    defineTable({ ...plain, filters: { weight: { type: 'number', label, operators: ['like'] } } })
    // @ts-expect-error: only dates are within a period
    defineTable({ ...plain, filters: { weight: { type: 'number', label, operators: ['within'] } } })
    // @ts-expect-error: texts are not compared by their order
    defineTable({ ...plain, filters: { note: { type: 'text', label, operators: ['=', '<'] } } })
    // @ts-expect-error: a choice has no order either
    defineTable({ ...plain, filters: { note: { type: 'select', label, options: ['a'], operators: ['between'] } } })
    // @ts-expect-error: a list takes a list
    defineTable({ ...plain, filters: { note: { type: 'multi_select', label, options: ['a'], operators: ['='] } } })
    // @ts-expect-error: set or not set
    defineTable({ ...plain, filters: { note: { type: 'null', label, operators: ['is null'] } } })
    // @ts-expect-error: also for a filter that is called like a column
    defineTable({ ...plain, filters: { id: { type: 'number', operators: ['starts with'] } } })
    // @ts-expect-error: a list of operators is not empty
    defineTable({ ...plain, filters: { id: { type: 'number', operators: [] } } })
  })
})

describe('a filter with fold', () => {
  it('compares texts', () => {
    defineTable({ ...plain, filters: { note: { type: 'text', label, fold: true } } })
    // @ts-expect-error: a number has no case
    defineTable({ ...plain, filters: { weight: { type: 'number', label, fold: true } } })
    // @ts-expect-error: the values of a choice are compared as they are
    defineTable({ ...plain, filters: { note: { type: 'select', label, options: ['a'], fold: true } } })
    // @ts-expect-error: leave it out instead
    defineTable({ ...plain, filters: { note: { type: 'text', label, fold: false } } })
  })
})

describe('a column that is edited', () => {
  it('has a schema of its own values and a condition on its rows', () => {
    defineTable({
      ...base,
      columns: {
        note: { label, editable: { schema: z.nullable(z.string()), when: (row) => row.note !== 'kept' } },
        weight: { label, editable: true, sensitive: true },
      },
    })
    // @ts-expect-error: note is a text
    defineTable({ ...base, columns: { note: { label, editable: { schema: z.number() } } } })
    // @ts-expect-error: the database does not know the column
    defineTable({ ...base, columns: { length: { label, value: () => 1, editable: true } } })
    // @ts-expect-error: leave it out instead
    defineTable({ ...base, columns: { note: { label, editable: false } } })
  })
})
