import type { Socket } from 'node:net'
import { ConnectionError, isPlanOutdated, isReadOnly, isServerError, isSessionUsable } from './database-error.ts'
import { type DatabaseTarget, openSocket } from './database-target.ts'
import { createDriverClient, type DriverRows, type RowShape, type SendStatement } from './driver-client.ts'
import { startTimer } from './timer.ts'

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

/** Options of one statement. `expires` is a reading of `performance.now()`, after which it is given up. */
export interface StatementOptions {
  readonly shape: RowShape
  readonly expires: number
  /** True if a refused write (25006) must not end the connection: in a read-only transaction, and for `attempt`. */
  readonly readOnly?: boolean
}

/**
 * One session with the server: one socket, opened by its first statement and never opened again. What is run on it
 * lands in that session or nowhere. Statements of one tick go out together.
 */
export interface Connection {
  /** Takes `parameters` over: it may empty the array. */
  readonly run: (text: string, parameters: (string | null)[], options: StatementOptions) => Promise<DriverRows>
  /** How many statements are unanswered. */
  readonly waiting: () => number
  /** For how long it has had nothing to say, in milliseconds; a frozen function's sleep counts. */
  readonly idleMs: () => number
  /** Why the connection can no longer be used; `undefined` while it can. */
  readonly loss: () => ConnectionError | undefined
  /** Calls the listener when the connection can no longer be used. Returns what makes it forget the listener. */
  readonly whenLost: (listener: (reason: ConnectionError) => void) => () => void
  /** Closes it at once, even while statements run. */
  readonly discard: (reason: ConnectionError) => void
  /** Says goodbye to the server, which then closes it. */
  readonly end: () => void
}

const terminateMessage = Uint8Array.of(0x58, 0, 0, 0, 4)

/** A connection that opens itself when its first statement is run. */
export function createConnection(options: ConnectionOptions): Connection {
  const { target, session, onServed } = options
  const lossListeners = new Set<(reason: ConnectionError) => void>()
  const pending = createPendingStatements({ onFirstResponse: onServed, onLate: () => lose(connectionLost()) })
  const socket = createSingleSocket(target, options.connectTimeoutMs, lose)
  const sender = createTextSender(
    createDriverClient({ target, session, openSocket: socket.open, onParameter, onNotice }),
  )
  let isAdmitted = false
  let loss: ConnectionError | undefined

  /** `unanswered` is what the statements that were under way fail with. */
  function lose(cause: ConnectionError, unanswered = cause): void {
    if (loss !== undefined) return
    const reason = isAdmitted ? cause : explainRefusal(cause)
    loss = reason
    socket.destroy()
    options.onLost(pending.hasServed())
    pending.rejectAll(isAdmitted ? unanswered : reason)
    for (const listener of lossListeners) listener(reason)
  }

  /** The server reports its parameters at log-in, before any statement is sent. */
  function onParameter(name: string, value: string): void {
    isAdmitted = true
    socket.stopTimer()
    if (name === 'in_hot_standby' && value === 'on') {
      lose(new ConnectionError('STANDBY', 'the database server is a standby'))
    }
  }

  // A commit whose wait for the standby was cut short is reported as done, and is lost if the standby is promoted.
  function onNotice(routine: string | undefined): void {
    if (routine === 'SyncRepWaitForLSN') lose(connectionLost())
  }

  const run: Connection['run'] = (text, parameters, { shape, expires, readOnly = false }) => {
    if (loss !== undefined) return Promise.reject(loss)
    const { promise, resolve, reject } = Promise.withResolvers<DriverRows>()
    const statement = { expires, reject }
    const handleFailure = (cause: unknown): void => {
      // The driver's error refers to this very array; no log may find the values there.
      if (isServerError(cause)) parameters.length = 0
      if (isServerError(cause) && isReadOnly(cause) && !readOnly) {
        const refusal = new ConnectionError('READ_ONLY', 'the database server is read-only', { cause })
        reject(refusal)
        // After a failover this may be the old writer: the next statement needs a new connection, to the new one.
        lose(refusal, connectionLost(cause))
        return
      }
      const isOutdated = isPlanOutdated(cause)
      if (isOutdated) sender.prepareAnew()
      // Any other failure (a lost socket, a refused log-in) ends the session.
      if (isOutdated || (isServerError(cause) && isSessionUsable(cause))) pending.remove(statement)
      else lose(connectionLost(cause))
      reject(cause)
    }
    pending.add(statement)
    sender.send(text, parameters, shape).then((rows) => {
      pending.remove(statement)
      resolve(rows)
    }, handleFailure)
    return promise
  }

  const end = (): void => {
    if (!socket.end(terminateMessage)) lose(connectionLost())
  }
  const whenLost: Connection['whenLost'] = (listener) => {
    if (loss !== undefined) listener(loss)
    lossListeners.add(listener)
    return () => lossListeners.delete(listener)
  }
  return { run, waiting: pending.size, idleMs: pending.idleMs, loss: () => loss, whenLost, discard: lose, end }
}

