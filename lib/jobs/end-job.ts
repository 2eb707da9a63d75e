import { filterHash, recordAudit } from '../actions/audit.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Run } from '../db/transaction.ts'
import { RequestError } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import { comparableAddress, readMailAddress } from '../mail/mail-address.ts'
import { createJobEvents, type JobEvents } from '../push/job-events.ts'
import { createNotification, type StoredNotification } from '../push/notification.ts'
import { pushNotification } from '../push/push.ts'
import { removeUnusedPlan } from '../storage/plans.ts'
import type { FileLink } from '../storage/store-file.ts'
import { count, type Invocation } from '../telemetry/invocation.ts'
import { log } from '../telemetry/log.ts'
import {
  actionLabel,
  hasEvents,
  type Job,
  type JobFailure,
  type JobProgress,
  JobStopped,
  jobLogFields,
  type LeasedJob,
  type Recipient,
} from './job.ts'
import { cancelledEnding, type Ending, failedEnding, mailedEnding } from './job-endings.ts'
import { hasEnded, lockEndingJob, readProgress, requestCancel, storeEnding } from './job-store.ts'
import { endUntriedMails, insertFailureMail, listRecipients } from './mail-store.ts'
import { retryWrite } from './retry-policy.ts'

interface EndingService {
  readonly config: Pick<Config, 'MAIL' | 'SOCKET_ENDPOINT'>
  readonly database: Database
  readonly invocation?: Invocation
}

interface EndOptions {
  /** The code of recipients whose mail was not tried. */
  readonly untried: string
  /** The worker's events, so that the last one comes after all others. Default: new ones. */
  readonly events?: JobEvents | undefined
}

interface WrittenEnd {
  readonly ending: Ending
  readonly notification: StoredNotification | undefined
  readonly unknownCount: number
}

/**
 * Ends a job: its state, notification and audit in one transaction, then the events. `decide` gets the final recipients
 * and progress. Throws `JobStopped` if the lease is lost, or for a job without a lease if a worker has begun.
 */
export async function endJob(
  service: EndingService,
  job: Job & Partial<LeasedJob>,
  decide: (recipients: readonly Recipient[], progress: JobProgress) => Ending,
  { untried, events }: EndOptions,
): Promise<void> {
  const written: WrittenEnd[] = []
  const storing = service.database.transaction(async ({ run }) => {
    await lockEndingJob(run, job)
    await endUntriedMails(run, job.id, untried)
    const progress = await readProgress(run, job.id)
    const recipients = await listRecipients(run, job.id)
    const ending = decide(recipients, progress)
    const notification = await writeEnding(run, job, ending, progress)
    if (service.config.MAIL === 'on') await requestFailureMail(run, job, ending, recipients, untried)
    const end = { ending, notification, unknownCount: recipients.filter(({ state }) => state === 'unknown').length }
    written.push(end)
    return end
  })
  const { ending, notification, unknownCount } = await storing.catch(async (error: unknown) => {
    const end = written.at(-1)
    const isUnknown = error instanceof RequestError && error.code === 'outcome_unknown'
    // No other worker ends a job under this lease: if it has ended, only the response to this commit was lost.
    if (
      end !== undefined &&
      isUnknown &&
      (await retryWrite(() => hasEnded(service.database, job.id)).catch(() => false))
    )
      return end
    throw error
  })
  if (unknownCount > 0) count(service.invocation, 'MailsUnknown', unknownCount)
  await announceEnding(service, job, ending, notification, events)
}

async function writeEnding(
  run: Run,
  job: Job,
  ending: Ending,
  progress: JobProgress,
): Promise<StoredNotification | undefined> {
  const { state, rows = progress.rows, notification } = ending
  await storeEnding(run, job.id, ending, rows, progress.done)
  if (job.kind === 'plan' && state !== 'succeeded') await removeUnusedPlan(run, job.id)
  // Reading a file changes no row: the audit has an entry when the import is applied.
  if (job.kind !== 'import') await auditEnding(run, job, ending, rows)
  if (notification === undefined) return undefined
  const { subject } = job.identity
  return createNotification(run, { ...notification, subject, dedupeKey: `job:${job.id}`, table: job.tableName })
}

async function auditEnding(run: Run, job: Job, { state, failure }: Ending, rows: number): Promise<void> {
  const { subject } = job.identity
  const entry = {
    subject,
    table: job.tableName,
    action: job.action,
    guard: job.guard,
    requestId: job.requestId,
    jobId: job.id,
    kind: job.kind === 'report' ? ('export' as const) : ('bulk' as const),
    filterHash: filterHash(job.body),
  }
  const done = job.kind === 'plan' && state === 'succeeded' ? 'planned' : state
  await recordAudit(run, entry, rows, state === 'failed' ? failure?.code : done)
}

/** Requests a mail that tells the owner of an e-mail job why it failed. `untried` is the code of untried recipients. */
async function requestFailureMail(
  run: Run,
  job: Job,
  { state, failure }: Ending,
  recipients: readonly Recipient[],
  untried: string,
): Promise<void> {
  if (job.response !== 'email' || failure === undefined || state === 'cancelled') return
  const address = readMailAddress(job.identity.email)
  if (address === undefined) return
  const own = recipients.find((one) => comparableAddress(one.address) === comparableAddress(address))
  // An address that SES has refused for good would be refused again.
  if (own?.state === 'failed' && own.code !== untried) return
  await insertFailureMail(run, job.id, address)
}

/** Best effort: the job's row stays authoritative. */
async function announceEnding(
  service: EndingService,
  job: Job,
  { state, result, failure }: Ending,
  notification: StoredNotification | undefined,
  events: JobEvents | undefined,
): Promise<void> {
  if (state === 'unknown') {
    const message =
      'SES did not say whether it took a mail of a job; ask the recipient before the job is requested again'
    log('warn', message, { ...jobLogFields(job), code: failure?.code })
  }
  if (notification !== undefined) await pushNotification(service, notification, job.language, job.identity)
  if (!hasEvents(job)) return
  const ownEvents = events ?? createJobEvents(service, job)
  if (state === 'succeeded') await ownEvents.completed({ ...result })
  else if (failure !== undefined) await ownEvents.failed(failure)
}

/** Ends a job whose work failed. A job with recipients may end as `succeeded` or `unknown`; see `mailedEnding`. */
export async function endFailedJob(
  service: EndingService,
  job: Job & Partial<LeasedJob>,
  failure: JobFailure,
  label: Bilingual,
  { events, link }: { readonly events?: JobEvents | undefined; readonly link?: FileLink | undefined } = {},
): Promise<void> {
  await endJob(
    service,
    job,
    (recipients, progress) =>
      recipients.length === 0
        ? failedEnding(job, failure, label, progress)
        : mailedEnding(job, recipients, { progress, link }, label, failure),
    { untried: failure.code, events },
  )
}

/**
 * Ends a job of this owner that waits, and asks the worker of a running one to end it. A finished job stays as it is.
 */
export async function cancelOwnJob(service: EndingService, jobId: string, subject: string): Promise<void> {
  const job = await requestCancel(service.database, jobId, subject)
  if (job === undefined) return
  const label = actionLabel({ key: job.action })
  const decide = (_: unknown, progress: JobProgress) => cancelledEnding(job, label, progress)
  await endJob(service, job, decide, { untried: 'cancelled' }).catch((error: unknown) => {
    // A worker has just begun and will find the request.
    if (!(error instanceof JobStopped)) throw error
  })
}
