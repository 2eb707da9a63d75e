import type { Job, JobRef } from '../service/wire.ts'
import { tabTexts } from '../state/kept-texts.ts'
import { changeTray, isOver, titlesKey, tray } from './tray-state.ts'

/** A page that is loaded anew asks for each of them. */
const maxKept = 50

type KeptTitle = readonly [id: string, title?: string | null]

function readKeptTitles(): readonly KeptTitle[] {
  const kept = tabTexts.readJson(titlesKey)
  return Array.isArray(kept) ? kept.filter((one): one is KeptTitle => Array.isArray(one)) : []
}

/** The jobs of which more is to be known, the latest last: those that run, and those from before a reload. */
export function listOpenJobs(): readonly string[] {
  const { jobs } = tray.get()
  const over = new Set(jobs.filter(isOver).map(({ id }) => id))
  const ids = new Set([...readKeptTitles(), ...jobs.map(({ id }) => [id] as const)].map(([id]) => id))
  return [...ids].filter((id) => !over.has(id)).reverse()
}

const findKeptTitle = (id: string): string | undefined => readKeptTitles().find(([one]) => one === id)?.[1] ?? undefined

/** Takes up a job that was just begun by the action called `title`. */
export const trackJob = ({ id, status }: JobRef, title: string): void => putJob({ id, status, title })

/** A job as the service tells of it. What came late must not begin a job again that is over. */
export function putJob(job: Job): void {
  const { jobs } = tray.get()
  const known = jobs.find(({ id }) => id === job.id)
  if (known !== undefined && isOver(known) && !isOver(job)) return
  const title = job.title ?? known?.title ?? findKeptTitle(job.id)
  const titled = { ...job, ...(title !== undefined && { title }) }
  keepJobs(known ? jobs.map((one) => (one === known ? titled : one)) : [titled, ...jobs])
}

/** Forgets a job that the service does not know. */
export function forgetJob(id: string): void {
  keepJobs(
    tray.get().jobs.filter((one) => one.id !== id),
    id,
  )
}

/** Shows these jobs, and keeps the names of the latest of them, and of those that are still to be read. */
function keepJobs(jobs: readonly Job[], forgotten?: string): void {
  const shown = jobs.map(({ id, title }) => [id, title] as const)
  const isShown = new Set([...shown.map(([id]) => id), forgotten])
  const unread = readKeptTitles().filter(([id]) => !isShown.has(id))
  tabTexts.write(titlesKey, JSON.stringify([...shown, ...unread].slice(0, maxKept)))
  changeTray({ jobs })
}

/** How far a job is, as an event tells. */
export function progressJob(id: string, changed: Partial<Job>): void {
  const job = tray.get().jobs.find((one) => one.id === id)
  if (job !== undefined) putJob({ ...job, ...changed })
}
