import { isFinished, type Job, type Message, type Notification } from './job.ts'
import { createNotificationCalls, type NotificationPage } from './read-notifications.ts'
import { TableError } from './table-error.ts'
import type { Send } from './transport.ts'

export interface Inbox {
  /** Delivers a message of a socket, unless it was delivered before or is older than the last one. */
  readonly accept: (message: Message) => void
  /** Makes `catchUp` fetch the end of a job of which no socket has reported anything yet. */
  readonly watch: (jobId: string) => void
  /**
   * Delivers the messages that were missed while no socket was open. The first call only reads the newest
   * notification's id.
   */
  readonly catchUp: (signal: AbortSignal) => Promise<void>
}

/** How long messages wait for missed ones. What is older than a delivered message of its job is then dropped. */
const maxHeldMs = 5_000

/** The sequence number of a job whose end was delivered: nothing follows. */
const finished = Number.POSITIVE_INFINITY

/**
 * Creates the filter between sockets and listeners: each notification is delivered once, the messages of a job in
 * order. `deliver` must not throw.
 */
export function createInbox(send: Send, language: 'en' | 'ar' | undefined, deliver: (message: Message) => void): Inbox {
  const seen = new Set<string | number>()
  const lastSeqs = new Map<string, number>()
  /** The last notification that a request has read. A pushed one says nothing of those before it: they may be lost. */
  let newest: number | undefined

  const isNew = ({ event, channel, id, seq }: Message): boolean => {
    if (event === 'notification') {
      newest ??= Number(id)
      return seen.size < seen.add(id).size
    }
    if (channel?.startsWith('job:') !== true) return false
    const last = lastSeqs.get(channel) ?? 0
    if (last === finished || (seq !== undefined && seq <= last)) return false
    const isEnd = event === 'bulk_action.completed' || event === 'bulk_action.failed'
    lastSeqs.set(channel, isEnd ? finished : (seq ?? last))
    return true
  }
  const accept = (message: Message): void => {
    if (isNew(message)) deliver(message)
  }
  /** Messages that arrive during `catchUp`: delivered after the missed ones, which would count as old otherwise. */
  let waiting: Message[] | undefined
  let caughtUp: Promise<void> = Promise.resolve()

  async function catchUp(signal: AbortSignal): Promise<void> {
    waiting = []
    const timer = setTimeout(release, maxHeldMs)
    await acceptMissed(signal).finally(() => {
      clearTimeout(timer)
      release()
    })
  }
  function release(): void {
    const arrived = waiting ?? []
    waiting = undefined
    for (const message of arrived) accept(message)
  }
  async function acceptMissed(signal: AbortSignal): Promise<void> {
    if (newest === undefined) {
      const found = await findNewestNotification(send, signal)
      newest ??= found
    } else
      for (const message of await readMissedNotifications(send, newest, signal)) {
        accept(message)
        newest = Number(message.id)
      }
    for (const [channel, seq] of lastSeqs) {
      if (seq === finished) continue
      const messages = await readMissedJobMessages(send, channel, seq, language, signal)
      if (messages === undefined) lastSeqs.delete(channel)
      else for (const message of messages) accept(message)
    }
  }

  return {
    accept: (message) => {
      if (waiting === undefined) accept(message)
      else waiting.push(message)
    },
    watch: (jobId) => lastSeqs.set(`job:${jobId}`, lastSeqs.get(`job:${jobId}`) ?? 0),
    // Calls run one after the other: each ends by delivering the messages that waited for it.
    catchUp: (signal) => {
      const next = caughtUp.then(() => catchUp(signal))
      caughtUp = next.catch(() => undefined)
      return next
    },
  }
}

/** Returns the id of the newest notification; 0 if there is none. */
const findNewestNotification = async (send: Send, signal: AbortSignal): Promise<number> =>
  (await createNotificationCalls(send).notifications({ limit: 1 }, { signal })).items[0]?.id ?? 0

/** Returns the messages of the notifications after the id `after`, oldest first. */
async function readMissedNotifications(send: Send, after: number, signal: AbortSignal): Promise<readonly Message[]> {
  const { notifications } = createNotificationCalls(send)
  const missed: Notification[] = []
  let next: number | null = Number.MAX_SAFE_INTEGER
  while (next !== null) {
    const page: NotificationPage = await notifications({ limit: 100, after, before: next }, { signal })
    missed.push(...page.items)
    next = page.next
  }
  return missed
    .reverse()
    .map((data) => ({ event: 'notification', channel: 'notifications', id: data.id, data: { ...data } }))
}

/**
 * Returns the messages of a job after the sequence number `after`, or its present state if the service no longer has
 * the events. Returns undefined for a job that the service has deleted.
 */
async function readMissedJobMessages(
  send: Send,
  channel: string,
  after: number,
  language: 'en' | 'ar' | undefined,
  signal: AbortSignal,
): Promise<readonly Message[] | undefined> {
  const path = `./jobs/${channel.slice('job:'.length)}`
  const missed: Message[] = []
  try {
    for (let seq = after; ; ) {
      const { job, events = [] } = await send<JobWithEvents>(`${path}?after=${seq}`, { signal })
      missed.push(...events)
      const last = events.at(-1)
      // The end is delivered although the service may no longer have its event.
      if (last === undefined)
        return isFinished(job) || missed.length === 0 ? [...missed, toMessage(job, channel, language)] : missed
      seq = last.seq
    }
  } catch (error) {
    if (error instanceof TableError && error.code === 'job_not_found') return undefined
    throw error
  }
}

interface JobWithEvents {
  readonly job: Job
  readonly events?: readonly (Message & { readonly seq: number })[]
}

function toMessage(job: Job, channel: string, language: 'en' | 'ar' | undefined): Message {
  const { id, done, total, code, errors } = job
  if (!isFinished(job)) return { event: 'bulk_action.progress', channel, id, data: { done, total } }
  const message = errors?.[language === 'ar' ? 1 : 0]
  return job.status === 'succeeded'
    ? { event: 'bulk_action.completed', channel, id, data: { success: true, ...job.result } }
    : { event: 'bulk_action.failed', channel, id, data: { success: false, code, errors, message } }
}
