import type { Counts } from '../actions/counts-message.ts'
import type { Database } from '../db/database.ts'

/** How far a job has come: only what is committed, whatever its worker was in the middle of. */
export interface Reached {
  /** How many rows were changed, or written to a file. */
  readonly rows: number
  /** How many rows it has met, those that were refused included. */
  readonly done: number
  /** Left out where nobody has counted the rows. */
  readonly total?: number
  /** Of an action that has met rows. */
  readonly counts?: Counts & { readonly selected: number }
}

const progress = `select job.kind, job.done, job.total,
  coalesce(sum((chunk.outcome ->> 'succeeded')::int), 0)::int, coalesce(sum((chunk.outcome ->> 'failed')::int), 0)::int
  from table_control.jobs job
  left join table_control.job_chunks chunk on chunk.job_id = job.id and chunk.done_at is not null
  where job.id = $1 group by job.id`

/** Reads how far a job has come: a report by what its worker has told, an action by its chunks that are done. */
export async function reachedBy(run: Database['read'], jobId: string): Promise<Reached> {
  const [row = []] = await run(progress, [jobId])
  const [kind, written, total, succeeded, failed] = row
  const known = typeof total === 'number' ? { total } : {}
  if (kind !== 'bulk') return { rows: Number(written ?? 0), done: Number(written ?? 0), ...known }
  const counts = { succeeded: Number(succeeded), failed: Number(failed) }
  const done = counts.succeeded + counts.failed
  const selected = known.total ?? done
  return { rows: counts.succeeded, done, ...known, ...(done > 0 && { counts: { selected, ...counts } }) }
}
