import type { ResponseContext } from './context.ts'
import { paramsQuery } from './params-query.ts'
import { schemaKeys } from './unknown-params.ts'
import type { TableView } from './view.ts'

/**
 * Returns the params of a request that its table's schema reads, to be stored with a link or a job. Throws
 * `validation_failed` where they are longer than those of an action URL.
 */
export function storableParams(view: TableView, context: ResponseContext): ResponseContext['sentParams'] {
  const known = schemaKeys(view.table.definition.params)
  const entries = Object.entries(context.sentParams).filter(([name]) => known === undefined || known.has(name))
  const sentParams = Object.fromEntries(entries)
  paramsQuery(view, { ...context, sentParams })
  return sentParams
}
