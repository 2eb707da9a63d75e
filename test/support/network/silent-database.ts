import { createServer, type Socket } from 'node:net'
import { bindPort } from './bind-port.ts'

/** The messages of a Postgres that lets a login in: "authenticated", a parameter, and "ready for a statement". */
const login = Buffer.from('R\0\0\0\x08\0\0\0\0S\0\0\0\x18server_version\x0018.0\0Z\0\0\0\x05I', 'latin1')

/**
 * Starts a server that lets each login in and answers no statement, as behind a pooler without a free connection.
 * Returns its URL. `onStatement` is called as a statement has come.
 */
export async function startSilentDatabase(onStatement: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.once('data', () => {
      socket.write(login)
      socket.once('data', () => onStatement(socket))
    })
  })
  const url = `postgres://owner:secret@127.0.0.1:${await bindPort(server)}/orders`
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url, close }
}
