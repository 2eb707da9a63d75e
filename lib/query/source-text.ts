import type { Statement } from '../db/statement.ts'
import type { Source } from '../table/source.ts'

/** Returns a source as text in SQL. The cast of an inet writes a mask that neither its output nor its cell has. */
export function sourceText(source: Source, statement: Statement): string {
  const expression = source.expression(statement)
  if (source.kind === 'text') return expression
  return source.kind === 'other' ? `nullif(format('%s', ${expression}), '')` : `${expression}::text`
}
