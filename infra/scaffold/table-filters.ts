import { propertyName } from './names.ts'
import type { CatalogueTable } from './read-catalogue.ts'
import type { DraftColumn } from './searched-columns.ts'
import { isDate, leadsIndex, type TableDraft } from './table-draft.ts'

/** Builds the `filters` of a table file: those that an index serves, and enums and booleans, which need none. */
export function filtersText(table: CatalogueTable, { columns, key }: TableDraft): string {
  const filters = columns.map((column) => ({ column, filter: filterOptions(table, column) }))
  const entries = filters.flatMap(({ column, filter }) =>
    filter === undefined ? [] : [`    ${propertyName(column.name)}: ${filter},`],
  )
  const without = filters.filter(
    ({ column, filter }) => filter === undefined && column.name !== key && isFilterable(column),
  )
  const names = without.map(({ column }) => column.name).join(', ')
  const comment =
    names === '' ? '' : `    // No filter of ${names}: without an index for it, each would read all rows.\n`
  return entries.length === 0 && comment === '' ? '' : `\n  filters: {\n${entries.join('\n')}\n${comment}  },\n`
}

const isFilterable = ({ kind }: DraftColumn): boolean => kind !== 'json' && kind !== 'array'

/** Returns what a filter says beside its column: the operators that an index serves; `undefined` where none would. */
function filterOptions(table: CatalogueTable, { name, kind }: DraftColumn): string | undefined {
  if (kind === 'enum' || kind === 'boolean') return '{}'
  const isIndexed = leadsIndex(table, name)
  const hasTrigrams = kind === 'text' && leadsIndex(table, name, 'gin', 'gin_trgm_ops')
  if (hasTrigrams) return isIndexed ? '{}' : "{ operators: ['like', 'starts with', 'ends with'] }"
  if (!isIndexed) return undefined
  if (isDate(kind)) return "{ operators: ['>=', 'within'] }"
  const isReference = table.references.some(({ columns }) => columns.includes(name))
  if (kind === 'text' || kind === 'uuid' || isReference) return "{ operators: ['=', 'in'] }"
  return kind === 'integer' || kind === 'decimal' ? "{ operators: ['=', '<=', '>=', 'between'] }" : undefined
}
