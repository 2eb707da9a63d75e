import type { Message } from './job.ts'
import { missedNotifications, missedOfJob, newestNotification } from './missed.ts'
import type { Send } from './transport.ts'

export interface Inbox {
  /** Tells a message of a socket, unless it is known or older than what was told. */
  readonly accept: (message: Message) => void
  /** Asks for a job's end where it is missed; jobs of which a socket has told are known anyway. */
  readonly watch: (jobId: string) => void
  /** Tells what came about while no socket was open. The first time it only finds out where notifications stand. */
  readonly catchUp: (signal: AbortSignal) => Promise<void>
}

/** After the end of a job nothing more is told of it. */
const over = Number.POSITIVE_INFINITY

/** Tells each notification once, and nothing of a job that is older than what was told before. */
export function inbox(send: Send, language: 'en' | 'ar' | undefined, tell: (message: Message) => void): Inbox {
  const told = new Set<string | number>()
  const heard = new Map<string, number>()
  let newest: number | undefined

  const isNew = ({ event, channel, id, seq }: Message): boolean => {
    if (event === 'notification') {
      newest = Math.max(newest ?? 0, Number(id))
      return told.size < told.add(id).size
    }
    if (channel?.startsWith('job:') !== true) return false
    const last = heard.get(channel) ?? 0
    if (last === over || (seq !== undefined && seq <= last)) return false
    const isEnd = event === 'bulk_action.completed' || event === 'bulk_action.failed'
    heard.set(channel, isEnd ? over : (seq ?? last))
    return true
  }
  const accept = (message: Message): void => {
    if (isNew(message)) tell(message)
  }
  /** What sockets tell while the missed messages are asked for: told after these, or it would make them old. */
  let waiting: Message[] | undefined
  let caughtUp: Promise<void> = Promise.resolve()

  async function catchUp(signal: AbortSignal): Promise<void> {
    waiting = []
    try {
      await acceptMissed(signal)
    } finally {
      const held = waiting
      waiting = undefined
      for (const message of held) accept(message)
    }
  }
  async function acceptMissed(signal: AbortSignal): Promise<void> {
    if (newest === undefined) newest = await newestNotification(send, signal)
    else for (const message of await missedNotifications(send, newest, signal)) accept(message)
    for (const [channel, seq] of heard) {
      if (seq === over) continue
      const messages = await missedOfJob(send, channel, seq, language, signal)
      if (messages === undefined) heard.delete(channel)
      else for (const message of messages) accept(message)
    }
  }

  return {
    accept: (message) => {
      if (waiting === undefined) accept(message)
      else waiting.push(message)
    },
    watch: (jobId) => heard.set(`job:${jobId}`, heard.get(`job:${jobId}`) ?? 0),
    // One after the other: each ends with the messages that waited for it.
    catchUp: (signal) => {
      const next = caughtUp.then(() => catchUp(signal))
      caughtUp = next.catch(() => undefined)
      return next
    },
  }
}
