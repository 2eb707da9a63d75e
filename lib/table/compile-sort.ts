import type { CompiledSort } from './compiled-table.ts'
import type { AnyTableDefinition } from './definition.ts'

/** Returns a sort in the collation of the column that it sorts by. */
export function compileSort({ columns }: AnyTableDefinition, sort: CompiledSort): CompiledSort {
  const column = columns[sort.source.key]
  return column?.collation === undefined ? sort : { ...sort, collation: `"${collationName(column.collation)}"` }
}

/** The collation of a locale comes with Postgres; `natural` is one of the installation's own. */
export const collationName = (collation: string): string => (collation === 'natural' ? collation : `${collation}-x-icu`)
