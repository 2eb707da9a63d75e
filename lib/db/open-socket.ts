import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { ConnectionError } from './database-error.ts'
import type { DatabaseTarget } from './database-target.ts'

const tlsRequest = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47)

/**
 * Opens one socket to the server, TLS included, without Nagle's delay (with it each TLS log-in waits 40 ms for an
 * acknowledgement). `hold` gets each socket as soon as it exists, so that the caller can destroy it at any time.
 */
export async function openSocket(target: DatabaseTarget, hold: (socket: Socket) => void): Promise<Socket> {
  const { host, port, tls } = target
  const plain = connect({ host, port, noDelay: true })
  hold(plain)
  await happens(plain, 'connect')
  if (tls === undefined) return plain
  plain.write(tlsRequest)
  const answer = await happens(plain, 'data')
  // More than one byte would be text that somebody put in before the encryption began.
  if (!(answer instanceof Uint8Array) || answer.length !== 1 || answer[0] !== 0x53) {
    throw new Error('the database server does not offer TLS')
  }
  const name = isIP(host) === 0 ? { servername: host } : {}
  const secure = connectTls({ socket: plain, host, ...name, ca: tls.ca, rejectUnauthorized: true })
  hold(secure)
  await happens(secure, 'secureConnect')
  return secure
}

function happens(socket: Socket, event: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve)
    socket.once('error', reject)
    socket.once('close', () =>
      reject(new ConnectionError('CONNECT_FAILED', 'the database server closed the connection')),
    )
  })
}
