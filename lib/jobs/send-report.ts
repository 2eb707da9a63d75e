import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { textOf } from '../i18n/language.ts'
import { composeReportMail, mostAttachedBytes, type ReportMessage } from '../mail/report-mail.ts'
import { type MailOutcome, mailSender, sendMail } from '../mail/send-mail.ts'
import { tableLabel } from '../reports/report-file.ts'
import { linkBaseUrl } from '../storage/download-link.ts'
import { storeFile } from '../storage/store-file.ts'
import type { HeldJob } from './job.ts'
import { labelOf } from './job-label.ts'
import type { JobFile, JobOutcome } from './job-outcome.ts'
import type { JobTarget } from './job-target.ts'
import { mailFailed } from './job-texts.ts'
import { beginSending, endSending, recipientsOf } from './mail-recipients.ts'
import { TryLater } from './try-later.ts'

interface MailService {
  readonly config: Config
  readonly database: Database
}

const minutesOfDay = 1_440

/**
 * Sends what a job has made to each of its recipients who was not tried before, one mail each. Ends with `TryLater` where SES
 * has asked for time for some of them.
 */
export async function sendReport(
  service: MailService,
  job: HeldJob,
  target: JobTarget,
  outcome: JobOutcome,
  signal: AbortSignal,
): Promise<void> {
  const sender = mailSender(service.config)
  const message = await messageOf(service, job, target, outcome)
  const waiting: (MailOutcome & { outcome: 'later' })[] = []
  const delayed: string[] = []
  for (const { address, state } of await recipientsOf(service.database.read, job.id)) {
    if (state !== 'pending') continue
    const mail = await sendOne(service, job, address, await composeReportMail(sender, address, message), signal)
    if (mail.outcome !== 'later') continue
    waiting.push(mail)
    delayed.push(address)
  }
  if (waiting.length === 0) return
  throw new TryLater(Math.max(...waiting.map(({ afterSeconds }) => afterSeconds)), mailFailed(delayed))
}

async function messageOf(
  service: MailService,
  job: HeldJob,
  target: JobTarget,
  { title, message, rows, file }: JobOutcome,
): Promise<ReportMessage> {
  const { language } = job
  return {
    language,
    table: tableLabel(target),
    action: textOf(title ?? labelOf(target.action), language),
    ...(job.kind === 'report' ? { rows } : { intro: message[language] }),
    timeZone: target.context.timeZone,
    content: file === undefined ? { kind: 'text', text: message[language] } : await contentOf(service, job, file),
  }
}

/** In the mail itself where it fits, else behind a link. */
async function contentOf(
  { config, database }: MailService,
  { id: jobId, identity, guard, baseUrl }: HeldJob,
  { bytes, name, contentType, content }: JobFile,
): Promise<ReportMessage['content']> {
  if (bytes <= mostAttachedBytes) {
    const whole = content instanceof Uint8Array ? content : await readFile(content.file)
    return { kind: 'file', fileName: name, contentType, bytes: whole }
  }
  const owner = { config, database, identity, guard, baseUrl: linkBaseUrl(config, baseUrl) }
  const minutes = config.MAIL_LINK_DAYS * minutesOfDay
  const link = await storeFile(owner, { name, contentType, content }, { minutes, jobId })
  return { kind: 'link', fileName: link.filename, url: link.url, expiresAt: new Date(link.expires_at) }
}

const mostTries = 3
/** Beyond this it is better not to keep a function waiting. */
const longestWaitSeconds = 15

/** A rate that was exceeded is over in seconds; the report need not be made again for that. */
async function sendOne(
  { config, database }: MailService,
  job: HeldJob,
  address: string,
  raw: Uint8Array,
  signal: AbortSignal,
): Promise<MailOutcome> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted()
    await beginSending(database, job, address)
    const mail = await sendMail(config, raw, address, job.id)
    await endSending(database, job, address, mail)
    if (mail.outcome !== 'later' || mail.afterSeconds > longestWaitSeconds || tries === mostTries) return mail
    await sleep(mail.afterSeconds * 1_000, undefined, { signal }).catch(() => undefined)
  }
}
