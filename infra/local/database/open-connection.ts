import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import postgres, { type Options, type PostgresType, type Sql } from 'postgres'

const maxWaitMs = 10_000

/** The code of the error for a server that let a login in and then answered nothing. */
export const noAnswerCode = 'NO_ANSWER'

export interface Connection {
  readonly sql: Sql
  /** Resolves when the server has answered a first statement; call it before any other. Rejects where it does not. */
  readonly ready: () => Promise<void>
  readonly end: () => Promise<void>
}

/**
 * Opens one connection to a server, which has 10 s each to accept it, to let the login in, and to answer a statement.
 * The driver itself would wait for that answer, and at a server that closes each connection try again, without end.
 */
export function openConnection(url: string, options: Options<Record<string, PostgresType>>): Connection {
  const silence = Promise.withResolvers<never>()
  let state: 'opening' | 'ready' | 'given up' = 'opening'
  let last: Socket | undefined
  let overdue: NodeJS.Timeout | undefined
  const giveUp = (reason: string) => {
    state = 'given up'
    silence.reject(Object.assign(new Error(reason), { code: noAnswerCode }))
    last?.destroy()
  }
  const socket = async (place: ServerPlace) => {
    if (last !== undefined && state !== 'ready') {
      refuseEarlyEnd(last, place)
      giveUp('the server accepted the login, and closed the connection instead of an answer')
      // An error would reject a statement of the driver's own, which nothing awaits.
      return new Promise<Socket>(() => {})
    }
    last = await connectInTime(place)
    return last
  }
  const onparameter = () => {
    // The server says its parameters when a login has succeeded, which ends the driver's own limit.
    overdue ??= setTimeout(giveUp, maxWaitMs, 'the server accepted the login, and answered no statement within 10 s')
  }
  const connectTimeout = { connect_timeout: maxWaitMs / 1_000 }
  const settings = { max: 1, onnotice: () => undefined, ...connectTimeout, ...options, socket, onparameter }
  const sql = postgres(url, settings)
  return {
    sql,
    ready: async () => {
      await Promise.race([sql`select 1`, silence.promise]).finally(() => clearTimeout(overdue))
      state = 'ready'
    },
    end: async () => {
      if (state !== 'given up') await sql.end({ timeout: 1 })
    },
  }
}

/** The part of the driver's settings that says where the server is, and what it has said of itself. */
interface ServerPlace {
  readonly host: readonly string[]
  readonly port: readonly number[]
  /** Empty until a login has succeeded. */
  readonly parameters: Readonly<Record<string, string>>
}

/** Throws after a server that closed the connection without a word, or before a login. */
function refuseEarlyEnd({ bytesRead }: Socket, { parameters }: ServerPlace): void {
  if (bytesRead === 0) throw new Error('the server closed the connection without an answer')
  if (Object.keys(parameters).length === 0)
    throw new Error('the server closed the connection before a login; name the host and the port of a Postgres')
}

async function connectInTime({ host: [host = 'localhost'], port: [port = 5432] }: ServerPlace): Promise<Socket> {
  // The driver verifies the certificate for the name that stands at the socket, and names both where it gives up.
  const socket = Object.assign(connect({ host, port }), { host, port })
  const overdue = setTimeout(() => socket.destroy(new Error('the server did not accept within 10 s')), maxWaitMs)
  await once(socket, 'connect').finally(() => clearTimeout(overdue))
  return socket
}
