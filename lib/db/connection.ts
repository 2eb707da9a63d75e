import { type ConnectionError, isServerError } from './database-error.ts'
import type { DatabaseTarget } from './database-target.ts'
import { createDriverClient, type DriverRows, type RowShape } from './driver-client.ts'
import { createPendingStatements } from './pending-statements.ts'
import { connectionLost, createSingleSocket } from './single-socket.ts'

export interface ConnectionOptions {
  readonly target: DatabaseTarget
  /** Run-time parameters of the session. */
  readonly session: Readonly<Record<string, string>>
  readonly connectTimeoutMs: number
  /** Called once, when the first statement has been answered. */
  readonly onServed: () => void
  /** Called once, when the connection can no longer be used; `served` tells whether it ever answered. */
  readonly onLost: (served: boolean) => void
}

/** How to run one statement. `expires` is a reading of `performance.now()`, after which nobody waits for it. */
export interface StatementOptions {
  readonly shape: RowShape
  readonly expires: number
}

/**
 * One session with the server: one socket, opened by its first statement and never opened again. What is run on it lands in
 * that session or nowhere. Statements of one tick go out together.
 */
export interface Connection {
  /** Takes `parameters` over: it may empty the array. */
  readonly run: (text: string, parameters: (string | null)[], options: StatementOptions) => Promise<DriverRows>
  /** How many statements are unanswered. */
  readonly waiting: () => number
  /** For how long it has had nothing to say, in milliseconds; a frozen function's sleep counts. */
  readonly idleMs: () => number
  /** Calls the listener when the connection can no longer be used. Returns what makes it forget the listener. */
  readonly whenLost: (listener: (reason: ConnectionError) => void) => () => void
  /** Drops it at once, whatever is under way. */
  readonly discard: (reason: ConnectionError) => void
  /** Says goodbye to the server, which then closes it. */
  readonly end: () => void
}

const goodbye = Uint8Array.of(0x58, 0, 0, 0, 4)

/** A connection that opens itself when its first statement is run. */
export function createConnection(options: ConnectionOptions): Connection {
  const { target, session, onServed } = options
  const lossListeners = new Set<(reason: ConnectionError) => void>()
  const pending = createPendingStatements({ onFirstAnswer: onServed, onLate: () => lose(connectionLost()) })
  const socket = createSingleSocket(target, options.connectTimeoutMs, lose)
  const send = createDriverClient({ target, session, openSocket: socket.open, onLogin: socket.admitted })
  const mayPrepare = createPreparedTexts()
  let loss: ConnectionError | undefined

  function lose(reason: ConnectionError): void {
    if (loss !== undefined) return
    loss = reason
    socket.destroy()
    options.onLost(pending.served())
    pending.rejectAll(reason)
    for (const listener of lossListeners) listener(reason)
  }

  const run: Connection['run'] = (text, parameters, { shape, expires }) => {
    if (loss !== undefined) return Promise.reject(loss)
    const { promise, resolve, reject } = Promise.withResolvers<DriverRows>()
    const statement = { expires, reject }
    const failed = (cause: unknown): void => {
      // The driver's error refers to this very array; no log may find the values there.
      if (isServerError(cause)) parameters.length = 0
      // Whatever is no answer to a statement (a lost socket, a refused log-in) is the end of the session.
      if (isServerError(cause) && cause.severity === 'ERROR') pending.answered(statement)
      else lose(connectionLost(cause))
      reject(cause)
    }
    pending.add(statement)
    send(text, parameters, { shape, prepare: mayPrepare(text) }).then((rows) => {
      pending.answered(statement)
      resolve(rows)
    }, failed)
    return promise
  }

  const end = (): void => {
    if (!socket.end(goodbye)) lose(connectionLost())
  }
  const whenLost: Connection['whenLost'] = (listener) => {
    if (loss !== undefined) listener(loss)
    lossListeners.add(listener)
    return () => lossListeners.delete(listener)
  }
  return { run, waiting: pending.size, idleMs: pending.idleMs, whenLost, discard: lose, end }
}

// The driver keeps every distinct text prepared for as long as the connection lives, on the server too, whose plans take
// many times the text's size. Beyond these bounds a text runs unprepared, which costs the server a plan and no round trip.
const mostPreparedTexts = 500
const mostPreparedCharacters = 500_000
const longestPreparedText = 8_000

function createPreparedTexts(): (text: string) => boolean {
  const texts = new Set<string>()
  let characters = 0
  return (text) => {
    if (texts.has(text)) return true
    const fits = text.length <= longestPreparedText && characters + text.length <= mostPreparedCharacters
    if (!fits || texts.size === mostPreparedTexts) return false
    characters += text.length
    texts.add(text)
    return true
  }
}
