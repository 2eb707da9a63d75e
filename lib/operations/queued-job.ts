import { keptBody } from '../actions/known-keys.ts'
import type { Transaction } from '../db/transaction.ts'
import { assertReadableTexts } from '../errors/readable-text.ts'
import { type Bilingual, translate } from '../i18n/language.ts'
import { assertJobLimit, createJob, enqueueOrAbandon } from '../jobs/create-job.ts'
import type { NewJob } from '../jobs/job-store.ts'
import { readRecipients } from '../mail/recipients.ts'
import { jobChannel } from '../push/job-events.ts'
import { createNotification, notificationEntry, type StoredNotification } from '../push/notification.ts'
import { pushNotification } from '../push/push.ts'
import { storableParams } from '../table/storable-params.ts'
import { createIdempotencyClaim, inActionTransaction } from './action-transaction.ts'
import type { Reply } from './reply.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'

/** A job that is about to be written down, for an action that does not answer at once. */
interface QueuedJob {
  readonly action: string
  readonly kind: NewJob['kind']
  readonly response: NewJob['response']
  /** The message of the response. */
  readonly told: Bilingual
  /** The fields of the action's form; left out: the form's fields are not known by name. */
  readonly formKeys?: readonly string[]
  /** Prepares the job in its transaction. Returns the number of its rows and further keys of the response. */
  readonly prepare?: (
    run: Transaction['run'],
    jobId: string,
  ) => Promise<{ readonly rows: number; readonly told: Payload }>
}

/**
 * Writes a job down and gives it to the queue; the answer says only that it will be done. A queue that
 * cannot be reached is answered 503, and then the job never runs.
 */
export async function queuedJob(request: TableRequest, queued: QueuedJob): Promise<Payload | Reply> {
  const { action, kind, response } = queued
  const { config, database, language } = request
  const recipients =
    response === 'email' ? readRecipients(ownValue(request.body, 'emails'), request.identity, config) : []
  const kept = keptBody(request.body, queued.formKeys)
  const body = Object.hasOwn(kept, 'params') ? { ...kept, params: storableParams(request.view, request.context) } : kept
  assertReadableTexts(body, [])
  let written: { readonly id: string; readonly notification?: StoredNotification } | undefined
  const audited = kind === 'report' ? 'export' : 'bulk'
  const outcome = await inActionTransaction(request, action, audited, async (running) => {
    const { run } = running.transaction
    const job = { ...request, body, tableName: request.table.name, action, kind, response, recipients }
    const id = await createJob(run, job, config.JOBS_PER_CALLER)
    const { rows = 0, told } = (await queued.prepare?.(run, id)) ?? {}
    await running.audit(rows, id)
    const notification = response === 'notification' ? await announced(request, run, queued.told, id) : undefined
    await assertJobLimit(run, request.identity.subject, config.JOBS_PER_CALLER)
    written = { id, ...(notification !== undefined && { notification }) }
    return {
      message: translate(queued.told, language),
      job: { id, status: 'queued' },
      ...told,
      ...(response === 'websocket' && { broadcast: { event: 'bulk_action.completed', channel: jobChannel(id) } }),
      ...(notification !== undefined && { notification: notificationEntry(notification, language) }),
    }
  })
  // A replayed response has written no job.
  if (written === undefined) return outcome
  await enqueueOrAbandon({ config, database }, written.id, createIdempotencyClaim(request, action, audited))
  if (written.notification !== undefined) await pushNotification(request, written.notification, language)
  return outcome
}

/** The first of two notifications; the second one brings the result. */
const announced = (
  { identity }: TableRequest,
  run: Transaction['run'],
  title: Bilingual,
  jobId: string,
): Promise<StoredNotification> =>
  createNotification(run, {
    subject: identity.subject,
    title,
    body: { en: 'You will be notified when it is ready', ar: 'سيصلك إشعار عند الانتهاء' },
    data: { job_id: jobId },
  })
