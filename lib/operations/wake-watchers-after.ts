import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { wakeWatchers } from '../jobs/queue.ts'
import { isBeingNotified } from '../push/subscriptions.ts'
import type { Operation } from './table-request.ts'

/** Sends the changed rows to their watchers right after the commit of an action. Without it, the sweep does. */
export const wakeWatchersAfter =
  (run: Operation): Operation =>
  (request) =>
    run({ ...request, wakeWatchers: () => wakeIdleWatchers(request, request.table.name) })

/**
 * Sends no message while a worker notifies the watchers of the table: it finds the change that is committed by now.
 * Never rejects.
 */
async function wakeIdleWatchers(
  { config, database }: { readonly config: Config; readonly database: Database },
  tableName: string,
): Promise<void> {
  if (await isBeingNotified(database, tableName).catch(() => false)) return
  await wakeWatchers(config, tableName)
}
