import type { Job, JobRef, Notification } from '../service/wire.ts'
import { createStore } from '../state/store.ts'

export type TrayTab = 'jobs' | 'notifications'

export interface TrayState {
  readonly jobs: readonly Job[]
  readonly notifications: readonly Notification[]
  readonly unread: number
  /** Whether events arrive as they happen. */
  readonly isLive: boolean
  readonly open: TrayTab | undefined
}

const empty: TrayState = { jobs: [], notifications: [], unread: 0, isLive: false, open: undefined }

/** The jobs that were begun in this tab and the caller's notifications, the newest first. */
export const tray = createStore(empty)

const change = (changed: Partial<TrayState>) => tray.set({ ...tray.get(), ...changed })

const key = 'explorer-titled-jobs'

/** The jobs that this tab knew before it was loaded anew. */
export const readKeptJobs = (): readonly string[] => readKeptTitles().map(([id]) => id)

type KeptTitle = readonly [id: string, title?: string | null]

function readKeptTitles(): readonly KeptTitle[] {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '[]')
  } catch {
    return []
  }
}

const findKeptTitle = (id: string): string | undefined => readKeptTitles().find(([one]) => one === id)?.[1] ?? undefined

export const openTray = (open: TrayTab | undefined): void => change({ open })
export const setLive = (isLive: boolean): void => change({ isLive })
export const setNotifications = (notifications: readonly Notification[], unread: number): void =>
  change({ notifications, unread })

export const isOver = ({ status }: JobRef): boolean => !['queued', 'running'].includes(status)

/** Empties the tray, because another caller has other jobs and notifications. */
export function emptyTray(): void {
  sessionStorage.removeItem(key)
  tray.set(empty)
}

/** Takes up a job that was just begun by the action called `title`. */
export const trackJob = ({ id, status }: JobRef, title: string): void => putJob({ id, status, title })

/** A job as the service tells of it. What came late must not begin a job again that is over. */
export function putJob(job: Job): void {
  const { jobs } = tray.get()
  const known = jobs.find(({ id }) => id === job.id)
  if (known !== undefined && isOver(known) && !isOver(job)) return
  const title = job.title ?? known?.title ?? findKeptTitle(job.id)
  const titled = { ...job, ...(title !== undefined && { title }) }
  const next = known ? jobs.map((one) => (one === known ? titled : one)) : [titled, ...jobs]
  sessionStorage.setItem(key, JSON.stringify(next.map(({ id, title: called }) => [id, called])))
  change({ jobs: next })
}

/** How far a job is, as an event tells. */
export function progressJob(id: string, changed: Partial<Job>): void {
  const job = tray.get().jobs.find((one) => one.id === id)
  if (job !== undefined) putJob({ ...job, ...changed })
}
