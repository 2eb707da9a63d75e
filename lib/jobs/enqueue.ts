import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { RequestError } from '../errors/request-error.ts'
import { sendJob } from './queue.ts'

interface QueueService {
  readonly config: Pick<Config, 'QUEUE_URL'>
  readonly database: Database
}

/** The row of an `Idempotency-Key` that remembers the answer to a request. */
interface KeptAnswer {
  readonly subject: string
  readonly key: string
}

/**
 * Gives a job that is committed to the queue. Where the queue does not take it, the job is ended as `unavailable` and the
 * answer that was kept for its request is forgotten, so that the same request may be sent again; then it throws `unavailable`.
 * A job that was begun meanwhile was taken all the same, and is left to its worker. Throws `outcome_unknown` if the job cannot
 * be ended either: the sweep then sends it again.
 */
export async function enqueueOrAbandon(service: QueueService, jobId: string, kept?: KeptAnswer): Promise<void> {
  try {
    await sendJob(service.config, jobId)
  } catch (error) {
    const isAbandoned = await abandoned(service.database, jobId, kept).catch((cause) => Promise.reject(inDoubt(cause)))
    if (isAbandoned) throw error
    return
  }
  // Not written, it only makes the sweep send a message that nobody needs.
  await service.database.transaction(({ run }) => run(enqueued, [jobId])).catch(() => undefined)
}

const inDoubt = (cause: unknown): RequestError => new RequestError('outcome_unknown', {}, { cause })

const enqueued = 'update table_control.jobs set enqueued_at = now() where id = $1'

const abandonment = `update table_control.jobs
  set state = 'failed', finished_at = now(), failure = $2
  where id = $1 and state = 'queued' and attempts = 0 and started_at is null returning true`

/** Nobody is to wait for what the answer to the request will not promise. */
const unsaid = `with untried as (
    update table_control.job_recipients set state = 'failed', code = 'unavailable', updated_at = now()
    where job_id = $1 and state = 'pending')
  delete from table_control.notifications told using table_control.jobs job
  where job.id = $1 and told.subject = job.subject and told.data ->> 'job_id' = job.id::text`

const forgetting = 'delete from table_control.idempotency_keys where subject = $1 and key = $2'

/** False where a worker has ever begun: then the queue had taken the message, and only its answer was lost. */
async function abandoned(database: Database, jobId: string, kept: KeptAnswer | undefined): Promise<boolean> {
  const { code, text } = new RequestError('unavailable')
  return database.transaction(async ({ run }) => {
    const rows = await run(abandonment, [jobId, JSON.stringify({ code, ...text })])
    if (rows.length === 0) return false
    await run(unsaid, [jobId])
    if (kept !== undefined) await run(forgetting, [kept.subject, kept.key])
    return true
  })
}
