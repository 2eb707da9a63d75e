import { sql } from 'drizzle-orm'
import { boolean, date, integer, pgTable, text } from 'drizzle-orm/pg-core'
import * as z from 'zod'
import { everyRow, tableDefiner } from '../../../lib/index.ts'

const countries = pgTable('countries', {
  id: integer().primaryKey(),
  name: text().notNull(),
  continent: text().notNull(),
  population: integer(),
  member: boolean().notNull(),
  flag: text(),
  since: date(),
})

const defineTable = tableDefiner<Readonly<Record<string, unknown>>>()

/** A table with one of everything that a document says of tables. */
export const countriesTable = defineTable({
  name: 'countries',
  from: countries,
  key: 'id',
  scope: everyRow,
  params: z.object({ continent: z.string().optional() }),
  maxPerPage: 300,
  columns: {
    id: { label: 'Id' },
    name: { label: 'Name' },
    population: { label: 'Population' },
    member: { label: 'Member' },
    flag: { label: 'Flag', type: 'image', loadIf: () => false },
    actions: { label: 'Actions', type: 'actions' },
  },
  sortables: ['name', 'population'],
  filters: {
    name: { type: 'text', label: 'Name' },
    continent: { type: 'select', label: 'Continent', options: ['Asia', 'Europe'] },
    since: { type: 'date', label: 'Since' },
  },
  rowActions: {
    rename: {
      form: z.strictObject({
        name: z.string().min(2),
        spelling: z.enum(['short', 'long']).default('short'),
        default: z.string().optional(),
      }),
      formLabels: { name: 'New name' },
      bulk: true,
      run: () => {},
    },
    visit: { type: 'redirect', to: ({ id }) => `/countries/${id}` },
    internal: { showInWeb: false, run: () => {} },
  },
})

/** A table whose columns of texts have values of several types. */
export const mixedTable = defineTable({
  name: 'mixed',
  from: countries,
  key: 'id',
  scope: everyRow,
  computed: { code: sql`left(name, 2)` },
  columns: {
    name: { label: 'Name', type: 'text_truncate' },
    population: { label: 'Population', type: 'text' },
    code: { label: 'Code', type: 'text' },
    continent: { label: 'Continent', format: (continent) => continent.length },
  },
})

/** A table whose only action on several rows is the one that edits cells. */
export const notesTable = defineTable({
  name: 'notes',
  from: countries,
  key: 'id',
  scope: everyRow,
  columns: { name: { label: 'Name', editable: true } },
})
