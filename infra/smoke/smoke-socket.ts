import { type Advice, StepFailure } from './step-failure.ts'
import { pushed } from './wire.ts'

export interface SmokeSocket {
  /** Without its ticket. */
  readonly address: string
  /** Resolves when the service has answered a ping. */
  readonly ping: () => Promise<void>
  /** Resolves when this event has come on this channel. Throws `StepFailure` when it has not in time. */
  readonly heard: (channel: string, event: string, withinMs: number) => Promise<void>
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
  const address = `${origin === 'null' ? url.split('?')[0] : origin}${origin === 'null' ? '' : pathname}`
  const socket = new WebSocket(url, [...protocols])
  const messages: string[] = []
  const arrivals = new EventTarget()
  socket.addEventListener('message', ({ data }) => {
    messages.push(String(data))
    arrivals.dispatchEvent(new Event('message'))
  })
  await waitForEvent(socket, 'open', openMs, () => new StepFailure(`${address} did not open`, advice))
  const heard = async (matches: (text: string) => boolean, what: string, withinMs: number) => {
    const signal = AbortSignal.timeout(withinMs)
    while (!messages.some(matches)) {
      await waitForMessage(
        arrivals,
        signal,
        () => new StepFailure(`${what} did not come within ${withinMs} ms`, advice),
      )
    }
  }
  return {
    address,
    ping: async () => {
      socket.send('{"event":"ping"}')
      await heard((text) => eventIn(text).event === 'pong', 'the pong', openMs)
    },
    heard: (channel, event, withinMs) => {
      const matches = (text: string) => eventIn(text).event === event && eventIn(text).channel === channel
      return heard(matches, `${event} on ${channel}`, withinMs)
    },
    close: async () => {
      if (socket.readyState === WebSocket.CLOSED) return
      const closed = new Promise((resolve) => socket.addEventListener('close', resolve, { once: true }))
      socket.close()
      await closed
    },
  }
}

const eventIn = (text: string) => {
  const parsed = pushed.safeParse(JSON.parse(text))
  return parsed.success ? parsed.data : { event: '', channel: undefined }
}

function waitForEvent(socket: WebSocket, event: 'open', withinMs: number, failure: () => Error): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => refuse(), withinMs)
    const refuse = () => {
      clearTimeout(timer)
      reject(failure())
      socket.close()
    }
    socket.addEventListener(event, () => {
      clearTimeout(timer)
      resolve()
    })
    socket.addEventListener('error', refuse, { once: true })
    socket.addEventListener('close', refuse, { once: true })
  })
}

function waitForMessage(arrivals: EventTarget, signal: AbortSignal, failure: () => Error): Promise<void> {
  return new Promise((resolve, reject) => {
    arrivals.addEventListener('message', () => resolve(), { once: true, signal })
    signal.addEventListener('abort', () => reject(failure()), { once: true })
    if (signal.aborted) reject(failure())
  })
}
