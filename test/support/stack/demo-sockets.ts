import { eventually, waitFor } from '../run/patience.ts'
import type { ReceivedMessage } from '../sockets/push-client.ts'
import { openSocket } from '../sockets/socket-client.ts'
import type { DemoIdentity, DemoStack } from './demo-stack.ts'

export interface DemoSocket {
  readonly send: (message: object) => void
  /** The messages of a channel so far. */
  readonly on: (channel: string) => readonly ReceivedMessage[]
  /** Everything of an event so far. */
  readonly of: (event: string) => readonly ReceivedMessage[]
  /** The messages of a channel, as soon as the last of them is this event. */
  readonly until: (channel: string, event: string) => Promise<readonly ReceivedMessage[]>
  /** Resolves when all that was sent to this socket before has come. */
  readonly caughtUp: () => Promise<void>
}

/** A client of the running stack's WebSocket, until the test ends: with its token as subprotocol, or by a ticket. */
export async function openDemoSocket(
  stack: DemoStack,
  as: DemoIdentity,
  by: 'token' | 'ticket' = 'token',
): Promise<DemoSocket> {
  const { socket, received } = await (by === 'token'
    ? openSocket(stack.facts().websocket_url, ['bearer', stack.createToken(as)])
    : openSocket((await stack.call('socket-ticket', { as, body: {} })).json.url))
  const messages = () => received.map((text): ReceivedMessage => JSON.parse(text))
  const on = (channel: string) => messages().filter((message) => message.channel === channel)
  const of = (event: string) => messages().filter((message) => message.event === event)
  return {
    send: (message) => socket.send(JSON.stringify(message)),
    on,
    of,
    until: (channel, event) =>
      eventually(
        async () => (on(channel).at(-1)?.event === event ? on(channel) : undefined),
        () => on(channel),
      ),
    caughtUp: async () => {
      const pongs = of('pong').length
      socket.send('{"event":"ping"}')
      await waitFor(() => {
        if (of('pong').length === pongs) throw new Error('no pong came')
      })
    },
  }
}
