import {
  createCloseError,
  createLossError,
  isFinal,
  openSocket,
  pauseBeforeOpening,
  readMessage,
} from './open-socket.ts'
import type { TableError } from './table-error.ts'
import { type ClientOptions, readToken, type Send } from './transport.ts'

export type SocketMessage = Readonly<Record<string, unknown>> & { readonly event: string }

/** A user of the socket. */
interface SocketUser {
  /** The socket is open, after a loss with nothing of what was sent before. */
  readonly open: (post: (message: object) => void) => void
  readonly receive: (message: SocketMessage) => void
  /** The connection is lost and is tried again. */
  readonly lose: (error: TableError) => void
  /** The service refuses the connection, or the socket is closed for good. */
  readonly end: (error?: TableError) => void
  /** Is called at least every four minutes. API Gateway closes a socket that has been idle for ten. */
  readonly renew: () => void
}

export interface LiveSocket {
  /** Opens the socket unless it is open, and keeps it open until the returned function is called. */
  readonly use: (user: SocketUser) => () => void
  /** The pages that have a place on the socket, also while they ask again. */
  readonly holders: Set<object>
  /** Replaces the socket by one with a new token. */
  readonly reopen: () => void
  readonly close: () => void
}

const renewalMs = 240_000
/** How long before its expiry a token is replaced, and the minimum time between two replacements. */
const beforeExpiryMs = 30_000

/** An open socket. */
interface OpenSocket {
  readonly socket: WebSocket
  /** Leaves the socket, so that another takes its place at once. */
  readonly leave: () => void
}

/** The state of a socket that comes back. */
interface Keeping {
  readonly send: Send
  readonly options: ClientOptions
  readonly users: Set<SocketUser>
  readonly ended: AbortController
  /** Ends the pauses when the socket has no user. */
  waiting: AbortController
  open?: OpenSocket | undefined
  isRunning: boolean
  attempt: number
}

/**
 * Creates a socket that is opened by its first user and reopened after each loss while it has one. A socket without a
 * user is closed within four minutes. After `close`, the next user opens another.
 */
export function createLiveSocket(send: Send, options: ClientOptions): LiveSocket {
  const create = (): Keeping => {
    const ended = new AbortController()
    const waiting = new AbortController()
    return { send, options, users: new Set(), ended, waiting, isRunning: false, attempt: 0 }
  }
  let keeping = create()
  return {
    use: (user) => {
      const own = keeping
      const { users } = own
      if (users.size === 0) own.waiting = new AbortController()
      users.add(user)
      if (own.open !== undefined) user.open(createPost(own.open))
      start(own)
      return () => {
        users.delete(user)
        if (users.size === 0) own.waiting.abort()
      }
    },
    holders: new Set(),
    reopen: () => keeping.open?.leave(),
    close: () => {
      const { users, waiting, ended } = keeping
      keeping = create()
      for (const user of [...users]) user.end()
      waiting.abort()
      ended.abort()
    },
  }
}

const isNeeded = ({ users, ended }: Keeping): boolean => users.size > 0 && !ended.signal.aborted

const createPost =
  ({ socket }: OpenSocket) =>
  (message: object): void =>
    socket.send(JSON.stringify(message))

function start(keeping: Keeping): void {
  if (keeping.isRunning) return
  keeping.isRunning = true
  keepOpen(keeping)
    .catch(() => {})
    .finally(() => {
      keeping.isRunning = false
      if (isNeeded(keeping)) start(keeping)
    })
}

/** Keeps the socket open. Rejects if it loses its last user during a pause between two attempts. */
async function keepOpen(keeping: Keeping): Promise<void> {
  while (isNeeded(keeping)) {
    try {
      await openUntilLost(keeping)
    } catch (cause) {
      const error = createLossError(cause)
      for (const user of [...keeping.users]) isFinal(error) ? user.end(error) : user.lose(error)
      await pauseBeforeOpening(keeping.attempt, keeping.waiting.signal)
      keeping.attempt += 1
    }
  }
}

/** Resolves when the socket is left on purpose, and rejects when it is lost or refused; then closes it. */
async function openUntilLost(keeping: Keeping): Promise<void> {
  const { send, options, ended, users } = keeping
  const expiresAt = readExpiry(await readToken(options.token, ended.signal))
  // A page that begins meanwhile takes the socket which another page has asked for and left.
  const socket = await openSocket(send, options, ended.signal)
  let renewal: ReturnType<typeof setTimeout> | undefined
  let leave = () => {}
  try {
    await new Promise<void>((resolve, reject) => {
      leave = resolve
      const renewLater = () => {
        const ms = Math.min(renewalMs, Math.max(expiresAt - Date.now() - beforeExpiryMs, beforeExpiryMs))
        renewal = setTimeout(() => {
          if (users.size === 0 || Date.now() > expiresAt - 2 * beforeExpiryMs) return leave()
          for (const user of [...users]) user.renew()
          renewLater()
        }, ms)
      }
      ended.signal.addEventListener('abort', leave)
      if (!isNeeded(keeping)) leave()
      socket.onopen = () => {
        keeping.open = { socket, leave }
        renewLater()
        for (const user of [...users]) user.open(createPost(keeping.open))
      }
      socket.onmessage = ({ data }) => receive(keeping, data)
      socket.onclose = (event) => reject(createCloseError(event))
    })
  } finally {
    keeping.open = undefined
    clearTimeout(renewal)
    ended.signal.removeEventListener('abort', leave)
    // The event of a close may come late or never where the network is silent.
    socket.close()
  }
}

function receive(keeping: Keeping, text: unknown): void {
  const message: SocketMessage = readMessage(text)
  // A socket that is closed at once is lost, however often it opens.
  if (message.event === 'rows.subscribed') keeping.attempt = 0
  for (const user of [...keeping.users]) user.receive(message)
}

/**
 * Returns when a JSON web token expires, in milliseconds since 1970. If that is past, the clock of this machine may be
 * ahead, so the token's lifetime is counted from now. Returns infinity for a text that is no JSON web token.
 */
function readExpiry(token: string): number {
  try {
    const payload = atob((token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/'))
    const { exp = Number.POSITIVE_INFINITY, iat = Number.NEGATIVE_INFINITY } = JSON.parse(payload)
    const now = Date.now() / 1_000
    return (exp > now ? exp : now + exp - iat) * 1_000
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
