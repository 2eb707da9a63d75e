import { useEffect } from 'react'
import { deployment } from '../service/deployment.ts'
import { Failure } from '../service/failure.ts'
import { send } from '../service/send.ts'
import type { Job, Notification } from '../service/wire.ts'
import { sayNotification } from '../state/messages.ts'
import { session } from '../state/session.ts'
import { useStore } from '../state/store.ts'
import { emptyTray, isOver, keptJobs, progressJob, putJob, setLive, setNotifications, tray } from './tray-state.ts'

interface Listing {
  readonly items: readonly Notification[]
  readonly unread_count: number
}

/** Asks what became of a job. One that is not the caller's is left alone. */
async function refreshJob(id: string, language: string): Promise<void> {
  const { job } = await send<{ job: Job }>(`${deployment.base}/jobs/${id}`, { language, quiet: true })
  putJob(job)
}

export async function refreshNotifications(language: string): Promise<void> {
  const { items, unread_count: unread } = await send<Listing>(`${deployment.base}/notifications?limit=30`, {
    language,
    quiet: true,
  })
  setNotifications(items, unread)
}

const ignore = () => undefined
const pollMs = 1_500
const slowPollMs = 6_000

/** Follows the caller's jobs and notifications for as long as the page is open: by a socket, and by asking where that is silent. */
export function useLive(language: string): void {
  const { token } = useStore(session)
  useEffect(() => {
    if (token === undefined) return emptyTray()
    const catchUp = () => {
      void refreshNotifications(language).catch(ignore)
      for (const id of new Set([...keptJobs(), ...tray.get().jobs.map((job) => job.id)])) {
        void refreshJob(id, language).catch(ignore)
      }
    }
    // The open socket catches up by itself; nothing is missed between the two.
    return listen(language, catchUp)
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
      // Mails are told of by no event.
      isLive ? slowPollMs / 2 : pollMs,
    )
    return () => clearInterval(timer)
  }, [asked, isLive, language])
}

const firstPauseMs = 500
const maxPauseMs = 30_000
const pingMs = 300_000

/** Keeps a socket open, opened by a ticket so that the token is in no address. Returns what ends it. */
function listen(language: string, caughtUp: () => void): () => void {
  let socket: WebSocket | undefined
  let pause = firstPauseMs
  let timer = 0
  let isEnded = false
  const again = () => {
    if (pause === firstPauseMs) caughtUp()
    setLive(false)
    pause = Math.min(pause * 2, maxPauseMs)
    if (!isEnded) timer = setTimeout(open, pause)
  }
  const open = () => {
    const asked = send<{ url: string }>(`${deployment.base}/socket-ticket`, { body: {}, language, quiet: true })
    asked.then(
      ({ url }) => {
        if (isEnded) return
        socket = new WebSocket(url)
        socket.onopen = () => {
          pause = firstPauseMs
          setLive(true)
          caughtUp()
        }
        socket.onmessage = ({ data }) => heard(String(data), language)
        socket.onclose = again
      },
      // A service without sockets, and a token that is not good, will not be other in a moment.
      (failure) => {
        if (!(failure instanceof Failure && [401, 404].includes(failure.status))) return again()
        setLive(false)
        caughtUp()
      },
    )
  }
  const ping = setInterval(() => socket?.readyState === WebSocket.OPEN && socket.send('{"event":"ping"}'), pingMs)
  open()
  return () => {
    isEnded = true
    clearTimeout(timer)
    clearInterval(ping)
    socket?.close()
  }
}

interface Heard {
  readonly event: string
  readonly id: string
  readonly data: unknown
}

function heard(text: string, language: string): void {
  const { event, id, data }: Heard = JSON.parse(text)
  if (event === 'bulk_action.started') progressJob(id, { status: 'running' })
  if (event === 'bulk_action.progress') progressJob(id, { status: 'running', ...(data as Pick<Job, 'done' | 'total'>) })
  if (event === 'bulk_action.completed' || event === 'bulk_action.failed') void refreshJob(id, language).catch(ignore)
  if (event === 'notification') {
    sayNotification(data as Notification)
    void refreshNotifications(language).catch(ignore)
  }
}
