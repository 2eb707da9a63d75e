import { is, isSQLWrapper, SQL, Subquery } from 'drizzle-orm'

/** Everything that an expression is made of, itself included: nested expressions, columns, tables, texts and parameters. */
export function expressionParts(chunk: unknown): readonly unknown[] {
  if (Array.isArray(chunk)) return chunk.flatMap(expressionParts)
  if (is(chunk, SQL)) return [chunk, ...chunk.queryChunks.flatMap(expressionParts)]
  if (is(chunk, SQL.Aliased)) return expressionParts(chunk.sql)
  if (is(chunk, Subquery)) return [chunk, ...expressionParts(chunk._.sql)]
  if (!isSQLWrapper(chunk)) return [chunk]
  const made = chunk.getSQL()
  // What has no parts wraps itself.
  return is(made, SQL) && made.queryChunks.includes(chunk as never) ? [chunk] : expressionParts(made)
}
