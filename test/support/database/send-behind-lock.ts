import type { Sql } from 'postgres'
import { expect } from 'vitest'
import { waitFor } from '../run/patience.ts'

/**
 * Sends calls while a statement such as `lock table` holds them up, and frees them once each waits for a lock. They
 * meet at the same place, however busy the machine is. Each needs a connection of its own.
 */
export async function sendBehindLock<T>(
  sql: Sql,
  lock: string,
  calls: readonly (() => Promise<T>)[],
): Promise<readonly T[]> {
  const sent: Promise<T>[] = []
  await sql.begin(async (holding) => {
    await holding.unsafe(lock)
    sent.push(...calls.map((call) => call()))
    await waitFor(async () => {
      // A transaction sees the same sessions again otherwise.
      await holding`select pg_stat_clear_snapshot()`
      const waiting = await holding`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      expect(waiting).toHaveLength(calls.length)
    })
  })
  return Promise.all(sent)
}
