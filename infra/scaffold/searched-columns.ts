import type { ValueKind } from '../../lib/table/value-kind.ts'
import type { CatalogueColumn, CatalogueTable } from './read-catalogue.ts'

/** A column that the service can show. */
export interface DraftColumn extends CatalogueColumn {
  readonly kind: ValueKind
}

/** The usual names of columns that hold the name of a row. */
export const nameColumns = ['name', 'title', 'label', 'full_name', 'display_name', 'code', 'number', 'email']

/** The text columns that a table lets its callers search. */
export interface SearchedColumns {
  readonly names: readonly string[]
  /** Those that no index of the database serves yet. */
  readonly withoutIndex: readonly string[]
  /** The name of the index that is declared for these. */
  readonly index: string
}

/** Each column makes the index larger, and every change of a row slower. */
const maxSearched = 4

/** Names of columns whose texts are for machines, or few different ones, or say whose a row is. */
const notSearched =
  /(^|_)(id|uuid|key|hash|digest|token|secret|password|salt|url|uri|path|file|mime|ip|locale|lang|language|currency|country|state|status|type|kind|zone|timezone|colou?r|tenant|checksum|etag|version)$/i

/** Proposes what people look for: first what names a row, then other texts in their order. */
export function findSearchedColumns(table: CatalogueTable, columns: readonly DraftColumn[]): SearchedColumns {
  const suited = columns.filter(
    ({ name, kind, type }) => kind === 'text' && !/^character\(/.test(type) && !notSearched.test(name),
  )
  const chosen = new Set([...suited.filter(({ name }) => nameColumns.includes(name)), ...suited].slice(0, maxSearched))
  const names = columns.filter((column) => chosen.has(column)).map(({ name }) => name)
  const withoutIndex = names.filter((name) => !hasSearchIndex(table, name))
  return { names, withoutIndex, index: `${table.name}_search` }
}

/** Whether an index of trigrams is on the folded column, as `searchIndex` makes it. */
const hasSearchIndex = ({ indexes }: CatalogueTable, name: string): boolean =>
  indexes.some(
    ({ method, where, parts }) =>
      method === 'gin' && where === null && parts.some(({ expression }) => foldedColumn(expression) === name),
  )

const foldedColumn = (expression: string): string | undefined =>
  /fold_text\(\(?"?([^")]+?)"?\)?(?:::text)?\)$/.exec(expression)?.[1]
