import { backoff, pause } from './pause.ts'
import { TableError } from './table-error.ts'
import { type ClientOptions, readToken, type Send } from './transport.ts'

/** Opens a socket with the token if there is a `socketUrl`, else by a ticket. */
export async function openSocket(
  send: Send,
  { token, socketUrl }: ClientOptions,
  signal: AbortSignal,
): Promise<WebSocket> {
  if (socketUrl !== undefined) return new WebSocket(socketUrl, ['bearer', await readToken(token, signal)])
  const call = { body: {}, signal, isRepeatable: true }
  return new WebSocket((await send<{ readonly url: string }>('./socket-ticket', call)).url)
}

/** Parses a message. Returns an empty object for what is not of the service. */
export function readMessage(text: unknown) {
  try {
    return Object(JSON.parse(String(text)))
  } catch {
    return {}
  }
}

/** Creates the error of a socket that was lost or could not be opened. */
export const createLossError = (cause: unknown): TableError =>
  cause instanceof TableError ? cause : new TableError('unreachable', 'The socket was lost', { cause })

/** Creates the error of a socket that was closed. */
export const createCloseError = ({ code, reason }: CloseEvent): TableError =>
  new TableError('unreachable', `The socket was closed (${code}) ${reason}`)

/**
 * Returns whether another attempt is useless: the caller has no token or is not allowed, or the service has no sockets.
 * The page of a proxy says neither.
 */
export const isFinal = ({ code, status }: TableError): boolean =>
  code === 'no_token' || (!/^(unreachable|bad_response)$/.test(code) && [401, 403, 404, 422].includes(status))

const minPauseMs = 500
const maxPauseMs = 30_000

/** Waits before a lost socket is opened again. Rejects with `aborted` as soon as the signal aborts. */
export const pauseBeforeOpening = (attempt: number, signal: AbortSignal): Promise<void> =>
  pause(backoff(attempt, minPauseMs, maxPauseMs), signal)
