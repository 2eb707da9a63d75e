import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { continuePoll, pollSeconds } from '../push/row-polls.ts'
import { wakeWatchers } from './queue.ts'

interface PollingService {
  readonly config: Config
  readonly database: Database
}

/** Sends the next message of a poll, as long as the table is watched. Returns false if the message was overtaken by another. */
export async function pollAgain(
  { config, database }: PollingService,
  tableName: string,
  poll: number,
): Promise<boolean> {
  const next = await continuePoll(database, tableName, poll)
  if (next === undefined) return false
  await wakeWatchers(config, tableName, pollSeconds, next)
  return true
}
