import { authenticateOwner } from '../auth/authenticate-caller.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { parameterTexts } from '../db/statement.ts'
import { forbidden } from '../errors/request-error.ts'
import type { Subscription } from '../push/subscriptions.ts'
import { openColumn } from '../storage/sealed-column.ts'
import { admitCaller, assertAdmitted, openTable } from '../table/open-table.ts'
import { asSentParams } from '../table/params-query.ts'
import type { Registry } from '../table/registry.ts'
import { ownValue, type TableRequest, type UnknownBody } from './table-request.ts'
import { sealingContext } from './watch-rows.ts'

/** The part of a worker that reads what watchers see. */
export interface WatchService {
  readonly config: Config
  readonly database: Database
  readonly registry: Registry
}

/**
 * Opens the table of a subscription with its watcher's present rights, as a request to query-table at this moment. Throws what such a
 * request would be refused with. Middlewares get a request without headers and source address, which are not stored.
 */
export async function openWatched(
  { config, database, registry }: WatchService,
  tableName: string,
  subscription: Subscription,
): Promise<TableRequest> {
  const { identity: stored, guard, language, baseUrl } = subscription
  const owner = await authenticateOwner(registry, stored)
  const { identity } = owner
  const incoming = {
    ...{ tableName, guard, endpoint: `${config.SERVICE_NAME}.${guard}.queryTableData`, method: 'POST' },
    ...{ headers: {}, sourceIp: '' },
  }
  const admitted = await admitCaller(registry, owner, incoming)
  const body = openQuery(config, subscription)
  const params = ownValue(body, 'params')
  const opened = openTable(admitted, { language, guard, baseUrl, config }, params, asSentParams(params))
  return {
    ...opened,
    ...{ identity, guard, language, baseUrl, config, body },
    ...{ requestId: '', method: 'POST', headers: {}, path: { tableName }, query: '' },
    table: admitted.table,
    database: database.as(identity),
    tenant: () => registry.tenant?.(identity),
    assertAdmitted: (endpoint) => assertAdmitted(admitted, endpoint),
  }
}

/** Throws `forbidden` for a query that was sealed with another secret. */
function openQuery({ SERVICE_SECRET }: Config, subscription: Subscription): UnknownBody {
  const text = openColumn(SERVICE_SECRET, sealingContext(subscription), subscription.sealedQuery)
  if (text === undefined) throw forbidden()
  return JSON.parse(text)
}

/** Returns a database that runs equal statements once. With row-level security, each caller has statements of their own. */
export function shareReads(database: Database): Database {
  const running = new Map<string, ReturnType<Database['read']>>()
  const read: Database['read'] = (text, parameters) => {
    const key = JSON.stringify([text, parameterTexts(parameters)])
    const rows = running.get(key) ?? database.read(text, parameters)
    running.set(key, rows)
    return rows
  }
  const shared: Database = {
    ...database,
    read,
    as: (identity) => {
      const own = database.as(identity)
      return own === database ? shared : own
    },
  }
  return shared
}
