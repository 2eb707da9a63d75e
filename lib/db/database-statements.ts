import { type Beginning, type RunStatement, sendBegin } from './caller-statements.ts'
import type { Connection } from './connection.ts'
import { databaseError, isOutcomeUnknown, mayRepeat, mayRetry, outcomeUnknown } from './database-error.ts'
import type { Execute } from './database-session.ts'
import type { DriverRows } from './driver-client.ts'
import { type ParameterValue, parameterTexts } from './parameter-text.ts'
import type { Lease, Pool } from './pool.ts'

type Rows = readonly (readonly unknown[])[]
export type Read = (text: string, parameters: readonly ParameterValue[]) => Promise<Rows>

/** For statements that only read: sent once more, on a new connection, after a lost one. */
export function createReader(pool: Pool, deadlineMs: number, run: RunStatement): Read {
  return async (text, parameters) => {
    const expires = performance.now() + deadlineMs
    const once = (): Promise<DriverRows> => {
      const values = parameterTexts(parameters)
      return pool.share(expires, (connection) => run(connection, text, values, { shape: 'arrays', expires }))
    }
    try {
      return taken(await once())
    } catch (error) {
      if (!mayRetry(error)) throw databaseError(error)
    }
    try {
      return taken(await once())
    } catch (error) {
      throw databaseError(error)
    }
  }
}

/**
 * Takes the rows out of the driver's answer. Its statements are promises of a class of their own, which the engine keeps
 * with all that they were answered until it next looks at the whole heap; the rows would be copied around till then.
 */
function taken(answer: DriverRows): Rows {
  const driverRows = answer as unknown as (readonly unknown[])[]
  // `splice` takes many times as long on an array of the driver's class.
  const rows = [...driverRows]
  driverRows.length = 0
  return rows
}

const staleAfterMs = 10_000

/**
 * For statements that may write: repeated once, and only where the first try surely did nothing. A connection that was idle
 * for long is tried with a read first. Throws `outcome_unknown` for a write whose response did not arrive.
 */
export function createExecute(pool: Pool, deadlineMs: number, read: Read, runStatement: RunStatement): Execute {
  return async (text, parameters, shape) => {
    const expires = performance.now() + deadlineMs
    const once = (): Promise<DriverRows> => {
      const values = parameterTexts(parameters)
      const run = (connection: Connection): Promise<DriverRows> =>
        runStatement(connection, text, values, { shape, expires })
      return pool.share(expires, (connection) =>
        connection.idleMs() > staleAfterMs
          ? read('select 1', []).then(() => pool.share(expires, run))
          : run(connection),
      )
    }
    try {
      return await once().catch((error) => (mayRepeat(error) ? once() : Promise.reject(error)))
    } catch (error) {
      throw isOutcomeUnknown(error) && !isSelect.test(text) ? outcomeUnknown(error) : error
    }
  }
}

const isSelect = /^\s*select\b/i

const surelyAliveMs = 1_000
const haveBegun = new WeakSet<Connection>()

/**
 * Begins a transaction on a connection of its own. `begin` has no effect until something follows it, so it may be tried once
 * more; on a connection that was at work a moment ago it goes out together with what follows, for one round trip less.
 */
export async function begin(pool: Pool, deadlineMs: number, beginning: Beginning): Promise<Lease> {
  const expires = performance.now() + deadlineMs
  const once = async (): Promise<Lease> => {
    const lease = await pool.lease(expires)
    const { connection } = lease
    const alive = haveBegun.has(connection) && connection.idleMs() < surelyAliveMs
    const begun = sendBegin(connection, expires, beginning)
    try {
      // It can only fail together with its connection, which every statement after it hears of.
      if (alive) begun.catch(() => {})
      else await begun
      haveBegun.add(connection)
      return lease
    } catch (error) {
      lease.release()
      throw error
    }
  }
  return once().catch((error) => (mayRetry(error) ? once() : Promise.reject(error)))
}
