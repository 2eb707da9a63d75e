import { is, SQL } from 'drizzle-orm'

/** The SQL objects that an expression is made of, itself included. */
export function nestedExpressions(chunk: unknown, found: Set<SQL> = new Set()): ReadonlySet<SQL> {
  if (Array.isArray(chunk)) for (const one of chunk) nestedExpressions(one, found)
  else if (is(chunk, SQL)) {
    found.add(chunk)
    nestedExpressions(chunk.queryChunks, found)
  } else if (is(chunk, SQL.Aliased)) nestedExpressions(chunk.sql, found)
  return found
}
