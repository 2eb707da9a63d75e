import { RequestError } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import type { JobFailure } from './job.ts'

/** What is told of a report that was made. */
export const reportReady = (rows: number): Bilingual => ({
  en: `The report is ready (rows: ${rows.toLocaleString('en')})`,
  ar: `التقرير جاهز (عدد الصفوف: ${rows.toLocaleString('en')})`,
})

/** A job that its owner has stopped. */
export const cancelled: JobFailure = { code: 'cancelled', en: 'The job was cancelled', ar: 'أُلغيت المهمة' }

/** Mails of which nobody can know whether they were sent, after a connection broke or a worker died at the wrong instant. */
export const mailUnknown = (addresses: readonly string[]): JobFailure => ({
  code: 'mail_unknown',
  en: `It is not known whether the report reached ${addresses.join(', ')}; it was not sent a second time`,
  ar: `لا يُعرف إن كان التقرير قد وصل إلى ${addresses.join('، ')}؛ ولم يُرسل مرة ثانية`,
})

/** Titles of the notifications about jobs that did not end well, by what was asked for. */
export const failedTitle = (label: Bilingual): Bilingual => ({
  en: `Failed: ${label.en}`,
  ar: `تعذّر التنفيذ: ${label.ar}`,
})

export const unknownTitle = (label: Bilingual): Bilingual => ({
  en: `Please check: ${label.en}`,
  ar: `يُرجى التحقق: ${label.ar}`,
})

/** Mails that SES refused, or did not take for as long as it was tried. */
export function mailFailed(addresses: readonly string[]): JobFailure {
  const address = { en: addresses.join(', '), ar: addresses.join('، ') }
  const { code, text } = new RequestError('mail_failed', { address })
  return { code, ...text }
}
