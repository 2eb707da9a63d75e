import { toJobBody } from '../actions/known-keys.ts'
import type { Run } from '../db/transaction.ts'
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
import { chargeAllowance, createCharges } from './charge-allowance.ts'
import type { Reply } from './reply.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'

/** The job of an action whose result comes later. */
interface JobStart {
  readonly action: string
  readonly kind: NewJob['kind']
  readonly response: NewJob['response']
  /** The message of the response. */
  readonly message: Bilingual
  /** The fields of the action's form. Default: unknown, and the job keeps the whole body. */
  readonly formKeys?: readonly string[]
  /** Prepares the job in its transaction. Returns the number of its rows and further keys of the response. */
  readonly prepare?: (run: Run, jobId: string) => Promise<{ readonly rows: number; readonly payload: Payload }>
}

/**
 * Stores a job and sends it to the queue. The response says only that the job was accepted. If the queue cannot be
 * reached, the response is 503 and the job never runs.
 */
export async function startJob(request: TableRequest, start: JobStart): Promise<Payload | Reply> {
  const { action, kind, response } = start
  const { config, database, language } = request
  const recipients =
    response === 'email' ? readRecipients(ownValue(request.body, 'emails'), request.identity, config) : []
  const form = toJobBody(request.body, start.formKeys)
  const body = Object.hasOwn(form, 'params') ? { ...form, params: storableParams(request.view, request.context) } : form
  assertReadableTexts(body, [])
  let written: { readonly id: string; readonly notification?: StoredNotification } | undefined
  const charges = [
    ...createCharges(request, 'exports', kind === 'report' ? 1 : 0),
    ...createCharges(request, 'mails', recipients.length),
  ]
  const audited = kind === 'report' ? 'export' : 'bulk'
  const outcome = await inActionTransaction(request, action, audited, async (running) => {
    const { run } = running.transaction
    const job = { ...request, body, tableName: request.table.name, action, kind, response, recipients }
    const id = await createJob(run, job, config.JOBS_PER_CALLER)
    const { rows = 0, payload } = (await start.prepare?.(run, id)) ?? {}
    await running.audit(rows, id)
    const notification = response === 'notification' ? await announceJob(request, run, start.message, id) : undefined
    for (const charge of charges) await chargeAllowance(run, charge)
    await assertJobLimit(run, request.identity.subject, config.JOBS_PER_CALLER)
    written = { id, ...(notification !== undefined && { notification }) }
    return {
      message: translate(start.message, language),
      job: { id, status: 'queued' },
      ...payload,
      ...(response === 'websocket' && { broadcast: { event: 'bulk_action.completed', channel: jobChannel(id) } }),
      ...(notification !== undefined && { notification: notificationEntry(notification, language) }),
    }
  })
  // A replayed response has written no job.
  if (written === undefined) return outcome
  const kept = createIdempotencyClaim(request, action, audited)
  await enqueueOrAbandon({ config, database }, written.id, { kept, planId: request.plan?.id, charges })
  if (written.notification !== undefined) await pushNotification(request, written.notification, language)
  return outcome
}

/** Stores the first of two notifications; the second one has the result. */
const announceJob = (
  { identity, table }: TableRequest,
  run: Run,
  title: Bilingual,
  jobId: string,
): Promise<StoredNotification> =>
  createNotification(run, {
    subject: identity.subject,
    title,
    body: { en: 'You will be notified when it is ready', ar: 'سيصلك إشعار عند الانتهاء' },
    data: { job_id: jobId },
    // `abandonJob` finds it by this key.
    dedupeKey: `announced:${jobId}`,
    table: table.name,
  })
