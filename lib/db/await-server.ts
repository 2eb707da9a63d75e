import { setTimeout as sleep } from 'node:timers/promises'
import { isServerError } from './database-error.ts'
import type { DatabaseTarget } from './database-target.ts'
import { withConnection } from './owner-connection.ts'

export interface Patience {
  /** When to give up; a reading of `performance.now()`. */
  readonly until: number
  /** Ends a connection that does not answer. */
  readonly overdue: AbortSignal
}

const pauseMs = 1_000

/** Of Node and of the driver: nobody listens there yet, or its name is not known yet. */
const unreachable = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE'],
  ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED'],
])

/**
 * Waits until a server lets somebody in: a new one is announced before its name and its port are there. Rejects with its last
 * answer when the time is over, and at once where waiting does not help, as for a wrong password.
 */
export async function awaitServer(target: DatabaseTarget, { until, overdue }: Patience): Promise<void> {
  for (;;) {
    try {
      return await withConnection(target, (sql) => sql`select 1`.then(() => undefined), overdue)
    } catch (error) {
      if (!isStarting(error) || performance.now() + pauseMs > until || overdue.aborted) throw error
    }
    await sleep(pauseMs)
  }
}

function isStarting(error: unknown): boolean {
  if (isServerError(error)) return error.code === '57P03'
  return error instanceof Error && 'code' in error && unreachable.has(String(error.code))
}
