import type { SQL } from 'drizzle-orm'
import { findAction } from '../actions/find-action.ts'
import type { Config } from '../config.ts'
import { RequestError } from '../errors/request-error.ts'
import { admitted } from '../table/admitted.ts'
import type { BulkAction } from '../table/compiled-table.ts'
import { parseParams } from '../table/parse-params.ts'
import type { Registry } from '../table/registry.ts'
import { type RequestContext, requestContext } from '../table/request-context.ts'
import { scopeOf } from '../table/scope-of.ts'
import { type TableView, viewOf } from '../table/view.ts'
import type { Job } from './job.ts'

/** What a job works on and with, as its owner may at this moment. */
export interface JobTarget {
  readonly view: TableView
  readonly context: RequestContext
  readonly scope: SQL
  readonly action: BulkAction
  readonly requestId: string
}

/**
 * Asks everything again that was asked when the job was requested: who its owner is by now, the table's middlewares, `params`,
 * which actions exist, and which rows. Throws what a request would be answered with. Middlewares see a request without headers
 * and source address: those went with the first one.
 */
export async function jobTarget(registry: Registry, config: Config, job: Job): Promise<JobTarget> {
  const { guard, language, baseUrl, tableName, body, requestId } = job
  const identity = await registry.identityNow(job.identity)
  if (identity === undefined || identity.subject !== job.identity.subject) throw new RequestError('forbidden')
  const table = registry.tables.get(tableName)
  if (table === undefined) throw new RequestError('table_not_found', { table: tableName })
  const endpoint = `${config.SERVICE_NAME}.${guard}.bulkTableAction`
  await admitted(table, { tableName, endpoint, guard, method: 'POST', headers: {}, sourceIp: '' }, identity)
  const params = parseParams(table, Object.hasOwn(body, 'params') ? body['params'] : undefined)
  const context = requestContext({ identity, language, guard, baseUrl, config }, table, params)
  const view = viewOf(table, context)
  const action = findAction(view.bulkActions, job.action)
  return { view, context, scope: scopeOf(table, context), action, requestId }
}
