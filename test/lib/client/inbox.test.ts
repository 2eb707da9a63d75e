import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createInbox } from '../../../lib/client/inbox.ts'
import type { Message } from '../../../lib/client/job.ts'

const channel = 'job:7b8f3a52-2f7a-4a8e-9d3e-222222222222'
const id = channel.slice(4)
const event = (seq: number, name = 'progress'): Message => ({
  event: `bulk_action.${name}`,
  channel,
  id,
  seq,
  data: { done: seq, total: 9 },
})
const { signal } = new AbortController()

/** A service whose job has sent these events, and that answers when it is told to. */
function service(events: readonly Message[], status = 'running') {
  const asked: string[] = []
  const gate = Promise.withResolvers<void>()
  const send = async <T extends object>(target: string): Promise<T> => {
    asked.push(target)
    if (target.startsWith('./notifications')) return { items: [], next: null } as unknown as T
    await gate.promise
    const after = Number(new URL(target, 'http://service.test').searchParams.get('after'))
    const later = events.filter(({ seq = 0 }) => seq > after)
    return { job: { id, status, done: 9, total: 9, result: { rows: 9 } }, events: later } as unknown as T
  }
  return { send, asked, respond: () => gate.resolve() }
}

describe('a socket client that was away', () => {
  it('receives every event that it missed, in order and before those that came meanwhile', async () => {
    const { send, asked, respond } = service([1, 2, 3, 4].map((seq) => event(seq)))
    const messages: Message[] = []
    const box = createInbox(send, 'en', (message) => messages.push(message))
    box.accept(event(1))
    const caughtUp = box.catchUp(signal)
    // A socket delivers its messages in later turns of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    box.accept(event(5))
    respond()
    await caughtUp
    box.accept(event(6))
    expect(messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
    expect(asked).toContain(`./jobs/${id}?after=1`)
  })

  it('receives messages that came meanwhile after five seconds, however long the service takes', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { send, respond } = service([1, 2, 3, 4].map((seq) => event(seq)))
    const seqs: unknown[] = []
    const box = createInbox(send, 'en', ({ seq }) => seqs.push(seq))
    box.accept(event(1))
    const caughtUp = box.catchUp(signal)
    await vi.advanceTimersByTimeAsync(4_000)
    box.accept(event(3))
    expect(seqs).toEqual([1])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(seqs).toEqual([1, 3])
    respond()
    await caughtUp
    expect(seqs).toEqual([1, 3, 4])
  })

  it('receives the present state of a job whose events are no longer kept', async () => {
    const { send, respond } = service([], 'succeeded')
    const messages: Message[] = []
    const box = createInbox(send, 'en', (message) => messages.push(message))
    box.accept(event(1))
    respond()
    await box.catchUp(signal)
    expect(messages.at(-1)).toMatchObject({ event: 'bulk_action.completed', data: { success: true, rows: 9 } })
  })

  it('receives the end once if it missed the last events', async () => {
    const { send, respond } = service([event(1), event(2, 'completed')], 'succeeded')
    const messages: Message[] = []
    const box = createInbox(send, 'en', (message) => messages.push(message))
    box.watch(id)
    respond()
    await box.catchUp(signal)
    await box.catchUp(signal)
    expect(messages.map(({ event: name }) => name)).toEqual(['bulk_action.progress', 'bulk_action.completed'])
  })
})