/** Turns a loss before the log-in into `CONNECT_FAILED` or `PARAMETER_REFUSED`: no statement was sent. */
function explainRefusal(reason: ConnectionError): ConnectionError {
  if (reason.code !== 'CONNECTION_LOST') return reason
  const { cause } = reason
  const isParameter = isServerError(cause) && cause.message.includes('startup parameter')
  if (!isParameter) return new ConnectionError('CONNECT_FAILED', 'the log-in to the database failed', { cause })
  const text = 'the database or its pooler refuses time-outs at log-in; set DATABASE_TIMEOUTS=role'
  return new ConnectionError('PARAMETER_REFUSED', text, { cause })
}

interface TextSender {
  /** Sends a text under its name, if it is prepared. Takes `parameters` over. */
  readonly send: (text: string, parameters: (string | null)[], shape: RowShape) => PromiseLike<DriverRows>
  /** Prepares each text anew before it is run again. */
  readonly prepareAnew: () => void
}

const ignore = (): void => {}

function createTextSender(send: SendStatement): TextSender {
  const texts = createPreparedTexts()
  let isInTransaction = false
  const sendText: TextSender['send'] = (text, parameters, shape) => {
    if (text.startsWith('begin')) isInTransaction = true
    // Outside of transactions alone, which a pooler that knows the text by another name would abort.
    for (const name of isInTransaction ? [] : texts.takeEvicted()) {
      send(`deallocate "${name}"`, [], { shape: 'arrays', prepare: false }).then(ignore, ignore)
    }
    if (text === 'commit' || text === 'rollback') isInTransaction = false
    const { sent, prepare, name } = texts.use(text)
    // A name is asked for once: listening to every response costs a promise each.
    if (!prepare || name !== undefined) return send(sent, parameters, { shape, prepare })
    return send(sent, parameters, { shape, prepare, onName: (given) => texts.keepName(text, given) })
  }
  return { send: sendText, prepareAnew: texts.evict }
}

// A refused `begin` or `commit` would move what is sent with it into or out of a transaction, and the rows of a `fetch`
// have the types of its cursor.
const neverPrepared = /^(begin|commit|rollback|declare|fetch)\b/

// A prepared text takes the server up to 130 KB for its plans, as long as the connection lives: with 64 of them a
// backend of varied pages grew to 10.6 MB. A text that is not prepared costs the server a plan and no round trip.
const maxPreparedTexts = 32
const maxPreparedCharacters = 64_000
const maxPreparedTextLength = 8_000
const maxSeenTexts = 256
/** The driver remembers each text that it has ever prepared: beyond this number, a connection prepares no other. */
const maxPreparations = 2_000

interface PreparedText {
  /** The text as the driver knows it. */
  readonly sent: string
  /** Known once the server has answered. */
  name?: string
}

/** The texts that one connection keeps prepared: those used at least twice, until newer ones evict them. */
interface PreparedTexts {
  /** Returns the text to send and whether to prepare it. */
  readonly use: (text: string) => Readonly<PreparedText> & { readonly prepare: boolean }
  /** Stores the name that the driver has given to a text. */
  readonly keepName: (text: string, name: string) => void
  /** Evicts the oldest texts whose names are known; without a count, all of them. */
  readonly evict: (count?: number) => void
  /** Returns the names of the texts to deallocate, and forgets them. */
  readonly takeEvicted: () => readonly string[]
}

function createPreparedTexts(): PreparedTexts {
  const prepared = new Map<string, PreparedText>()
  const seen = new Set<string>()
  const evictedTexts = new Set<string>()
  let evictedNames: string[] = []
  let characters = 0
  let preparations = 0

  function evict(count = prepared.size): void {
    const named = [...prepared].filter(([, { name }]) => name !== undefined)
    for (const [text, { name = '' }] of named.slice(0, count)) {
      prepared.delete(text)
      characters -= text.length
      evictedTexts.add(text)
      evictedNames.push(name)
    }
  }

  function prepare(text: string): PreparedText {
    preparations += 1
    characters += text.length
    // The driver believes that an evicted text is still prepared, so the text is made different.
    const entry = { sent: evictedTexts.has(text) ? `${text} -- ${preparations}` : text }
    prepared.set(text, entry)
    if (prepared.size > maxPreparedTexts || characters > maxPreparedCharacters) evict(1)
    return entry
  }

  return {
    use: (text) => {
      const known = prepared.get(text)
      if (known !== undefined) {
        prepared.delete(text)
        prepared.set(text, known)
        return { ...known, prepare: true }
      }
      if (text.length > maxPreparedTextLength || preparations === maxPreparations || neverPrepared.test(text)) {
        return { sent: text, prepare: false }
      }
      if (seen.delete(text)) return { sent: prepare(text).sent, prepare: true }
      seen.add(text)
      if (seen.size > maxSeenTexts) seen.delete(seen.values().next().value ?? '')
      return { sent: text, prepare: false }
    },
    keepName: (text, name) => {
      const entry = prepared.get(text)
      if (entry !== undefined && name !== '') entry.name = name
    },
    evict,
    takeEvicted: () => {
      const names = evictedNames
      if (names.length > 0) evictedNames = []
      return names
    },
  }
}

