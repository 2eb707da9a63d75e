import { filterHash, recordAudit } from '../actions/audit.ts'
import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import { type JobEvents, jobEvents } from '../push/job-events.ts'
import type { StoredNotification } from '../push/notification.ts'
import { createNotification, type NewNotification } from '../push/notification.ts'
import { pushNotification } from '../push/push.ts'
import { count, type Invocation } from '../telemetry/invocation.ts'
import { log } from '../telemetry/log.ts'
import { requestFailureMail } from './failure-mail-request.ts'
import { type HeldJob, type Job, type JobFailure, jobFacts } from './job.ts'
import type { JobResult } from './job-result.ts'
import { JobStopped } from './job-stopped.ts'
import { type Recipient, recipientsOf } from './mail-recipients.ts'
import { type Reached, reachedBy } from './reached.ts'

/** How a job ends. */
export interface Ending {
  readonly state: 'succeeded' | 'failed' | 'cancelled' | 'unknown'
  /** For the audit, of a job that came to its end; left out: what was reached. */
  readonly rows?: number
  readonly result?: JobResult
  /** Also of a job that succeeded for some of its recipients only. */
  readonly failure?: JobFailure
  readonly notification?: Omit<NewNotification, 'subject' | 'dedupeKey'>
}

interface EndingService {
  readonly config: Pick<Config, 'SOCKET_ENDPOINT'>
  readonly database: Database
  readonly invocation?: Invocation
}

/** What the recipients of a job that ends get who have not been tried. */
interface EndOptions {
  readonly untried: string
  /** Of the worker, so that the last event comes after all others; made here when left out. */
  readonly events?: JobEvents
}

/**
 * Ends a job for good: its state, the notification and the audit in one transaction, then the events. `decide` sees what became
 * of the mails and how far the job has come, which nobody changes any more. Throws `JobStopped` for a job that is not in this worker's hands, and for one without a worker that has begun.
 */
export async function endJob(
  service: EndingService,
  job: Job & Partial<HeldJob>,
  decide: (recipients: readonly Recipient[], reached: Reached) => Ending,
  { untried, events }: EndOptions,
): Promise<Ending> {
  const { ending, notification, unknown } = await service.database.transaction(async ({ run }) => {
    await takeHold(run, job)
    await run(settled, [job.id, untried])
    const reached = await reachedBy(run, job.id)
    const recipients = await recipientsOf(run, job.id)
    const ending = decide(recipients, reached)
    const unknown = recipients.filter(({ state }) => state === 'unknown').length
    const notification = await writeEnding(run, job, ending, reached)
    await requestFailureMail(run, job, ending, recipients, untried)
    return { ending, unknown, notification }
  })
  if (unknown > 0) count(service.invocation, 'MailsUnknown', unknown)
  await tell(service, job, ending, notification, events)
  return ending
}

const hold = `select true from table_control.jobs where id = $1
  and case when $2::uuid is null then state = 'queued' else state = 'running' and lease_token = $2 end for update`

async function takeHold(run: Transaction['run'], { id, leaseToken }: Job & Partial<HeldJob>): Promise<void> {
  const held = await run(hold, [id, leaseToken ?? null])
  if (held.length === 0) throw new JobStopped('lost')
}

const settled = `update table_control.job_recipients set updated_at = now(),
  state = case state when 'pending' then 'failed' else 'unknown' end,
  code = case state when 'pending' then $2 else 'interrupted' end
  where job_id = $1 and state in ('pending', 'sending')`

const end = `update table_control.jobs set state = $2, result = $3, failure = $4, finished_at = now(),
  lease_token = null, lease_until = null, not_before = null,
  done = case when $5 then greatest(done, total, $6) else $7 end,
  total = case when $5 then greatest(done, total, $6) else total end
  where id = $1`

async function writeEnding(
  run: Transaction['run'],
  job: Job,
  ending: Ending,
  reached: Reached,
): Promise<StoredNotification | undefined> {
  const { state, rows = reached.rows, result, failure, notification } = ending
  const texts = [result, failure].map((value) => (value === undefined ? null : JSON.stringify(value)))
  const isWhole = state === 'succeeded' || state === 'unknown'
  await run(end, [job.id, state, ...texts, isWhole, rows, reached.done])
  const { subject } = job.identity
  const entry = {
    ...{ subject, table: job.tableName, action: job.action, guard: job.guard, requestId: job.requestId, jobId: job.id },
    kind: job.kind === 'report' ? ('export' as const) : ('bulk' as const),
    filterHash: filterHash(job.body),
  }
  await recordAudit(run, entry, rows, state === 'failed' ? failure?.code : state)
  if (notification === undefined) return undefined
  return createNotification(run, { ...notification, subject, dedupeKey: `job:${job.id}` })
}

/** What is lost here, the job's row tells. */
async function tell(
  service: EndingService,
  job: Job,
  { state, result, failure }: Ending,
  notification: StoredNotification | undefined,
  events: JobEvents | undefined,
): Promise<void> {
  if (state === 'unknown') {
    log('warn', 'it is not known whether a mail was sent', { ...jobFacts(job), code: failure?.code })
  }
  if (notification !== undefined) await pushNotification(service, notification, job.language)
  if (job.response !== 'websocket') return
  const heard = events ?? jobEvents(service, { id: job.id, subject: job.identity.subject, language: job.language })
  if (state === 'succeeded') await heard.completed({ ...result })
  else if (failure !== undefined) await heard.failed(failure)
}
