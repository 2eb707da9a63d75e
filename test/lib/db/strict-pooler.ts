import { connect, createServer, type Socket } from 'node:net'
import { bindPort } from '../../support/network/bind-port.ts'

export interface StrictPooler {
  readonly url: string
  readonly close: () => Promise<void>
}

/** The parameters that PgBouncer accepts at log-in. */
const taken = new Set(['user', 'database', 'application_name', 'client_encoding', 'DateStyle', 'TimeZone'])

/** Stands before a database and refuses run-time parameters at log-in as PgBouncer does. */
export async function startStrictPooler(target: string): Promise<StrictPooler> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    hold(sockets, client)
    client.once('data', (startup) => {
      const refused = parameterNames(startup).find((name) => !taken.has(name))
      if (refused !== undefined) return client.end(errorResponse(`unsupported startup parameter: ${refused}`))
      const upstream = connect({ host: hostname, port: Number(port) })
      hold(sockets, upstream)
      upstream.write(startup)
      client.pipe(upstream).pipe(client)
    })
  })
  const url = new URL(target)
  url.port = String(await bindPort(server))
  return {
    url: url.href,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function hold(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket)
  socket.on('error', () => {}).on('close', () => sockets.delete(socket))
}

/** A startup message is its length, the protocol's version, and names and values that each end in a zero byte. */
const parameterNames = (startup: Buffer): readonly string[] =>
  startup
    .toString('utf8', 8)
    .split('\0')
    .filter((text, index) => index % 2 === 0 && text !== '')

/** Without the field V, as PgBouncer before 1.19 sends it. */
function errorResponse(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`)
  const head = Buffer.from([0x45, 0, 0, 0, 0])
  head.writeUInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}
