import type { Socket } from 'node:net'
import postgres from 'postgres'
import { ConnectionError } from './database-error.ts'
import type { DatabaseTarget } from './database-target.ts'

export type RowShape = 'arrays' | 'objects'

/** The driver's rows: an array with the number of rows touched and the command that did it. */
export type DriverRows = readonly unknown[] & { readonly count: number | null; readonly command: string | null }

/** Sends one statement. `prepare` keeps it on the server under a name, for as long as the connection lives. */
export type SendStatement = (
  text: string,
  parameters: (string | null)[],
  options: {
    readonly shape: RowShape
    readonly prepare: boolean
    /** Called with the name of a prepared statement, when the server has answered. */
    readonly onName?: (name: string) => void
  },
) => PromiseLike<DriverRows>

export interface DriverClientOptions {
  readonly target: DatabaseTarget
  /** Run-time parameters of the session, sent at log-in. */
  readonly session: Readonly<Record<string, string>>
  /** Called at the first statement. A second call means that the driver wants to reconnect; reject it. */
  readonly openSocket: () => Promise<Socket>
  /** Called with each parameter that the server reports, at log-in and when it changes. */
  readonly onParameter: (name: string, value: string) => void
  /** Called with each notice; `routine` is the place in the server's source. */
  readonly onNotice: (routine: string | undefined) => void
}

interface Driver {
  readonly parsers: Record<number, unknown>
  readonly serializers: Record<number, unknown>
}

/** The parts of a statement of the driver that its types leave out. */
interface DriverQuery extends PromiseLike<DriverRows> {
  parameters: (string | null)[]
  readonly statement?: { readonly name: string }
  cancelled: unknown
  readonly reject: (error: unknown) => void
  values(): DriverQuery
}

/**
 * A postgres.js client with one connection, opened by the first statement, and none of its own timers.
 *
 * The parameters are put on the statement itself, in text form, not handed to `unsafe`: so the driver sends Parse, Bind
 * and Execute together, the server infers the types, and a statement's first run takes one round trip as every later
 * one does. (Given arguments, the driver asks for their types first, and holds up everything behind it meanwhile.)
 */
export function createDriverClient(options: DriverClientOptions): SendStatement {
  const { target, session, openSocket, onParameter, onNotice } = options
  const settings = {
    host: target.host,
    port: target.port,
    user: target.user,
    pass: target.password,
    database: target.database,
    max: 1,
    ssl: false,
    fetch_types: false,
    idle_timeout: 0,
    connect_timeout: 0,
    max_lifetime: null,
    backoff: () => 0,
    connection: session,
    socket: openSocket,
    onparameter: onParameter,
    onnotice: ({ routine }: postgres.Notice) => onNotice(routine),
  }
  const client = postgres(settings)
  setTypes(client.options as unknown as Driver)
  const sentOnce = createPrototypeSentOnce(client)
  return sendInOrder((text, parameters, { shape, prepare, onName }) => {
    const made = client.unsafe(text, [], { prepare, simple: false } as { prepare: boolean })
    const query: DriverQuery = Object.setPrototypeOf(made, sentOnce)
    query.parameters = parameters
    const response = shape === 'arrays' ? query.values() : query
    if (prepare && onName !== undefined) {
      const keepName = (): void => onName(query.statement?.name ?? '')
      response.then(keepName, keepName)
    }
    return response.then(dropHoles)
  })
}

/**
 * Removes the holes before the rows of a statement. The driver leaves one for each row that the statement before it had
 * received when it failed: it counts rows from 0 again only at the end of a statement that succeeds.
 */
function dropHoles(rows: DriverRows): DriverRows {
  const first = rows.findIndex((_, index) => index in rows)
  // In place: what the driver says of the rows stands at this array.
  if (first > 0) (rows as unknown as unknown[]).splice(0, first)
  return rows
}

/**
 * Creates the prototype of queries that the driver does not send again. It would repeat a refused prepared statement
 * behind all that was sent since: after the commit of its transaction, perhaps in that of another caller. Here it fails
 * with `PLAN_OUTDATED`.
 */
const createPrototypeSentOnce = (client: postgres.Sql): object =>
  Object.create(client.unsafe(''), {
    // The driver sets it to the refusal, and then sends the query, unless it is cancelled.
    retried: {
      set(this: DriverQuery, cause: unknown) {
        this.cancelled = true
        this.reject(new ConnectionError('PLAN_OUTDATED', 'the plan is outdated', { cause }))
      },
    },
  })

/**
 * Sends statements in the order of the calls, from the first on. While a connection opens, the driver queues
 * statements; then it sends half of them, and later ones overtake the rest: a `commit` would come after the next
 * caller's `begin`.
 */
function sendInOrder(send: SendStatement): SendStatement {
  let waiting: (() => void)[] | undefined
  let isOpen = false
  const open = (): void => {
    isOpen = true
    for (const start of waiting ?? []) start()
    waiting = undefined
  }
  return (...statement) => {
    if (isOpen) return send(...statement)
    if (waiting !== undefined)
      return new Promise((resolve, reject) => waiting?.push(() => send(...statement).then(resolve, reject)))
    waiting = []
    const first = send(...statement)
    first.then(open, open)
    return first
  }
}

const asNumber = (text: string): number => Number(text)
const numberTypes = [21, 23, 26, 700, 701]
const booleanType = 16
const jsonTypes = [114, 3802]
const byteaType = 17

/**
 * Numbers that fit, booleans, JSON and bytes are parsed; all else arrives as the server wrote it: int8 and numeric
 * exact, dates and times in ISO form and UTC, arrays as `{a,b}`.
 */
function setTypes(driver: Driver): void {
  clearTypes(driver.serializers)
  const parsers = clearTypes(driver.parsers)
  for (const type of numberTypes) parsers[type] = asNumber
  for (const type of jsonTypes) parsers[type] = (text: string): unknown => JSON.parse(text)
  parsers[booleanType] = (text: string): boolean => text === 't'
  parsers[byteaType] = (text: string): Buffer => Buffer.from(text.slice(2), 'hex')
}

// In place: the driver's connection already holds these very objects.
function clearTypes(record: Record<number, unknown>): Record<number, unknown> {
  for (const type of Object.keys(record)) delete record[Number(type)]
  return record
}
