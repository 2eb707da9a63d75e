import { once } from 'node:events'
import { type Advice, StepFailure } from './step-failure.ts'
import { type Pushed, pushed } from './wire.ts'

export interface SmokeSocket {
  /** Without its ticket. */
  readonly address: string
  /** Resolves when the service has answered a ping. */
  readonly ping: () => Promise<void>
  /** Resolves when this event has come on this channel. Throws `StepFailure` when it has not in time. */
  readonly waitForChannelEvent: (channel: string, event: string, withinMs: number) => Promise<void>
  /**
   * Sends a message with an `id` and returns the reply. Throws `StepFailure` if that is an error or does not come in
   * time.
   */
  readonly ask: (
    message: Readonly<Record<string, unknown>> & { readonly event: string; readonly id: string },
  ) => Promise<Pushed>
  readonly close: () => Promise<void>
}

const openMs = 15_000

/** Opens a WebSocket. Throws `StepFailure` where it is refused or does not open in time. */
export async function openSmokeSocket(
  url: string,
  advice: Advice,
  protocols: readonly string[] = [],
): Promise<SmokeSocket> {
  const { origin, pathname } = new URL(url)
  const address = `${origin}${pathname}`
  const socket = new WebSocket(url, [...protocols])
  const messages: string[] = []
  socket.addEventListener('message', ({ data }) => messages.push(String(data)))
  const opening = { signal: AbortSignal.timeout(openMs) }
  const refused = once(socket, 'close', opening).then(() => Promise.reject())
  await Promise.race([once(socket, 'open', opening), refused]).catch(() => {
    socket.close()
    throw new StepFailure(`${address} did not open`, advice)
  })
  const waitForMatch = async (matches: (event: Pushed) => boolean, what: string, withinMs: number, known = 0) => {
    const signal = AbortSignal.timeout(withinMs)
    for (;;) {
      const found = messages.slice(known).map(eventIn).find(matches)
      if (found !== undefined) return found
      await once(socket, 'message', { signal }).catch(() => {
        throw new StepFailure(`${what} did not come within ${withinMs} ms`, advice)
      })
    }
  }
  return {
    address,
    ping: async () => {
      socket.send('{"event":"ping"}')
      await waitForMatch(({ event }) => event === 'pong', 'the pong', openMs)
    },
    waitForChannelEvent: async (channel, event, withinMs) => {
      const matches = (pushed: Pushed) => pushed.event === event && pushed.channel === channel
      await waitForMatch(matches, `${event} on ${channel}`, withinMs)
    },
    ask: async (message) => {
      const known = messages.length
      socket.send(JSON.stringify(message))
      const reply = await waitForMatch(({ id }) => id === message.id, `the reply to ${message.event}`, openMs, known)
      if (reply.event !== 'error') return reply
      throw new StepFailure(`${message.event} ${message.id}: ${JSON.stringify(reply)}`, advice)
    },
    close: async () => {
      if (socket.readyState === WebSocket.CLOSED) return
      const closed = new Promise((resolve) => socket.addEventListener('close', resolve, { once: true }))
      socket.close()
      await closed
    },
  }
}

const eventIn = (text: string): Pushed => {
  const parsed = pushed.safeParse(JSON.parse(text))
  return parsed.success ? parsed.data : { event: '', id: undefined }
}
