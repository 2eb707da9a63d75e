import { draftLabel, englishLabel, propertyName } from './names.ts'
import type { CatalogueTable } from './read-catalogue.ts'
import { type DraftColumn, isDate, leadsIndex, type TableDraft } from './table-draft.ts'

/** The `filters` of a table file: of what an index serves, and of enums and booleans, where none would help. */
export function filtersOf(table: CatalogueTable, { columns, key }: TableDraft): string {
  const made = columns.map((column) => ({ column, type: filterType(table, column) }))
  const entries = made.flatMap(({ column, type }) =>
    type === undefined ? [] : [`    ${propertyName(column.name)}: { ${type}, label: ${labelOf(column.name)} },`],
  )
  const without = made.filter(({ column, type }) => type === undefined && column.name !== key && isFilterable(column))
  const names = without.map(({ column }) => column.name).join(', ')
  const comment =
    names === '' ? '' : `    // No filter of ${names}: without an index for it, each would read all rows.\n`
  return entries.length === 0 && comment === '' ? '' : `\n  filters: {\n${entries.join('\n')}\n${comment}  },\n`
}

const isFilterable = ({ kind }: DraftColumn): boolean => kind !== 'json' && kind !== 'array'

function filterType(table: CatalogueTable, column: DraftColumn): string | undefined {
  const { name, kind, values } = column
  const indexed = leadsIndex(table, name)
  if (kind === 'enum') return `type: 'select', options: ${optionsOf(values ?? [])}`
  if (kind === 'boolean') return `type: 'boolean'`
  if (isDate(kind)) return indexed ? `type: 'date'` : undefined
  if (kind === 'integer' || kind === 'decimal') return indexed ? `type: 'number'` : undefined
  if (kind === 'uuid') return indexed ? `type: 'text', operators: ['=']` : undefined
  if (kind !== 'text') return undefined
  if (leadsIndex(table, name, 'gin', 'gin_trgm_ops'))
    return indexed ? `type: 'text'` : `type: 'text', operators: ['like']`
  return indexed ? `type: 'text', operators: ['=']` : undefined
}

const labelOf = (name: string): string => draftLabel(englishLabel(name))

const optionsOf = (values: readonly string[]): string =>
  `{ ${values.map((value) => `${propertyName(value)}: ${labelOf(value)}`).join(', ')} }`
