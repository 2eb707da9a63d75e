import type { Socket } from 'node:net'
import { ConnectionError } from './database-error.ts'
import type { DatabaseTarget } from './database-target.ts'
import { openSocket } from './open-socket.ts'

/** A socket that can be opened once in its life. */
export interface SingleSocket {
  readonly open: () => Promise<Socket>
  /** The server has let us in: the time allowed for that no longer runs. */
  readonly admitted: () => void
  readonly destroy: () => void
  /** Sends the last bytes; `false` when there is no socket to send them on. */
  readonly end: (lastBytes: Uint8Array) => boolean
}

/**
 * `onLost` hears of everything that ends it: no answer within `timeoutMs`, an error, a server that closes it. Opening it a
 * second time is refused: the driver reconnects by itself and would run what it has queued in another session.
 */
export function createSingleSocket(
  target: DatabaseTarget,
  timeoutMs: number,
  onLost: (reason: ConnectionError) => void,
): SingleSocket {
  let opened = false
  let socket: Socket | undefined
  let timer: NodeJS.Timeout | undefined

  async function open(): Promise<Socket> {
    if (opened) throw connectionLost()
    opened = true
    timer = setTimeout(() => onLost(timedOut(timeoutMs)), timeoutMs)
    try {
      const ready = await openSocket(target, (held) => {
        socket = held
      })
      ready.once('error', (cause) => onLost(connectionLost(cause)))
      ready.once('close', () => onLost(connectionLost()))
      return ready
    } catch (cause) {
      const reason = new ConnectionError('CONNECT_FAILED', 'the database cannot be reached', { cause })
      onLost(reason)
      throw reason
    }
  }

  return {
    open,
    admitted: () => clearTimeout(timer),
    destroy: () => {
      opened = true
      clearTimeout(timer)
      socket?.destroy()
    },
    end: (lastBytes) => socket?.end(lastBytes) !== undefined,
  }
}

/** The connection ended, by the server or on the way to it. */
export function connectionLost(cause?: unknown): ConnectionError {
  return new ConnectionError('CONNECTION_LOST', 'the connection to the database was lost', { cause })
}

function timedOut(timeoutMs: number): ConnectionError {
  return new ConnectionError('CONNECT_TIMEOUT', `the database did not let us in within ${timeoutMs} ms`)
}
