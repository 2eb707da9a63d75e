import type { Job, JobRef } from '../service/wire.ts'
import { changeTray, isOver, titlesKey, tray } from './tray-state.ts'

type KeptTitle = readonly [id: string, title?: string | null]

function readKeptTitles(): readonly KeptTitle[] {
  try {
    return JSON.parse(sessionStorage.getItem(titlesKey) ?? '[]')
  } catch {
    return []
  }
}

/** The jobs that this tab knew before it was loaded anew. */
export const readKeptJobs = (): readonly string[] => readKeptTitles().map(([id]) => id)

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
  const next = known ? jobs.map((one) => (one === known ? titled : one)) : [titled, ...jobs]
  sessionStorage.setItem(titlesKey, JSON.stringify(next.map(({ id, title: called }) => [id, called])))
  changeTray({ jobs: next })
}

/** How far a job is, as an event tells. */
export function progressJob(id: string, changed: Partial<Job>): void {
  const job = tray.get().jobs.find((one) => one.id === id)
  if (job !== undefined) putJob({ ...job, ...changed })
}
