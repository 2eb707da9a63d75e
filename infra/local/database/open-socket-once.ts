import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const maxConnectMs = 10_000

/** The part of the driver's settings that says where the server is, and what it has said of itself. */
interface ServerPlace {
  readonly host: readonly string[]
  readonly port: readonly number[]
  /** Empty until a login has succeeded. */
  readonly parameters: Readonly<Record<string, string>>
}

/**
 * Returns what opens the sockets of a driver, and rejects after a server that closed the last one without a word, or
 * before a login. The driver itself would try again without end, such as at a tunnel that leads nowhere.
 */
export function openSocketOnce(): (place: ServerPlace) => Promise<Socket> {
  let last: Socket | undefined
  return async ({ host: [host = 'localhost'], port: [port = 5432], parameters }) => {
    if (last?.bytesRead === 0) throw new Error('the server closed the connection without an answer')
    if (last !== undefined && Object.keys(parameters).length === 0)
      throw new Error('the server closed the connection before a login; name the host and the port of a Postgres')
    // The driver verifies the certificate for the name that stands at the socket, and names both where it gives up.
    const socket = Object.assign(connect({ host, port }), { host, port })
    last = socket
    const overdue = setTimeout(() => socket.destroy(new Error('the server did not accept within 10 s')), maxConnectMs)
    await once(socket, 'connect').finally(() => clearTimeout(overdue))
    return socket
  }
}
