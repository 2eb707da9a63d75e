import { rm } from 'node:fs/promises'
import type { ActionTarget } from '../actions/action-rows.ts'
import { findAction } from '../actions/find-action.ts'
import { toJobBody } from '../actions/known-keys.ts'
import { isWork } from '../actions/run-chunk.ts'
import { authenticateOwner } from '../auth/authenticate-caller.ts'
import type { Identity } from '../auth/identity.ts'
import type { Config } from '../config.ts'
import { RequestError } from '../errors/request-error.ts'
import type { JobEvents } from '../push/job-events.ts'
import { nameFailedColumn } from '../query/failed-column.ts'
import { nameStaleToken } from '../query/stale-token.ts'
import type { EndpointName } from '../routes.ts'
import { admitCaller, openTable } from '../table/open-table.ts'
import type { Registry } from '../table/registry.ts'
import { ownValue } from '../table/unknown-body.ts'
import { endJob } from './end-job.ts'
import {
  actionLabel,
  type Job,
  type JobControl,
  type JobOutcome,
  type JobProgress,
  JobStopped,
  type JobTarget,
  type JobWorker,
  type LeasedJob,
  type Recipient,
  untilAbandoned,
} from './job.ts'
import { createJobDirectory } from './job-directory.ts'
import { doneEnding, mailedEnding } from './job-endings.ts'
import { sendJobMails } from './job-mails.ts'
import { createJobResult } from './job-result.ts'
import { saveRowCount } from './job-store.ts'
import type { Lease } from './lease.ts'
import { listRecipients } from './mail-store.ts'
import { maxAttempts } from './retry-policy.ts'
import { orTimeout, runBulk } from './run-bulk.ts'
import { runExport } from './run-export.ts'
import { runImport } from './run-import.ts'
import { runPlan } from './run-plan.ts'

