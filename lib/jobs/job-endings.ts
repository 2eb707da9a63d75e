import { RequestError } from '../errors/request-error.ts'
import { countNoun, groupDigits, nouns } from '../i18n/count-noun.ts'
import type { Bilingual } from '../i18n/language.ts'
import type { NewNotification } from '../push/notification.ts'
import { storedJson } from '../rows/stored-json.ts'
import type { FileLink } from '../storage/store-file.ts'
import type { Job, JobFailure, JobOutcome, JobProgress, JobResult, Recipient } from './job.ts'
import { linkFields } from './job-result.ts'

/** The end of a job. */
export interface Ending {
  readonly state: 'succeeded' | 'failed' | 'cancelled' | 'unknown'
  /** The number of rows for the audit. Default: the rows of the progress. */
  readonly rows?: number
  readonly result?: JobResult
  /** Also of a job that succeeded for some of its recipients only. */
  readonly failure?: JobFailure
  readonly notification?: Omit<NewNotification, 'subject' | 'dedupeKey'>
}

/** Returns the end of a job that did its work. */
export function doneEnding(job: Job, outcome: JobOutcome, result: JobResult, label: Bilingual): Ending {
  const { title = label, message: body, level, rows } = outcome
  if (job.response !== 'notification') return { state: 'succeeded', rows, result }
  const { message: _, data, ...fields } = result
  const notification = { title, body, level, data: { ...fields, ...Object(data), job_id: job.id } }
  return { state: 'succeeded', rows, result, notification }
}

/** Returns the end of a job that failed before or during its work. */
export function failedEnding(job: Job, cause: JobFailure, label: Bilingual, progress: JobProgress): Ending {
  const failure = addProgress(cause, progress)
  // The caller waits for the state of the import, which has the reason.
  if (job.kind === 'import') return { state: 'failed', failure }
  return { state: 'failed', failure, notification: failureNotification(job, 'danger', failedTitle(label), failure) }
}

/** Returns the end of a cancelled job. Its owner is notified only if an action had processed or refused rows. */
export function cancelledEnding(job: Job, label: Bilingual, progress: JobProgress): Ending {
  const failure = cancelledFailure(progress)
  if (failure.counts === undefined) return { state: 'cancelled', failure }
  return {
    state: 'cancelled',
    failure,
    notification: failureNotification(job, 'warning', cancelledTitle(label), failure),
  }
}

interface MailedJob {
  /** The number of rows for the audit. Default: the rows of the progress. */
  readonly rows?: number
  readonly progress: JobProgress
  readonly result?: JobResult
  /** The owner's link to the report file, if not every mail was sent. */
  readonly link?: FileLink | undefined
}

/**
 * Returns the end of a job whose mails were tried: `unknown` if one mail is, `failed` if none was sent, else
 * `succeeded`, with a failure that names refused recipients. The owner is notified of every failure, with the link to
 * the report file.
 */
export function mailedEnding(
  job: Job,
  recipients: readonly Recipient[],
  { progress, rows = progress.rows, result, link }: MailedJob,
  label: Bilingual,
  cause?: JobFailure,
): Ending {
  const addresses = (state: Recipient['state']) =>
    recipients.filter((one) => one.state === state).map(({ address }) => address)
  const unknown = addresses('unknown')
  const failed = addresses('failed')
  const sent = addresses('sent')
  if (unknown.length > 0) {
    const failure = mailUnknownFailure(unknown)
    const notification = failureNotification(job, 'warning', unknownTitle(label), failure, link)
    return { state: 'unknown', rows, ...mailedResult(job, result, link, failure), failure, notification }
  }
  if (failed.length === 0) return { state: 'succeeded', rows, ...mailedResult(job, result) }
  const why = cause ?? mailFailure(failed)
  const isPartly = sent.length > 0
  const failure = isPartly ? why : addProgress(why, progress)
  const notification = failureNotification(job, isPartly ? 'warning' : 'danger', failedTitle(label), failure, link)
  const ended = mailedResult(job, result, link, isPartly ? undefined : failure)
  return { state: isPartly ? 'succeeded' : 'failed', rows, ...ended, failure, notification }
}

