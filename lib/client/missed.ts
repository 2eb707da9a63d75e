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

/** What a socket would have told of a job last; `undefined` of one that the service has forgotten. */
export async function missedOfJob(
  send: Send,
  channel: string,
  language: 'en' | 'ar' | undefined,
  signal: AbortSignal,
): Promise<Message | undefined> {
  try {
    const response = await send(`./jobs/${channel.slice('job:'.length)}`, { signal })
    return messageOf((await jsonOf<{ readonly job: Job }>(response, signal)).job, channel, language)
  } catch (error) {
    if (error instanceof TableError && error.code === 'job_not_found') return undefined
    throw error
  }
}

function messageOf(job: Job, channel: string, language: 'en' | 'ar' | undefined): Message {
  const { id, done, total, code, errors } = job
  if (!isOver(job)) return { event: 'bulk_action.progress', channel, id, data: { done, total } }
  const message = errors?.[language === 'ar' ? 1 : 0]
  return job.status === 'succeeded'
    ? { event: 'bulk_action.completed', channel, id, data: { success: true, ...job.result } }
    : { event: 'bulk_action.failed', channel, id, data: { success: false, code, errors, message } }
}
