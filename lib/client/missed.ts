import { isOver, type Job, type Message, type Notification } from './job.ts'
import { TableError } from './table-error.ts'
import { jsonOf, type Send } from './transport.ts'

interface Notifications {
  readonly items: readonly Notification[]
  readonly next: number | null
}

const list = async (send: Send, query: string, signal: AbortSignal) =>
  jsonOf<Notifications>(await send(`./notifications?${query}`, { signal }), signal)

/** The id of the newest notification; 0 where there is none. */
export const newestNotification = async (send: Send, signal: AbortSignal): Promise<number> =>
  (await list(send, 'limit=1', signal)).items[0]?.id ?? 0

/** What a socket would have told of the notifications after this one, the oldest first. */
export async function missedNotifications(send: Send, after: number, signal: AbortSignal): Promise<readonly Message[]> {
  const missed: Notification[] = []
  let next: number | null = Number.MAX_SAFE_INTEGER
  while (next !== null) {
    const page: Notifications = await list(send, `limit=100&after=${after}&before=${next}`, signal)
    missed.push(...page.items)
    next = page.next
  }
  return missed
    .reverse()
    .map((data) => ({ event: 'notification', channel: 'notifications', id: data.id, data: { ...data } }))
}

/**
 * What a socket would have told of a job after this `seq`; the job as it is now where the service no longer has the events.
 * `undefined` for a job that it has forgotten.
 */
export async function missedOfJob(
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
      const response = await send(`${path}?after=${seq}`, { signal })
      const { job, events = [] } = await jsonOf<JobWithEvents>(response, signal)
      missed.push(...events)
      const last = events.at(-1)
      // The end is never missed, also where its event is not kept any more.
      if (last === undefined)
        return isOver(job) || missed.length === 0 ? [...missed, messageOf(job, channel, language)] : missed
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

function messageOf(job: Job, channel: string, language: 'en' | 'ar' | undefined): Message {
  const { id, done, total, code, errors } = job
  if (!isOver(job)) return { event: 'bulk_action.progress', channel, id, data: { done, total } }
  const message = errors?.[language === 'ar' ? 1 : 0]
  return job.status === 'succeeded'
    ? { event: 'bulk_action.completed', channel, id, data: { success: true, ...job.result } }
    : { event: 'bulk_action.failed', channel, id, data: { success: false, code, errors, message } }
}
