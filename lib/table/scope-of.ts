import { is, SQL } from 'drizzle-orm'
import type { CompiledTable } from './compiled-table.ts'
import type { RequestContext } from './request-context.ts'

/** A scope that is not SQL is an author's mistake, and must never mean that there is no restriction. */
export function scopeOf(table: CompiledTable, context: RequestContext): SQL {
  const scope: unknown = table.definition.scope(context)
  if (!is(scope, SQL)) throw new Error(`The scope of the table "${table.name}" did not return SQL`)
  return scope
}
