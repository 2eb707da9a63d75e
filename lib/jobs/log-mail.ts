import type { MailOutcome } from '../mail/send-mail.ts'
import { type HeldJob, jobFacts } from './job.ts'

/** Logs a mail that SES did not take: which job it belongs to and the code of SES, but never whose address it had. */
export function logMail(job: HeldJob, mail: MailOutcome, tries: number): void {
  if (mail.outcome === 'sent') return
  const about = { ...jobFacts(job), code: mail.code, tries }
  if (mail.outcome === 'refused') {
    console.error(JSON.stringify({ level: 'error', message: 'SES has refused a mail for good', ...about }))
  }
  if (mail.outcome === 'later') {
    console.warn(JSON.stringify({ level: 'warn', message: 'SES does not take a mail now', ...about }))
  }
  if (mail.outcome === 'unknown') {
    console.warn(JSON.stringify({ level: 'warn', message: 'SES has not said whether it took a mail', ...about }))
  }
}
