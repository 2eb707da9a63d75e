import { Column, getTableName, is, Name, StringChunk, Subquery, Table } from 'drizzle-orm'
import type { AnyTableDefinition } from './definition.ts'
import { expressionParts } from './expression-parts.ts'

/** Reports computed expressions that name a column of a table that is neither the table's own nor in the expression. */
export function checkComputed({ from, computed = {} }: AnyTableDefinition, report: (fault: string) => void): void {
  for (const [key, expression] of Object.entries(computed)) {
    const parts = expressionParts(expression)
    const texts = parts.flatMap(textsOf)
    for (const column of parts) {
      if (!is(column, Column)) continue
      const table = getTableName(column.table)
      if (table === getTableName(from) || texts.some((text) => text.includes(table))) continue
      report(`the computed "${key}" names ${table}.${column.name}; use a relation column or a subquery`)
    }
  }
}

/** The texts in which a table's name makes its columns known: its own name, an alias, or a name written by hand. */
function textsOf(part: unknown): readonly string[] {
  if (is(part, Table)) return [getTableName(part)]
  if (is(part, Subquery)) return [part._.alias]
  if (is(part, Name)) return [part.value]
  return is(part, StringChunk) ? part.value : []
}
