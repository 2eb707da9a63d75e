import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { type Config, loadConfig } from '../config.ts'
import { createDatabase, type Database } from '../db/database.ts'
import type { JobWorker } from '../jobs/job.ts'
import { hideMessage, parseMessage, wakeWatchers } from '../jobs/queue.ts'
import { type MessageDisposition, workOnJob } from '../jobs/work-on-job.ts'
import { sendRowChanges } from '../operations/send-row-changes.ts'
import { continuePoll, pollSeconds } from '../push/row-polls.ts'
import type { Registry } from '../table/registry.ts'
import { addFacts, beginInvocation, count, type Invocation } from '../telemetry/invocation.ts'
import { beginLog, flushLog } from '../telemetry/log.ts'
import { isClientFailure, logFailure, logJobFailure } from '../telemetry/log-failure.ts'
import { logWork } from '../telemetry/log-invocation.ts'

/** The resources that all jobs of one process share. */
export type WorkerService = Omit<JobWorker, 'registry' | 'invocation'>

export type QueueHandler = (
  event: SQSEvent,
  context?: Pick<Context, 'getRemainingTimeInMillis'> & Partial<Pick<Context, 'awsRequestId'>>,
) => Promise<SQSBatchResponse>

/**
 * In Lambda one is used at a time; a process that works on several batches at once must not make one wait for the
 * other.
 */
const maxTransactions = 10

/** A report of millions of rows may have to sort all of them before its first row, and no client waits for it. */
const maxStatementMs = 600_000

/** Connects nothing yet. Its transactions of minutes have connections of their own. */
export const createWorkerService = (config: Config): WorkerService & { readonly work: Database } => ({
  config,
  database: createDatabase(config),
  work: createDatabase({
    ...config,
    DATABASE_CONNECTIONS: maxTransactions,
    DATABASE_STATEMENT_TIMEOUT_MS: maxStatementMs,
    DATABASE_DEADLINE_MS: maxStatementMs + 10_000,
    applicationName: 'table-control-work',
  }),
})

let processInstance: WorkerService | undefined

function processWorker(): WorkerService {
  processInstance ??= createWorkerService(loadConfig())
  return processInstance
}

/**
 * The Lambda handler behind the queue: works on the jobs of a batch one after the other. A message that is reported as
 * failed is delivered again; an unreadable one until it is in the dead-letter queue.
 */
export const reportWorker =
  (registry: Registry, service: () => WorkerService = processWorker): QueueHandler =>
  async ({ Records }, lambda) => {
    const invocation = beginInvocation('reportWorker', lambda?.awsRequestId ?? '')
    const worker = { ...service(), registry, invocation }
    beginLog(worker.config)
    const remainingMs = () => lambda?.getRemainingTimeInMillis() ?? Number.POSITIVE_INFINITY
    const allMs = remainingMs()
    const failed: SQSRecord[] = []
    for (const record of Records) {
      // A long report must not be cut short because it came behind another one.
      const pause = remainingMs() < allMs / 2 ? minPauseSeconds : await receive(worker, record, remainingMs)
      if (pause === undefined) continue
      await hideMessage(worker.config, record.receiptHandle, pause, findJobId(record.body))
      failed.push(record)
    }
    logWork(invocation)
    await flushLog()
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  }

/** The pause before a retry that needs no waiting: another worker takes the message at once. */
const minPauseSeconds = 1
/** Longer than a lease, so that the job is there to be taken again. */
const firstPauseSeconds = 75

/** After how many seconds the message is to come back; `undefined` where it need not. */
async function receive(
  worker: JobWorker,
  { body, messageId, attributes }: SQSRecord,
  remainingMs: () => number,
): Promise<number | undefined> {
  const about = { requestId: messageId, route: 'reportWorker' }
  const message = parseMessage(body)
  if (message !== undefined && 'watched' in message) {
    await notifyWatchers(worker, message.watched, message.poll, about)
    return undefined
  }
  const jobId = message?.job
  // On a later delivery, the age includes the pauses of retries and does not measure the wait for a worker.
  if (attributes.ApproximateReceiveCount === '1') {
    addFacts(worker.invocation, { queueAge: Math.max(0, Date.now() - Number(attributes.SentTimestamp)) })
  }
  if (jobId === undefined) {
    logFailure(new Error('The message is not one of this service'), about)
    return minPauseSeconds
  }
  const { isOutcomeLost, ...disposition } = await workOnJob(worker, jobId, { remainingMs }).catch(
    (cause: unknown): MessageDisposition => ({ cause, isOutcomeLost: true }),
  )
  const again = isOutcomeLost
    ? firstPauseSeconds * 2 ** Math.min(Number(attributes.ApproximateReceiveCount) - 1, 5)
    : disposition.retryAfterSeconds
  const treated = again === undefined ? disposition : { ...disposition, retryAfterSeconds: again }
  logDisposition(treated, { ...about, job: disposition.job?.id ?? jobId })
  countDisposition(worker.invocation, treated)
  // The job is due by then, and not a moment later.
  return again === undefined ? undefined : again + 1
}

function findJobId(body: string): string | undefined {
  const message = parseMessage(body)
  return message !== undefined && 'job' in message ? message.job : undefined
}

/** Never rejects: the sweep sends the message again. */
async function notifyWatchers(
  worker: JobWorker,
  tableName: string,
  poll: number | undefined,
  about: { readonly requestId: string; readonly route: string },
): Promise<void> {
  try {
    // A message that other messages have overtaken ends.
    if (poll !== undefined && !(await pollAgain(worker, tableName, poll))) return
    await sendRowChanges(worker, tableName)
  } catch (error) {
    logFailure(error, about)
  }
}

/**
 * Sends the next message of a poll, as long as the table is watched. Returns false if the message was overtaken by
 * another.
 */
async function pollAgain({ config, database }: JobWorker, tableName: string, poll: number): Promise<boolean> {
  const next = await continuePoll(database, tableName, poll)
  if (next === undefined) return false
  await wakeWatchers(config, tableName, pollSeconds, next)
  return true
}

/** Does not count a job that ended by its owner's mistake as failed: no operator can repair it. */
function countDisposition(invocation: Invocation | undefined, { cause, retryAfterSeconds }: MessageDisposition): void {
  if (cause === undefined) return
  if (retryAfterSeconds !== undefined) count(invocation, 'JobsRetried')
  else if (!isClientFailure(cause)) count(invocation, 'JobsFailed')
}

function logDisposition(
  { cause, job, retryAfterSeconds }: MessageDisposition,
  about: { readonly requestId: string; readonly route: string; readonly job: string },
): void {
  if (cause === undefined) return
  const facts = job && { requestId: job.requestId, table: job.tableName, action: job.action, attempt: job.attempts }
  logJobFailure(cause, {
    ...about,
    ...facts,
    ...(retryAfterSeconds !== undefined && { againAfterSeconds: retryAfterSeconds }),
  })
}
