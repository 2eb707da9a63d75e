import { orAborted } from './pause.ts'
import { createServiceError, TableError } from './table-error.ts'
import { type CallOptions, type ClientOptions, readToken } from './transport.ts'

/** An exact number of rows. */
export interface CountedRows {
  readonly total: number
  /** Equal to that of pages of the same rows, if their requests have a `request_seq`. */
  readonly query_hash: string
}

/** Questions over one connection, and their responses in any order. */
export interface SocketCounts {
  readonly count: (
    socket: WebSocket | undefined,
    table: string,
    query: object,
    call?: CallOptions,
  ) => Promise<CountedRows>
  /** Returns whether the message of a socket answers a question. */
  readonly accept: (message: Readonly<Record<string, unknown>>) => boolean
  /** Rejects the open questions of a socket that was lost. */
  readonly lose: () => void
}

type Settle = (response: CountedRows | TableError) => void

/** Longer than the gateway waits for a function. */
const maxReplyMs = 35_000

const createLoss = (part: 'reply' | 'socket') => new TableError('unreachable', `The ${part} was lost`)

/** Creates the counts over one WebSocket. It assigns their `request_seq`, by which replies find their request. */
export function createSocketCounts({ guard, language, token }: ClientOptions): SocketCounts {
  const open = new Map<number, Settle>()
  let last = 0
  return {
    count: async (socket, table, query, { signal } = {}) => {
      const own = await readToken(token, signal)
      if (socket?.readyState !== WebSocket.OPEN) throw new TableError('unreachable', 'No socket is open')
      last += 1
      const sequence = last
      let timer: ReturnType<typeof setTimeout> | undefined
      const reply = new Promise<CountedRows>((resolve, reject) => {
        const settle: Settle = (response) => (response instanceof TableError ? reject(response) : resolve(response))
        open.set(sequence, settle)
        timer = setTimeout(() => settle(createLoss('reply')), maxReplyMs)
        const asked = { table, guard, ln: language, token: own, query: { ...query, request_seq: sequence } }
        socket.send(JSON.stringify({ event: 'count', ...asked }))
      })
      return orAborted(reply, signal).finally(() => {
        clearTimeout(timer)
        open.delete(sequence)
      })
    },
    accept: ({ event, seq, data, request_seq, ...failure }) => {
      const settle = open.get(Number(event === 'query.total' ? seq : request_seq))
      if (event === 'query.total') settle?.(data as CountedRows)
      else if (event === 'error') settle?.(createServiceError(failure))
      return settle !== undefined
    },
    lose: () => {
      for (const settle of [...open.values()]) settle(createLoss('socket'))
    },
  }
}
