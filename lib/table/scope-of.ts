import { is, SQL, sql } from 'drizzle-orm'
import type { CompiledTable } from './compiled-table.ts'
import { isEveryRow } from './define-table.ts'
import type { RequestContext } from './request-context.ts'

/**
 * The scope of one request, an object of its own, so that what is kept of its text is kept for this request only. A scope that
 * is not SQL is an author's mistake, and must never mean that there is no restriction.
 */
export function scopeOf(table: CompiledTable, context: RequestContext): SQL {
  const scope: unknown = table.definition.scope(context)
  if (!is(scope, SQL)) throw new Error(`The scope of the table "${table.name}" did not return SQL`)
  return isEveryRow(scope) ? scope : sql`${scope}`
}
