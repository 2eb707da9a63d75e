import { Column, getTableName, is, isSQLWrapper, Name, Param, SQL, StringChunk, Subquery, Table } from 'drizzle-orm'
import type { AnyTableDefinition } from './definition.ts'

/** Reports computed expressions that name a column of a table that is neither the table's own nor in the expression. */
export function checkComputed({ from, computed = {} }: AnyTableDefinition, report: (fault: string) => void): void {
  for (const [key, expression] of Object.entries(computed)) {
    const parts = partsOf(expression)
    const texts = parts.flatMap(textsOf)
    for (const column of parts) {
      if (!is(column, Column)) continue
      const table = getTableName(column.table)
      if (table === getTableName(from) || texts.some((text) => text.includes(table))) continue
      report(`the computed "${key}" names ${table}.${column.name}; use a relation column or a subquery`)
    }
  }
}

function partsOf(chunk: unknown): readonly unknown[] {
  if (Array.isArray(chunk)) return chunk.flatMap(partsOf)
  if (is(chunk, SQL)) return chunk.queryChunks.flatMap(partsOf)
  if (is(chunk, SQL.Aliased)) return partsOf(chunk.sql)
  if (is(chunk, Subquery)) return [chunk, ...partsOf(chunk._.sql)]
  const isPart = [Column, Table, Name, StringChunk, Param].some((type) => is(chunk, type))
  return isPart || !isSQLWrapper(chunk) ? [chunk] : partsOf(chunk.getSQL())
}

/** The texts in which a table's name makes its columns known: its own name, an alias, or a name written by hand. */
function textsOf(part: unknown): readonly string[] {
  if (is(part, Table)) return [getTableName(part)]
  if (is(part, Subquery)) return [part._.alias]
  if (is(part, Name)) return [part.value]
  return is(part, StringChunk) ? part.value : []
}
