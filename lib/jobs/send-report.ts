import { setTimeout as sleep } from 'node:timers/promises'
import { composeReportMail } from '../mail/report-mail.ts'
import { type MailOutcome, mailSender, sendMail } from '../mail/send-mail.ts'
import type { FileLink } from '../storage/store-file.ts'
import { count } from '../telemetry/invocation.ts'
import type { HeldJob } from './job.ts'
import { type JobMails, type MailService, prepareJobMails } from './job-mail.ts'
import type { JobOutcome } from './job-outcome.ts'
import type { JobTarget } from './job-target.ts'
import { mailFailed } from './job-texts.ts'
import { logMail } from './log-mail.ts'
import { beginSending, endSending, recipientsOf } from './mail-recipients.ts'
import { mostAttempts } from './put-back.ts'
import { TryLater } from './try-later.ts'

/**
 * Sends what a job has made to each of its recipients who was not tried before, one mail each. Throws `TryLater` where SES
 * asks to wait. If not every mail was sent and none is tried again, returns a link to the file for the job's owner.
 */
export async function sendReport(
  service: MailService,
  job: HeldJob,
  target: JobTarget,
  outcome: JobOutcome,
  signal: AbortSignal,
): Promise<FileLink | undefined> {
  const sender = mailSender(service.config)
  const mails = await prepareJobMails(service, job, target, outcome)
  const waiting: (MailOutcome & { outcome: 'later' })[] = []
  const delayed: string[] = []
  const unusedLinks: string[] = []
  for (const { address, state } of await recipientsOf(service.database.read, job.id)) {
    if (state !== 'pending') continue
    const { message, link } = await mails.mailTo(address)
    const mail = await sendOne(service, job, address, await composeReportMail(sender, address, message), signal)
    if (link !== undefined && isUnsent(mail)) unusedLinks.push(link.download_id)
    if (mail.outcome !== 'later') continue
    waiting.push(mail)
    delayed.push(address)
  }
  const isOver = waiting.length === 0 || job.attempts >= mostAttempts
  const kept = isOver ? await linkForOwner(service, job, mails) : undefined
  // Only now: the file goes with its last link.
  await expireLinks(service.database, unusedLinks)
  const [first] = waiting
  if (first === undefined) return kept
  const afterSeconds = Math.max(...waiting.map((mail) => mail.afterSeconds))
  throw new TryLater(afterSeconds, mailFailed(delayed), first.code, kept)
}

const isUnsent = ({ outcome }: MailOutcome): boolean => outcome === 'refused' || outcome === 'later'

const expiry = 'update table_control.downloads set expires_at = now() where id = any($1::uuid[])'

/** Ends links that nobody was sent. One that cannot be ended now expires by itself. */
async function expireLinks({ transaction }: MailService['database'], ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await transaction(({ run }) => run(expiry, [ids])).catch(() => undefined)
}

/** Creates a link to the file of mails of which some were not sent. */
async function linkForOwner(
  { database }: MailService,
  { id }: HeldJob,
  mails: JobMails,
): Promise<FileLink | undefined> {
  const recipients = await recipientsOf(database.read, id)
  if (recipients.every(({ state }) => state === 'sent')) return undefined
  // The end of the job has to be stored also while no file can be.
  return mails.linkForOwner().catch(() => undefined)
}

const mostTries = 3
/** Beyond this it is better not to keep a function waiting. */
const longestWaitSeconds = 15

/** What became of a mail whose fate nobody knows is counted when its job ends, like those of workers that died. */
const counted = { sent: 'MailsSent', refused: 'MailsFailed', later: 'MailsDelayed' } as const

/** A rate that was exceeded is over in seconds; the report need not be made again for that. */
async function sendOne(
  { config, database, invocation }: MailService,
  job: HeldJob,
  address: string,
  raw: Uint8Array,
  signal: AbortSignal,
): Promise<MailOutcome> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted()
    await beginSending(database, job, address)
    const mail = await sendMail(config, raw, address, job.id)
    logMail(job, mail, tries)
    if (mail.outcome !== 'unknown') count(invocation, counted[mail.outcome])
    await endSending(database, job, address, mail)
    if (mail.outcome !== 'later' || mail.afterSeconds > longestWaitSeconds || tries === mostTries) return mail
    await sleep(mail.afterSeconds * 1_000, undefined, { signal }).catch(() => undefined)
  }
}
