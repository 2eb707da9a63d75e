import type { MailOutcome } from '../mail/send-mail.ts'
import { log } from '../telemetry/log.ts'
import { type HeldJob, jobFacts } from './job.ts'

/** Logs a mail that SES did not take: which job it belongs to and the code of SES, but never whose address it had. */
export function logMail(job: HeldJob, mail: MailOutcome, tries: number): void {
  if (mail.outcome === 'sent') return
  const about = { ...jobFacts(job), code: mail.code, tries }
  if (mail.outcome === 'refused') {
    log('error', 'SES has refused a mail for good', about)
  }
  if (mail.outcome === 'later') {
    log('warn', 'SES does not take a mail now', about)
  }
  if (mail.outcome === 'unknown') {
    log('warn', 'SES has not said whether it took a mail', about)
  }
}
