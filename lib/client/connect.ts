import type { Inbox } from './inbox.ts'
import type { Message } from './job.ts'
import {
  createCloseError,
  createLossError,
  isFinal,
  openSocket,
  pauseBeforeOpening,
  readMessage,
} from './open-socket.ts'
import { joinSignals, orAborted } from './pause.ts'
import type { Query } from './queries.ts'
import { type CountedRows, createSocketCounts } from './socket-counts.ts'
import type { TableError } from './table-error.ts'
import type { AnyTables, KeyOf, TableTypes } from './table-types.ts'
import type { CallOptions, ClientOptions, Send } from './transport.ts'

/**
 * `waiting`: the connection was lost and is tried again. `closed`: the page closed it, or the service refused it for
 * good.
 */
export type ConnectionState = 'connecting' | 'open' | 'waiting' | 'closed'

export interface ConnectOptions {
  readonly onMessage?: (message: Message) => void
  /** `error` is set if the connection failed. */
  readonly onState?: (state: ConnectionState, error?: TableError) => void
  readonly signal?: AbortSignal
  /**
   * Runs each time that a socket opens, and every four minutes. Default: the client requests what was missed and hands
   * it to `onMessage`. A page that lists jobs and notifications anyway refreshes its lists instead.
   */
  readonly catchUp?: (signal: AbortSignal) => Promise<void>
}

export interface Connection<Tables extends Readonly<Record<string, TableTypes>> = AnyTables> {
  /** Closes this connection; others of the same client stay open. */
  readonly close: () => void
  /**
   * Counts the rows of a query over the socket, which delays no request of the page. Rejects with `unreachable` while
   * no socket is open; `countRows` then counts by a request.
   */
  readonly countRows: <Name extends KeyOf<Tables>>(
    table: Name,
    query?: Query<Tables[Name]>,
    call?: CallOptions,
  ) => Promise<CountedRows>
}

/** API Gateway closes a socket that has been idle for 10 minutes. */
const pingIntervalMs = 240_000
const maxPongDelayMs = 15_000

/** Opens a socket, reconnects after each loss, and delivers the messages that were missed meanwhile. */
export function connect<Tables extends Readonly<Record<string, TableTypes>>>(
  send: Send,
  options: ClientOptions,
  { accept, catchUp: catchUpByDefault }: Inbox,
  { onState = () => {}, signal, catchUp = catchUpByDefault }: ConnectOptions,
): Connection<Tables> {
  const counts = createSocketCounts(options)
  const own = new AbortController()
  const ended = joinSignals(own.signal, signal)
  let socket: WebSocket | undefined
  const close = () => onState('closed')
  const keepOpen = async (): Promise<void> => {
    for (let attempt = 0; !ended.aborted; attempt += 1) {
      try {
        onState('connecting')
        socket = await openSocket(send, options, ended)
        const receive = (message: Message) => {
          if (!counts.accept({ ...message })) accept(message)
        }
        await openUntilLost(socket, ended, { accept: receive, catchUp }, async () => {
          onState('open')
          await catchUp(ended)
          attempt = 0
        })
      } catch (cause) {
        if (ended.aborted) return
        const error = createLossError(cause)
        if (isFinal(error)) {
          ended.removeEventListener('abort', close)
          return onState('closed', error)
        }
        onState('waiting', error)
      } finally {
        counts.lose()
      }
      await pauseBeforeOpening(attempt, ended)
    }
  }
  keepOpen().catch(() => {})
  if (ended.aborted) close()
  else ended.addEventListener('abort', close)
  return {
    close: () => own.abort(),
    countRows: (table, query = {}, call) => counts.count(socket, table, query, call),
  }
}

/** Rejects when the socket is lost or refused, when `onOpen` does, or when `ended` aborts; then closes the socket. */
function openUntilLost(
  socket: WebSocket,
  ended: AbortSignal,
  inbox: Pick<Inbox, 'accept' | 'catchUp'>,
  onOpen: () => Promise<void>,
): Promise<never> {
  let ping: ReturnType<typeof setInterval> | undefined
  let lost: ReturnType<typeof setTimeout> | undefined
  const loss = new Promise<never>((_, reject) => {
    socket.onopen = () => {
      ping = setInterval(() => {
        socket.send('{"event":"ping"}')
        // A message is pushed only once and may be lost although the socket stays open.
        inbox.catchUp(ended).catch(() => {})
        lost ??= setTimeout(reject, maxPongDelayMs)
      }, pingIntervalMs)
      onOpen().catch(reject)
    }
    socket.onmessage = ({ data }) => {
      clearTimeout(lost)
      lost = undefined
      inbox.accept(readMessage(data))
    }
    socket.onclose = (event) => reject(createCloseError(event))
  })
  // The event of a close may come late or never where the network is silent.
  return orAborted(loss, ended).finally(() => {
    clearInterval(ping)
    clearTimeout(lost)
    socket.close()
  })
}