/** The message of a report file that was not delivered is its failure; the message of an action stays. */
function mailedResult(
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

const failureNotification = (
  { id, tableName, action }: Job,
  level: 'warning' | 'danger',
  title: Bilingual,
  { code, en, ar, counts }: JobFailure,
  link?: FileLink,
): NonNullable<Ending['notification']> => ({
  title,
  body: { en, ar },
  level,
  data: {
    job_id: id,
    table: tableName,
    action,
    code,
    ...(counts !== undefined && { counts }),
    ...(link !== undefined && { ...linkFields(link), ...link }),
  },
})

const maxTextLength = 2_000

/** Returns the failure as a client may read it; unknown errors become `internal_error`. */
export function toJobFailure(thrown: unknown): JobFailure {
  const { code, text, fields } = thrown instanceof RequestError ? thrown : new RequestError('internal_error')
  const faults = Object.entries(fields ?? {}).flatMap(([path, texts]) => texts.map((fault) => ({ path, fault })))
  const describe = (language: 'en' | 'ar') =>
    faults.length === 0
      ? text[language]
      : faults.map(({ path, fault }) => `${path}: ${fault[language]}`).join(language === 'ar' ? '؛ ' : '; ')
  const [en = '', ar = ''] = [describe('en'), describe('ar')].map((text) => text?.slice(0, maxTextLength))
  return JSON.parse(storedJson({ code, en, ar }))
}

/** Returns the failure of a cancelled job, with the progress that it made. */
export function cancelledFailure(progress: JobProgress): JobFailure {
  const en = 'The job was cancelled'
  const ar = 'أُلغيت المهمة'
  if (progress.done === 0) return { code: 'cancelled', en, ar }
  const finished = progressText(progress, true)
  return withCounts(
    { code: 'cancelled', en: `${en} after ${finished.en}`, ar: `${ar} بعد إنجاز ${finished.ar}` },
    progress,
  )
}

/** Adds to a failure the rows that were changed before: the owner must not believe that nothing happened. */
export function addProgress(failure: JobFailure, progress: JobProgress): JobFailure {
  if (progress.counts === undefined || progress.rows === 0) return withCounts(failure, progress)
  const finished = progressText({ ...progress, done: progress.rows }, false)
  const en = `${failure.en} (${finished.en} had been done)`
  const ar = `${failure.ar} (أُنجز قبل ذلك ${finished.ar})`
  return withCounts({ code: failure.code, en, ar }, progress)
}

const withCounts = (failure: JobFailure, { counts }: JobProgress): JobFailure => ({
  ...failure,
  ...(counts !== undefined && { counts }),
})

function progressText({ done, total }: JobProgress, genitive: boolean): Bilingual {
  if (total === undefined) return countNoun(done, nouns.row, { genitive, format: groupDigits })
  const all = countNoun(total, nouns.row, { genitive: true, format: groupDigits })
  return { en: `${groupDigits(done)} of ${all.en}`, ar: `${groupDigits(done)} من أصل ${all.ar}` }
}

/** Returns the failure of mails that SES may or may not have taken when a connection broke or a worker died. */
const mailUnknownFailure = (addresses: readonly string[]): JobFailure => ({
  code: 'mail_unknown',
  en: `It is not known whether the report reached ${addresses.join(', ')}; it was not sent a second time`,
  ar: `لا يُعرف ما إذا كان التقرير قد وصل إلى ${addresses.join('، ')}؛ ولم يُرسل مرة ثانية`,
})

const failedTitle = (label: Bilingual): Bilingual => ({
  en: `Failed: ${label.en}`,
  ar: `تعذّر التنفيذ: ${label.ar}`,
})

const cancelledTitle = (label: Bilingual): Bilingual => ({
  en: `Cancelled: ${label.en}`,
  ar: `أُلغي: ${label.ar}`,
})

const unknownTitle = (label: Bilingual): Bilingual => ({
  en: `Please check: ${label.en}`,
  ar: `يُرجى التحقق: ${label.ar}`,
})

/** Returns the failure of mails that SES refused, or asked to send later until no attempt was left. */
export function mailFailure(addresses: readonly string[]): JobFailure {
  const address = { en: addresses.join(', '), ar: addresses.join('، ') }
  const { code, text } = new RequestError('mail_failed', { address })
  return { code, ...text }
}
