import { RequestError } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import type { Ending } from './end-job.ts'
import type { Job, JobFailure } from './job.ts'
import type { JobOutcome } from './job-outcome.ts'
import type { JobResult } from './job-result.ts'
import { cancelled, failedTitle, mailFailed, mailUnknown, unknownTitle } from './job-texts.ts'
import type { Recipient } from './mail-recipients.ts'

/** The end of a job that was done, and told in the way that it asked for. */
export function doneEnding(job: Job, outcome: JobOutcome, result: JobResult, label: Bilingual): Ending {
  const { title = label, message: body, level, rows } = outcome
  if (job.response !== 'notification') return { state: 'succeeded', rows, result }
  const { message: _, data, ...told } = result
  const notification = { title, body, level, data: { ...told, ...Object(data), job_id: job.id } }
  return { state: 'succeeded', rows, result, notification }
}

/** The end of a job that did nothing, or not all of it. */
export const failedEnding = (job: Job, failure: JobFailure, label: Bilingual): Ending => ({
  state: 'failed',
  rows: 0,
  failure,
  notification: told(job, 'danger', failedTitle(label), failure),
})

export const cancelledEnding = (job: Job): Ending => ({ state: 'cancelled', rows: job.done, failure: cancelled })

/**
 * The end of a job whose mails were tried: `unknown` as soon as that is the fate of one mail; `failed` where none was sent;
 * `succeeded` where one was, with a failure that names the recipients who were refused. Its owner is told of all but the best.
 */
export function mailedEnding(
  job: Job,
  recipients: readonly Recipient[],
  { rows, result }: { readonly rows: number; readonly result?: JobResult },
  label: Bilingual,
  cause?: JobFailure,
): Ending {
  const of = (state: Recipient['state']) =>
    recipients.filter((one) => one.state === state).map(({ address }) => address)
  const [unknown, failed, sent] = [of('unknown'), of('failed'), of('sent')]
  const common = { rows, ...(result !== undefined && { result }) }
  if (unknown.length > 0) {
    const failure = mailUnknown(unknown)
    return { ...common, state: 'unknown', failure, notification: told(job, 'warning', unknownTitle(label), failure) }
  }
  if (failed.length === 0) return { ...common, state: 'succeeded' }
  const failure = cause ?? mailFailed(failed)
  const notification = told(job, sent.length > 0 ? 'warning' : 'danger', failedTitle(label), failure)
  return { ...common, state: sent.length > 0 ? 'succeeded' : 'failed', failure, notification }
}

const told = (
  { id, tableName, action }: Job,
  level: 'warning' | 'danger',
  title: Bilingual,
  { code, en, ar }: JobFailure,
): NonNullable<Ending['notification']> => ({
  ...{ title, body: { en, ar }, level },
  data: { job_id: id, table: tableName, action, code },
})

const longestText = 2_000

/** What a client may read of whatever ended a job. */
export function failureOf(thrown: unknown): JobFailure {
  const { code, text, fields } = thrown instanceof RequestError ? thrown : new RequestError('internal_error')
  const faults = Object.entries(fields ?? {}).flatMap(([path, texts]) => texts.map((fault) => ({ path, fault })))
  const of = (language: 'en' | 'ar') =>
    faults.length === 0 ? text[language] : faults.map(({ path, fault }) => `${path}: ${fault[language]}`).join('; ')
  return { code, en: of('en').slice(0, longestText), ar: of('ar').slice(0, longestText) }
}
