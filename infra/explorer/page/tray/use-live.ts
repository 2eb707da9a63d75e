import { useEffect } from 'react'
import type { Message } from '../../../../lib/client/index.ts'
import { clientIn } from '../service/client.ts'
import { type SaidNotification, say, sayNotification } from '../state/messages.ts'
import { rememberUser, session } from '../state/session.ts'
import { useStore } from '../state/store.ts'
import { jobTitle } from './job-card.tsx'
import { progressJob, putJob, readKeptJobs } from './known-jobs.ts'
import { changeTray, isOver, tray } from './tray-state.ts'
import { trayTexts } from './tray-texts.ts'

type Language = 'en' | 'ar'

/** Reads the present state of a job into the tray. Rejects for a job of another caller, which its callers ignore. */
async function refreshJob(id: string, language: Language): Promise<void> {
  const isSameUser = rememberUser()
  const job = await clientIn(language).job(id).status()
  if (!isSameUser()) return
  const known = tray.get().jobs.find((one) => one.id === id)
  putJob(job)
  if (known !== undefined && !isOver(known) && isOver(job)) await tellEnd(id, language)
}

/** Says that a job is over, by the notification about it if there is one. */
async function tellEnd(id: string, language: Language): Promise<void> {
  await refreshNotifications(language).catch(ignore)
  const { jobs, notifications } = tray.get()
  const sent = notifications.find(({ data }) => data['job_id'] === id)
  if (sent !== undefined) return sayNotification(sent)
  const job = jobs.find((one) => one.id === id)
  const tone = job?.status === 'succeeded' ? 'success' : job?.status === 'failed' ? 'danger' : 'info'
  if (job !== undefined) say(tone, `${jobTitle(job, language)}: ${trayTexts[language].jobStates[job.status]}`)
}

export async function refreshNotifications(language: Language): Promise<void> {
  const isSameUser = rememberUser()
  const { items: notifications, unread_count: unread } = await clientIn(language).notifications({ limit: 30 })
  if (isSameUser()) changeTray({ notifications, unread })
}

const ignore = () => undefined
const pollMs = 1_500
const slowPollMs = 6_000

/**
 * Follows the caller's jobs and notifications for as long as the page is open: by a socket, and by asking where that is
 * silent.
 */
export function useLive(language: Language): void {
  const { token } = useStore(session)
  useEffect(() => {
    if (token === undefined) return
    const catchUp = async () => {
      void refreshNotifications(language).catch(ignore)
      for (const id of new Set([...readKeptJobs(), ...tray.get().jobs.map((job) => job.id)])) {
        void refreshJob(id, language).catch(ignore)
      }
    }
    let hasAsked = false
    const { close } = clientIn(language).connect({
      // The lists are asked for anyway, so that nothing is missed.
      catchUp: () => {
        hasAsked = true
        return catchUp()
      },
      onMessage: (message) => receive(message, language),
      onState: (state) => {
        changeTray({ isLive: state === 'open' })
        // A service without sockets, or one that cannot be reached, still has lists.
        if (state === 'open' || state === 'connecting' || hasAsked) return
        hasAsked = true
        void catchUp()
      },
    })
    return () => {
      hasAsked = true
      close()
    }
  }, [token, language])
  const { jobs, isLive } = useStore(tray)
  const running = jobs.filter((job) => !isOver(job)).map(({ id }) => id)
  const asked = running.join(' ')
  useEffect(() => {
    if (asked === '') return
    const timer = setInterval(
      () => {
        for (const id of asked.split(' ')) void refreshJob(id, language).catch(ignore)
      },
      // No event reports a mail.
      isLive ? slowPollMs / 2 : pollMs,
    )
    return () => clearInterval(timer)
  }, [asked, isLive, language])
}

function receive({ event, id, data }: Message, language: Language): void {
  const job = String(id)
  if (event === 'bulk_action.started') progressJob(job, { status: 'running' })
  if (event === 'bulk_action.progress') progressJob(job, { status: 'running', ...readProgress(data) })
  if (event === 'bulk_action.completed' || event === 'bulk_action.failed') void refreshJob(job, language).catch(ignore)
  if (event === 'notification') {
    const notification = readNotification(data)
    if (notification !== undefined) sayNotification(notification)
    void refreshNotifications(language).catch(ignore)
  }
}

const readProgress = ({ done, total }: Message['data']) => ({
  ...(typeof done === 'number' && { done }),
  ...(typeof total === 'number' && { total }),
})

/** Reads an entry of the list of notifications, which the service sends under the event of that name. */
function readNotification({ id, title, body, level }: Message['data']): SaidNotification | undefined {
  if (typeof id !== 'number' || typeof title !== 'string' || typeof body !== 'string') return undefined
  return { id, title, body, level: String(level) }
}
