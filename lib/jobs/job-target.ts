import { findAction } from '../actions/find-action.ts'
import { authenticateOwner } from '../auth/authenticate-caller.ts'
import type { Config } from '../config.ts'
import type { BulkAction } from '../table/compiled-table.ts'
import { admitCaller, type OpenedTable, openTable } from '../table/open-table.ts'
import type { Registry } from '../table/registry.ts'
import type { Job } from './job.ts'

/** What a job works on and with, as its owner may at this moment. */
export interface JobTarget extends OpenedTable {
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
  const owner = await authenticateOwner(registry, job.identity)
  const endpoint = `${config.SERVICE_NAME}.${guard}.bulkTableAction`
  const request = { tableName, endpoint, guard, method: 'POST', headers: {}, sourceIp: '' }
  const admitted = await admitCaller(registry, owner, request)
  const params = Object.hasOwn(body, 'params') ? body['params'] : undefined
  const opened = openTable(admitted, { language, guard, baseUrl, config }, params)
  return { ...opened, action: findAction(opened.view.bulkActions, job.action), requestId }
}
