import { RequestError } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import type { FileLink } from '../storage/store-file.ts'
import type { Ending } from './end-job.ts'
import type { Job, JobFailure } from './job.ts'
import type { JobOutcome } from './job-outcome.ts'
import { type JobResult, linkFields } from './job-result.ts'
import {
  cancelledAfter,
  cancelledTitle,
  failedTitle,
  mailFailed,
  mailUnknown,
  partlyDone,
  unknownTitle,
} from './job-texts.ts'
import type { Recipient } from './mail-recipients.ts'
import type { Reached } from './reached.ts'

/** The end of a job that was done, and told in the way that it asked for. */
export function doneEnding(job: Job, outcome: JobOutcome, result: JobResult, label: Bilingual): Ending {
  const { title = label, message: body, level, rows } = outcome
  if (job.response !== 'notification') return { state: 'succeeded', rows, result }
  const { message: _, data, ...told } = result
  const notification = { title, body, level, data: { ...told, ...Object(data), job_id: job.id } }
  return { state: 'succeeded', rows, result, notification }
}

/** The end of a job that did nothing, or not all of it. */
export function failedEnding(job: Job, cause: JobFailure, label: Bilingual, reached: Reached): Ending {
  const failure = partlyDone(cause, reached)
  return { state: 'failed', failure, notification: told(job, 'danger', failedTitle(label), failure) }
}

/** The end of a job that its owner has stopped, who is told of it where rows were changed by then. */
export function cancelledEnding(job: Job, label: Bilingual, reached: Reached): Ending {
  const failure = cancelledAfter(reached)
  if (failure.counts === undefined) return { state: 'cancelled', failure }
  return { state: 'cancelled', failure, notification: told(job, 'warning', cancelledTitle(label), failure) }
}

interface Mailed {
  /** Left out: as many as were reached. */
  readonly rows?: number
  readonly reached: Reached
  readonly result?: JobResult
  /** To the file, where not every mail was sent. */
  readonly link?: FileLink | undefined
}

/**
 * The end of a job whose mails were tried: `unknown` as soon as that is the fate of one mail; `failed` where none was sent;
 * `succeeded` where one was, with a failure that names the recipients who were refused. Its owner is told of all but the best,
 * with the link to what was made.
 */
export function mailedEnding(
  job: Job,
  recipients: readonly Recipient[],
  { rows: written, result, link, reached }: Mailed,
  label: Bilingual,
  cause?: JobFailure,
): Ending {
  const of = (state: Recipient['state']) =>
    recipients.filter((one) => one.state === state).map(({ address }) => address)
  const [unknown, failed, sent] = [of('unknown'), of('failed'), of('sent')]
  const rows = written ?? reached.rows
  if (unknown.length > 0) {
    const failure = mailUnknown(unknown)
    const notification = told(job, 'warning', unknownTitle(label), failure, link)
    return { state: 'unknown', rows, ...resultOf(job, result, link, failure), failure, notification }
  }
  if (failed.length === 0) return { state: 'succeeded', rows, ...resultOf(job, result) }
  const why = cause ?? mailFailed(failed)
  const isPartly = sent.length > 0
  const failure = isPartly ? why : partlyDone(why, reached)
  const notification = told(job, isPartly ? 'warning' : 'danger', failedTitle(label), failure, link)
  const ended = resultOf(job, result, link, isPartly ? undefined : failure)
  return { state: isPartly ? 'succeeded' : 'failed', rows, ...ended, failure, notification }
}

/** A report that reached nobody, as far as is known, is not "ready"; what an action did to its rows, it did. */
function resultOf(
  { kind, language }: Job,
  result: JobResult | undefined,
  link?: FileLink,
  failure?: JobFailure,
): { readonly result?: JobResult } {
  if (result === undefined && link === undefined) return {}
  const message = failure !== undefined && (kind === 'report' || result === undefined) ? failure[language] : undefined
  return {
    result: {
      ...result,
      ...(message !== undefined && { message }),
      ...(link !== undefined && { ...linkFields(link), data: { ...Object(result?.['data']), ...link } }),
    },
  }
}

const told = (
  { id, tableName, action }: Job,
  level: 'warning' | 'danger',
  title: Bilingual,
  { code, en, ar, counts }: JobFailure,
  link?: FileLink,
): NonNullable<Ending['notification']> => ({
  ...{ title, body: { en, ar }, level },
  data: {
    ...{ job_id: id, table: tableName, action, code },
    ...(counts !== undefined && { counts }),
    ...(link !== undefined && { ...linkFields(link), ...link }),
  },
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
