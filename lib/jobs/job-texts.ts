import { RequestError } from '../errors/request-error.ts'
import { countNoun, groupDigits, nouns } from '../i18n/count-noun.ts'
import type { Bilingual } from '../i18n/language.ts'
import type { JobFailure } from './job.ts'
import type { Reached } from './reached.ts'

/** What is told of a report that was made. */
export const reportReady = (rows: number): Bilingual => ({
  en: `The report is ready (rows: ${groupDigits(rows)})`,
  ar: `التقرير جاهز (عدد الصفوف: ${groupDigits(rows)})`,
})

/** A job that its owner has stopped, and how far it came. */
export function cancelledAfter(reached: Reached): JobFailure {
  const [en, ar] = ['The job was cancelled', 'أُلغيت المهمة']
  if (reached.done === 0) return { code: 'cancelled', en, ar }
  const far = progressText(reached, true)
  return withCounts({ code: 'cancelled', en: `${en} after ${far.en}`, ar: `${ar} بعد إنجاز ${far.ar}` }, reached)
}

/** A failure of a job that had changed rows before: its owner must not believe that nothing happened. */
export function partlyDone(failure: JobFailure, reached: Reached): JobFailure {
  if (reached.counts === undefined || reached.rows === 0) return withCounts(failure, reached)
  const far = progressText({ ...reached, done: reached.rows }, false)
  const [en, ar] = [`${failure.en} (${far.en} had been done)`, `${failure.ar} (أُنجز قبل ذلك ${far.ar})`]
  return withCounts({ code: failure.code, en, ar }, reached)
}

const withCounts = (failure: JobFailure, { counts }: Reached): JobFailure => ({
  ...failure,
  ...(counts !== undefined && { counts }),
})

function progressText({ done, total }: Reached, genitive: boolean): Bilingual {
  if (total === undefined) return countNoun(done, nouns.row, { genitive, format: groupDigits })
  const all = countNoun(total, nouns.row, { genitive: true, format: groupDigits })
  return { en: `${groupDigits(done)} of ${all.en}`, ar: `${groupDigits(done)} من أصل ${all.ar}` }
}

/** Mails of which nobody can know whether they were sent, after a connection broke or a worker died at the wrong instant. */
export const mailUnknown = (addresses: readonly string[]): JobFailure => ({
  code: 'mail_unknown',
  en: `It is not known whether the report reached ${addresses.join(', ')}; it was not sent a second time`,
  ar: `لا يُعرف ما إذا كان التقرير قد وصل إلى ${addresses.join('، ')}؛ ولم يُرسل مرة ثانية`,
})

/** Titles of the notifications about jobs that did not end well, by what was asked for. */
export const failedTitle = (label: Bilingual): Bilingual => ({
  en: `Failed: ${label.en}`,
  ar: `تعذّر التنفيذ: ${label.ar}`,
})

export const cancelledTitle = (label: Bilingual): Bilingual => ({
  en: `Cancelled: ${label.en}`,
  ar: `أُلغي: ${label.ar}`,
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
