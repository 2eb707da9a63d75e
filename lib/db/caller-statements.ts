import type { Connection, StatementOptions } from './connection.ts'
import type { DriverRows } from './driver-client.ts'
import type { StoredIdentity } from './stored-identity.ts'

/** What policies of row-level security get to know of a caller, as texts: the subject, and the claims in JSON. */
export type CallerTexts = readonly [subject: string, claims: string]

/** Throws for claims that JSON cannot hold, such as a bigint. */
export const callerTexts = ({ subject, claims }: StoredIdentity): CallerTexts => [subject, JSON.stringify(claims)]

/** Sends a statement together with what it needs around it. Takes `parameters` over, as a connection does. */
export type RunStatement = (
  connection: Connection,
  ...statement: Parameters<Connection['run']>
) => ReturnType<Connection['run']>

// For the transaction alone: whoever has the connection next knows nothing of this caller.
const telling = `select set_config('table_control.subject', $1, true), set_config('table_control.claims', $2, true)`

const tell = (connection: Connection, caller: CallerTexts, options: StatementOptions): Promise<DriverRows> =>
  connection.run(telling, [...caller], options)

/** How statements are run that are no part of a transaction: with a caller, each in one of its own, in one round trip. */
export function statementRunner(caller: CallerTexts | undefined): RunStatement {
  if (caller === undefined) return (connection, ...statement) => connection.run(...statement)
  return async (connection, text, parameters, options) => {
    const around: StatementOptions = { shape: 'arrays', expires: options.expires }
    // One tick, so that nothing else gets in between. After a statement that has failed, the commit is a rollback.
    const [, , answer] = await Promise.all([
      connection.run('begin', [], around),
      tell(connection, caller, around),
      connection.run(text, parameters, options),
      connection.run('commit', [], around),
    ])
    return answer
  }
}

/** How a transaction begins. */
export interface Beginning {
  readonly caller: CallerTexts | undefined
  /** What stands behind `begin`, such as `isolation level serializable`; nothing may change that once the caller is named. */
  readonly mode: string | undefined
}

/**
 * Sends the begin of a transaction, and right behind it who is calling. Should the server not take that, it refuses every
 * further statement of the transaction.
 */
export function sendBegin(connection: Connection, expires: number, { caller, mode }: Beginning): Promise<DriverRows> {
  const options: StatementOptions = { shape: 'arrays', expires }
  const begun = connection.run(mode === undefined ? 'begin' : `begin ${mode}`, [], options)
  if (caller !== undefined) tell(connection, caller, options).catch(() => {})
  return begun
}
