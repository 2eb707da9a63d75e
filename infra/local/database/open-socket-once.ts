import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const maxConnectMs = 10_000

/** The part of the driver's settings that says where the server is. */
interface ServerPlace {
  readonly host: readonly string[]
  readonly port: readonly number[]
}

/**
 * Returns what opens the sockets of a driver, and rejects after a server that closed the last one without a word. The
 * driver itself would try again without end, such as at a tunnel that leads nowhere.
 */
export function openSocketOnce(): (place: ServerPlace) => Promise<Socket> {
  let last: Socket | undefined
  return async ({ host: [host = 'localhost'], port: [port = 5432] }) => {
    if (last?.bytesRead === 0) throw new Error('the server closed the connection without an answer')
    // The driver verifies the certificate for the name that stands at the socket.
    const socket = Object.assign(connect({ host, port }), { host })
    last = socket
    const overdue = setTimeout(() => socket.destroy(new Error('the server did not accept within 10 s')), maxConnectMs)
    await once(socket, 'connect').finally(() => clearTimeout(overdue))
    return socket
  }
}
