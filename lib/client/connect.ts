import type { Inbox } from './inbox.ts'
import type { Message } from './job.ts'
import { backoff, pause } from './pause.ts'
import { TableError } from './table-error.ts'
import { type ClientOptions, jsonOf, readToken, type Send } from './transport.ts'

/** `waiting`: the connection was lost, and another is tried. `closed`: by whoever opened it, or because it is refused. */
export type ConnectionState = 'connecting' | 'open' | 'waiting' | 'closed'

export interface ConnectOptions {
  readonly onMessage?: (message: Message) => void
  /** `error` says why, where something went wrong. */
  readonly onState?: (state: ConnectionState, error?: TableError) => void
  readonly signal?: AbortSignal
}

export interface Connection {
  /** The client keeps its other connections. */
  readonly close: () => void
}

/** API Gateway closes a socket over which nothing has passed for 10 minutes; one that does not answer in time is lost. */
const [pingMs, pongMs] = [240_000, 15_000]
const [firstPauseMs, longestPauseMs] = [500, 30_000]

/** What no later attempt would change: this caller may not, or the service has no sockets. */
const isFinal = (error: TableError): boolean => [401, 403, 404, 422].includes(error.status)

/** Keeps one socket open until it is closed: after a loss it comes back by itself, and tells what was missed. */
export function connectBy(
  send: Send,
  { token, socketUrl }: ClientOptions,
  box: Inbox,
  { onState = () => {}, signal }: ConnectOptions,
): Connection {
  const own = new AbortController()
  const ended = signal === undefined ? own.signal : AbortSignal.any([own.signal, signal])
  const address = async (): Promise<[url: string, protocols: string[]]> => {
    if (socketUrl !== undefined) return [socketUrl, ['bearer', await readToken(token)]]
    const ticket = await jsonOf<{ readonly url: string }>(
      await send('./socket-ticket', { body: {}, signal: ended }),
      ended,
    )
    return [ticket.url, []]
  }
  const keep = async (): Promise<void> => {
    for (let attempt = 0; !ended.aborted; attempt += 1) {
      try {
        onState('connecting')
        await openUntilLost(new WebSocket(...(await address())), ended, box, async () => {
          onState('open')
          await box.catchUp(ended)
          attempt = 0
        })
      } catch (cause) {
        if (ended.aborted) return
        const error =
          cause instanceof TableError ? cause : new TableError('unreachable', 'The socket was lost', { cause })
        if (isFinal(error)) return onState('closed', error)
        onState('waiting', error)
      }
      await pause(backoff(attempt, firstPauseMs, longestPauseMs), ended)
    }
  }
  keep().catch(() => {})
  ended.addEventListener('abort', () => onState('closed'))
  return { close: () => own.abort() }
}

/** Rejects when the socket is lost or refused, or when `onOpen` does; resolves when `ended` closes it. */
function openUntilLost(socket: WebSocket, ended: AbortSignal, box: Inbox, onOpen: () => Promise<void>): Promise<void> {
  let lost: ReturnType<typeof setTimeout> | undefined
  const ping = setInterval(() => {
    if (socket.readyState !== WebSocket.OPEN) return
    socket.send('{"event":"ping"}')
    // A message is pushed once, and may be lost while the socket is not.
    box.catchUp(ended).catch(() => {})
    lost ??= setTimeout(() => socket.close(), pongMs)
  }, pingMs)
  const close = () => socket.close()
  ended.addEventListener('abort', close)
  if (ended.aborted) close()
  return new Promise<void>((resolve, reject) => {
    socket.onopen = () => {
      onOpen().catch((error: unknown) => {
        reject(error)
        socket.close()
      })
    }
    socket.onmessage = ({ data }) => {
      clearTimeout(lost)
      lost = undefined
      box.accept(JSON.parse(String(data)))
    }
    socket.onclose = ({ code, reason }) =>
      ended.aborted ? resolve() : reject(new TableError('unreachable', `The socket was closed (${code}) ${reason}`))
  }).finally(() => {
    clearInterval(ping)
    clearTimeout(lost)
    ended.removeEventListener('abort', close)
  })
}
