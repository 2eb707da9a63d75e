import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Handshake } from './socket-event.ts'
import { watchFrames } from './socket-frames.ts'

/** API Gateway's limits of a message, in either direction, and of one frame from a client, in bytes. */
export const maxMessageBytes = 128 * 1024
const maxFrameBytes = 32 * 1024

export interface SocketConnection {
  readonly handshake: Handshake
  readonly socket: WebSocket
  readonly lastActiveAt: () => number
  /** Messages in either direction restart the idle time. */
  readonly touch: () => void
}

export interface SocketTimes {
  /** The time without a message after which a connection is closed with 1001. */
  readonly idleMs: number
  /** The time after which any connection is closed with 1001. */
  readonly lifetimeMs: number
}

/** Puts an open WebSocket under API Gateway's limits of size and time; `receive` gets the text of each message. */
export function superviseConnection(
  { handshake, socket, tcp }: { readonly handshake: Handshake; readonly socket: WebSocket; readonly tcp: Duplex },
  { idleMs, lifetimeMs }: SocketTimes,
  receive: (text: string) => void,
): SocketConnection {
  let lastActiveAt = Date.now()
  const expire = () => socket.close(1001, 'Going away')
  const idle = setTimeout(expire, idleMs)
  const lifetime = setTimeout(expire, lifetimeMs)
  const touch = () => {
    lastActiveAt = Date.now()
    idle.refresh()
  }
  watchFrames(tcp, maxFrameBytes, () => socket.close(1009, 'Frame too large'))
  socket.on('ping', touch)
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    touch()
    if (isBinary) socket.close(1003, 'Binary frames are not supported')
    else if (socket.readyState === socket.OPEN) receive(data.toString())
  })
  // An error of the protocol is followed by 'close'.
  socket.on('error', () => undefined)
  socket.on('close', () => {
    clearTimeout(idle)
    clearTimeout(lifetime)
  })
  return { handshake, socket, lastActiveAt: () => lastActiveAt, touch }
}