/** Runs one attempt at a job, from its start or its last chunk, and ends the job. Throws if the attempt fails. */
export async function runJob(
  worker: JobWorker,
  job: LeasedJob,
  lease: Lease,
  events: JobEvents | undefined,
): Promise<void> {
  if (await isMailed(worker, job)) return endMailedJob(worker, job)
  if (job.cancelRequested) throw new JobStopped('cancelled')
  // The workers of the attempts before were killed, so none of them could end the job.
  if (job.attempts > maxAttempts) throw new RequestError('internal_error')
  // The stage may have been set to send none since the request: nothing may change that cannot be delivered.
  if (job.response === 'email' && worker.config.MAIL === 'off') throw new RequestError('mail_off')
  lease.signal.throwIfAborted()
  if (job.kind === 'import') return runImportJob(worker, job, lease)
  const target = await untilAbandoned(lease, openJobTarget(worker.registry, worker.config, job))
  if (!job.announced) await events?.started({ action: job.action, table: job.tableName })
  if (job.kind === 'plan') return runPlanJob(worker, job, target, lease, events)
  const directory = await createJobDirectory()
  try {
    const asOwner = actAs(target.context.identity, worker)
    const running = runAction(asOwner, job, target, directory, createControl(lease, events))
    const outcome = await running.catch(rethrowNamed(asOwner, target, job))
    await deliver(worker, job, target, outcome, lease.signal, events)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function runImportJob(worker: JobWorker, job: LeasedJob, lease: Lease): Promise<void> {
  const opening = openJobTable(worker.registry, worker.config, job, 'rowBulkTableAction')
  const target = await untilAbandoned(lease, opening)
  const asOwner = actAs(target.context.identity, worker)
  const result = await runImport(asOwner, job, target, lease.signal).catch(rethrowNamed(asOwner, target, job))
  const end = () => ({ state: 'succeeded', rows: result.rows, result: { ...result } }) as const
  await endJob(worker, job, end, { untried: 'interrupted' })
}

/** Makes a plan. Its end is audited as such, because no row was changed. */
async function runPlanJob(
  worker: JobWorker,
  job: LeasedJob,
  target: JobTarget,
  lease: Lease,
  events: JobEvents | undefined,
): Promise<void> {
  const { definition } = target.action
  if (!isWork(definition)) throw requestedOtherwise()
  const asOwner = actAs(target.context.identity, worker)
  const control = createControl(lease, events)
  const planning = runPlan(asOwner, job, target, definition, control).catch(rethrowNamed(asOwner, target, job))
  const result = await untilAbandoned(control, planning)
  const end = () => ({ state: 'succeeded', rows: Number(result['rows']), result }) as const
  await endJob(worker, job, end, { untried: 'interrupted', events })
}

/** Returns true if every mail was tried, and only the end is not stored. */
async function isMailed({ database }: JobWorker, job: LeasedJob): Promise<boolean> {
  if (job.response !== 'email') return false
  const recipients = await listRecipients(database.read, job.id)
  return recipients.length > 0 && recipients.every(({ state }) => state !== 'pending')
}

async function endMailedJob(worker: JobWorker, job: LeasedJob): Promise<void> {
  const label = actionLabel({ key: job.action })
  const decide = (recipients: readonly Recipient[], progress: JobProgress) => {
    const { rows, counts } = progress
    const result = { rows, ...(counts !== undefined && { counts }) }
    return mailedEnding(job, recipients, { result, progress }, label)
  }
  await endJob(worker, job, decide, { untried: 'interrupted' })
}

async function openJobTarget(registry: Registry, config: Config, job: Job): Promise<JobTarget> {
  const target = await openJobTable(registry, config, job, 'bulkTableAction')
  return { ...target, action: findAction(target.view.bulkActions, job.action) }
}

/**
 * Opens the table of a job with its owner's present rights: identity, middlewares, `params`, view and scope. Throws the
 * same errors as a request to an endpoint. Middlewares get a request without headers and source address, which are not
 * stored.
 */
async function openJobTable(
  registry: Registry,
  config: Config,
  job: Job,
  endpointName: EndpointName,
): Promise<ActionTarget> {
  const { guard, language, baseUrl, tableName, body, requestId } = job
  const owner = await authenticateOwner(registry, job.identity)
  const endpoint = `${config.SERVICE_NAME}.${guard}.${endpointName}`
  const request = { tableName, endpoint, guard, method: 'POST', headers: {}, sourceIp: '' }
  const admitted = await admitCaller(registry, owner, request)
  const params = ownValue(body, 'params')
  const opened = openTable(admitted, { language, guard, baseUrl, config }, params)
  return { ...opened, requestId }
}

function createControl({ signal, abandoned, progress }: Lease, events: JobEvents | undefined): JobControl {
  return {
    signal,
    abandoned,
    progress: (done, total) => {
      progress(done, total)
      events?.progress(done, total ?? null)
    },
  }
}

/** Rethrows an error that names the column which cannot be computed, or the token which does not fit its column. */
const rethrowNamed = (asOwner: JobWorker, target: ActionTarget, job: Job) => async (error: unknown) => {
  throw nameStaleToken(job.body, await nameFailedColumn(asOwner, target, error))
}

/** Lets policies of row-level security see the owner. The job's own tables have none. */
const actAs = (owner: Identity, worker: JobWorker): JobWorker => ({
  ...worker,
  database: worker.database.as(owner),
  work: worker.work.as(owner),
})

function runAction(
  worker: JobWorker,
  job: LeasedJob,
  target: JobTarget,
  directory: string,
  control: JobControl,
): Promise<JobOutcome> {
  const { definition } = target.action
  if (job.kind === 'bulk' && isWork(definition)) return runBulk(worker, job, target, definition, control)
  // Without the keys that a later version has stored, the report would have other rows.
  const isReadable = Object.keys(toJobBody(job.body, [])).length === Object.keys(job.body).length
  if (job.kind === 'report' && !isWork(definition) && isReadable) {
    const exported = runExport(worker, job, target, definition.export, directory, control)
    return orTimeout(untilAbandoned(control, exported))
  }
  throw requestedOtherwise()
}

/** The failure of a job whose action is of another kind now, or that another version of the service stored. */
const requestedOtherwise = () =>
  new RequestError(
    'action_not_defined',
    {},
    {
      text: {
        en: 'The service has changed since this was requested; request it again',
        ar: 'تغيّرت الخدمة بعد هذا الطلب؛ أعد إرسال الطلب',
      },
    },
  )

async function deliver(
  worker: JobWorker,
  job: LeasedJob,
  target: JobTarget,
  outcome: JobOutcome,
  signal: AbortSignal,
  events: JobEvents | undefined,
): Promise<void> {
  signal.throwIfAborted()
  const label = actionLabel(target.action)
  const result = await createJobResult(worker, job, outcome)
  const options = { untried: 'interrupted', events }
  if (job.response !== 'email') {
    await endJob(worker, job, () => doneEnding(job, outcome, result, label), options)
    return
  }
  if (job.kind === 'report') await saveRowCount(worker.database, job, outcome.rows)
  const link = await sendJobMails(worker, job, target, outcome, signal)
  const { rows } = outcome
  await endJob(
    worker,
    job,
    (recipients, progress) => mailedEnding(job, recipients, { rows, result, progress, link }, label),
    options,
  )
}