/** A statement that was sent and is not yet answered. */
interface PendingStatement {
  readonly expires: number
  readonly reject: (error: ConnectionError) => void
}

/** The unanswered statements of one connection, each with its own deadline, a reading of `performance.now()`. */
interface PendingStatements {
  readonly add: (statement: PendingStatement) => void
  readonly remove: (statement: PendingStatement) => void
  readonly size: () => number
  /** Whether there ever was a response. */
  readonly hasServed: () => boolean
  /** Milliseconds since the last response; 0 while one is awaited. */
  readonly idleMs: () => number
  /** Rejects all of them and forgets them. */
  readonly rejectAll: (reason: ConnectionError) => void
}

interface PendingEvents {
  readonly onFirstResponse: () => void
  /** A deadline has passed and its statement was rejected: the server does not answer. */
  readonly onLate: () => void
}

/** Made for one connection. */
function createPendingStatements({ onFirstResponse, onLate }: PendingEvents): PendingStatements {
  const statements = new Set<PendingStatement>()
  const alarm = createAlarm(sweep)
  let served = false
  let idleMs = startTimer()

  function sweep(): void {
    const now = performance.now()
    const late = [...statements].filter(({ expires }) => expires <= now)
    for (const statement of late) {
      statements.delete(statement)
      statement.reject(new ConnectionError('DEADLINE', 'the database did not answer in time'))
    }
    if (late.length > 0) onLate()
    for (const { expires } of statements) alarm.by(expires)
  }

  return {
    add: (statement) => {
      statements.add(statement)
      alarm.by(statement.expires)
    },
    remove: (statement) => {
      statements.delete(statement)
      idleMs = startTimer()
      if (!served) onFirstResponse()
      served = true
    },
    size: () => statements.size,
    hasServed: () => served,
    idleMs: () => (statements.size > 0 ? 0 : idleMs()),
    rejectAll: (reason) => {
      alarm.stop()
      const unanswered = [...statements]
      statements.clear()
      for (const { reject } of unanswered) reject(reason)
    },
  }
}

/** One timer for many deadlines, left running when they are met: a timer each would cost more than all else here. */
function createAlarm(ring: () => void) {
  let ringsAt = Number.POSITIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  const fire = (): void => {
    ringsAt = Number.POSITIVE_INFINITY
    ring()
  }
  return {
    by(expires: number): void {
      if (expires >= ringsAt) return
      clearTimeout(timer)
      ringsAt = expires
      timer = setTimeout(fire, Math.max(1, Math.ceil(expires - performance.now()))).unref()
    },
    stop: () => clearTimeout(timer),
  }
}

/** A socket that can be opened once in its life. */
interface SingleSocket {
  readonly open: () => Promise<Socket>
  /** The server has let us in: the time allowed for that no longer runs. */
  readonly stopTimer: () => void
  readonly destroy: () => void
  /** Sends the last bytes; `false` when there is no socket to send them on. */
  readonly end: (lastBytes: Uint8Array) => boolean
}

/**
 * Calls `onLost` with what has ended it: no response within `timeoutMs`, an error, a server that closes it. Opening it
 * a second time is refused: the driver reconnects by itself and would run its queued statements in another session.
 */
function createSingleSocket(
  target: DatabaseTarget,
  timeoutMs: number,
  onLost: (reason: ConnectionError) => void,
): SingleSocket {
  let opened = false
  let socket: Socket | undefined
  let timer: NodeJS.Timeout | undefined

  async function open(): Promise<Socket> {
    if (opened) throw connectionLost()
    opened = true
    timer = setTimeout(() => onLost(connectTimeout(timeoutMs)), timeoutMs)
    try {
      const ready = await openSocket(target, (created) => {
        socket = created
      })
      ready.once('error', (cause) => onLost(connectionLost(cause)))
      ready.once('close', () => onLost(connectionLost()))
      return ready
    } catch (cause) {
      const reason = new ConnectionError('CONNECT_FAILED', 'the database cannot be reached', { cause })
      onLost(reason)
      throw reason
    }
  }

  return {
    open,
    stopTimer: () => clearTimeout(timer),
    destroy: () => {
      opened = true
      clearTimeout(timer)
      socket?.destroy()
    },
    end: (lastBytes) => socket?.end(lastBytes) !== undefined,
  }
}

/** The connection ended, by the server or on the way to it. */
function connectionLost(cause?: unknown): ConnectionError {
  return new ConnectionError('CONNECTION_LOST', 'the connection to the database was lost', { cause })
}

function connectTimeout(timeoutMs: number): ConnectionError {
  return new ConnectionError('CONNECT_TIMEOUT', `the log-in to the database did not end within ${timeoutMs} ms`)
}
