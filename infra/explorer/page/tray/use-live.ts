import { useEffect } from 'react'
import type { Message } from '../../../../lib/client/index.ts'
import { clientIn, toFailure } from '../service/client.ts'
import { type SaidNotification, say, sayNotification } from '../state/messages.ts'
import { rememberUser, session } from '../state/session.ts'
import { useStore } from '../state/store.ts'
import { jobTitle } from './job-card.tsx'
import { forgetJob, listOpenJobs, progressJob, putJob } from './known-jobs.ts'
import { changeTray, isOver, tray } from './tray-state.ts'
import { trayTexts } from './tray-texts.ts'

type Language = 'en' | 'ar'

/** Reads the present state of a job into the tray, which forgets one that the service does not know. */
async function refreshJob(id: string, language: Language): Promise<void> {
  const isSameUser = rememberUser()
  const job = await clientIn(language)
    .job(id)
    .status()
    .catch((thrown: unknown) => {
      if (toFailure(thrown).code !== 'job_not_found') throw thrown
      return undefined
    })
  if (!isSameUser()) return
  if (job === undefined) return forgetJob(id)
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
/** No event reports a mail. */
const livePollMs = 3_000
const maxPollMs = 30_000
/** How many jobs are asked for at once: a page of many jobs must not use up the requests of its user. */
const maxPolled = 6

/**
 * Follows the caller's jobs and notifications for as long as the page is open: by a socket, and by asking where that is
 * silent.
 */
export function useLive(language: Language): void {
  const { token, asked: mustSignIn } = useStore(session)
  useEffect(() => {
    if (token === undefined || mustSignIn) return
    let isEnded = false
    let hasAsked = false
    const catchUp = async () => {
      void refreshNotifications(language).catch(ignore)
      for (const id of listOpenJobs()) {
        if (!isEnded) await refreshJob(id, language).catch(ignore)
      }
    }
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
      isEnded = true
      hasAsked = true
      close()
    }
  }, [token, mustSignIn, language])
  usePolls(language)
}

/**
 * Asks for the running jobs, a few at a time: less often while the page is hidden or no response comes, and not while
 * the user must sign in.
 */
function usePolls(language: Language): void {
  const { asked: mustSignIn } = useStore(session)
  const { jobs, isLive } = useStore(tray)
  const running = jobs.filter((job) => !isOver(job)).map(({ id }) => id)
  const asked = mustSignIn ? '' : running.join(' ')
  useEffect(() => {
    if (asked === '') return
    const ids = asked.split(' ')
    let timer: ReturnType<typeof setTimeout> | undefined
    let failures = 0
    let isEnded = false
    const pollLater = () => {
      // Requests that are under way when the page is shown end later, and must not begin a second series.
      clearTimeout(timer)
      const ms = (isLive ? livePollMs : pollMs) * 2 ** failures
      if (!isEnded) timer = setTimeout(poll, document.hidden ? maxPollMs : Math.min(ms, maxPollMs))
    }
    const poll = async () => {
      const now = ids.splice(0, maxPolled)
      ids.push(...now)
      const answers = await Promise.allSettled(now.map((id) => refreshJob(id, language)))
      failures = answers.every(({ status }) => status === 'rejected') ? failures + 1 : 0
      pollLater()
    }
    const pollSoon = () => {
      failures = 0
      pollLater()
    }
    pollLater()
    document.addEventListener('visibilitychange', pollSoon)
    return () => {
      isEnded = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', pollSoon)
    }
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
