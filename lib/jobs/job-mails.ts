import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { countExcludedRows, countPickedRows, planBulk } from '../actions/bulk-selection.ts'
import { RequestError } from '../errors/request-error.ts'
import { translate } from '../i18n/language.ts'
import { readMailAddress } from '../mail/mail-address.ts'
import { composeReportMail, maxAttachedBytes, type ReportMessage } from '../mail/report-mail.ts'
import { type MailOutcome, mailSender, sendMail } from '../mail/send-mail.ts'
import { tableLabel } from '../reports/report-file.ts'
import { filterWords } from '../reports/report-words.ts'
import { expireDownloads, type StoredFile } from '../storage/download-link.ts'
import { createLink, type FileLink, type ReportFile, storeObject } from '../storage/store-file.ts'
import { count } from '../telemetry/invocation.ts'
import { log } from '../telemetry/log.ts'
import {
  actionLabel,
  type JobOutcome,
  type JobService,
  type JobTarget,
  jobLogFields,
  type LeasedJob,
  RetryLater,
} from './job.ts'
import { mailFailure } from './job-endings.ts'
import { jobLinkFacts } from './job-result.ts'
import { listRecipients, markSending, markSent } from './mail-store.ts'
import { maxAttempts, retryWrite } from './retry-policy.ts'

/**
 * Sends the outcome of a job to each recipient who was not tried before, one mail each. Throws `RetryLater` if SES asks
 * to wait. If not every mail was sent and none is tried again, returns a link to the report file for the job's owner.
 */
export async function sendJobMails(
  service: JobService,
  job: LeasedJob,
  target: JobTarget,
  outcome: JobOutcome,
  signal: AbortSignal,
): Promise<FileLink | undefined> {
  const sender = mailSender(service.config)
  const mails = await prepareMails(service, job, target, outcome)
  const waiting: (MailOutcome & { outcome: 'later' })[] = []
  const delayed: string[] = []
  const unusedLinks: string[] = []
  for (const { address, state } of await listRecipients(service.database.read, job.id)) {
    if (state !== 'pending') continue
    const { message, link } = await mails.mailTo(address)
    const mail = await sendOne(service, job, address, await composeReportMail(sender, address, message), signal)
    if (link !== undefined && isUnsent(mail)) unusedLinks.push(link.download_id)
    if (mail.outcome !== 'later') continue
    waiting.push(mail)
    delayed.push(address)
  }
  const isOver = waiting.length === 0 || job.attempts >= maxAttempts
  const ownerLink = isOver ? await linkForOwner(service, job, mails) : undefined
  // Only now, because a file is removed with its last link. A link that is not ended here expires by itself.
  await expireDownloads(service.database, unusedLinks).catch(() => undefined)
  const [first] = waiting
  if (first === undefined) return ownerLink
  const afterSeconds = Math.max(...waiting.map((mail) => mail.afterSeconds))
  throw new RetryLater(afterSeconds, mailFailure(delayed), first.code, ownerLink)
}

const isUnsent = ({ outcome }: MailOutcome): boolean => outcome === 'refused' || outcome === 'later'

/** Creates a link for the owner if a mail was not sent. */
async function linkForOwner({ database }: JobService, job: LeasedJob, mails: JobMails): Promise<FileLink | undefined> {
  const recipients = await listRecipients(database.read, job.id)
  if (recipients.every(({ state }) => state === 'sent')) return undefined
  // The end of the job must be stored also while no file can be.
  return mails.linkForOwner().catch(() => undefined)
}

const maxTries = 3
/** A function should not wait for longer; the job is retried instead. */
const maxWaitSeconds = 15

/** Mails of unknown outcome are counted when their job ends, together with those of workers that died. */
const counters = { sent: 'MailsSent', refused: 'MailsFailed', later: 'MailsDelayed' } as const

/**
 * Sends one mail. An exceeded rate recovers in seconds, so the mail is tried again here instead of in another attempt.
 */
async function sendOne(
  { config, database, invocation }: JobService,
  job: LeasedJob,
  address: string,
  raw: Uint8Array,
  signal: AbortSignal,
): Promise<MailOutcome> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted()
    await beginSending(database, job, address)
    const mail = await sendMail(config, raw, address, job.id)
    logMail(job, mail, tries)
    if (mail.outcome !== 'unknown') count(invocation, counters[mail.outcome])
    // Without it, the mail is `unknown`.
    await retryWrite(() => markSent(database, job, address, mail))
    if (mail.outcome !== 'later' || mail.afterSeconds > maxWaitSeconds || tries === maxTries) return mail
    await sleep(mail.afterSeconds * 1_000, undefined, { signal }).catch(() => undefined)
  }
}

/**
 * Stores that a mail is about to be sent, so that it is not sent again if this process dies. Throws if the lease is
 * lost. A write of unknown outcome is repeated: while the lease holds, no other worker can have made its change.
 */
export async function beginSending(database: JobService['database'], job: LeasedJob, address: string): Promise<void> {
  await markSending(database, job, address, false).catch((error: unknown) => {
    if (!(error instanceof RequestError && error.code === 'outcome_unknown')) throw error
    return retryWrite(() => markSending(database, job, address, true))
  })
}

/** Logs a mail that SES did not take: the job and the code of SES, but never the address. */
function logMail(job: LeasedJob, mail: MailOutcome, tries: number): void {
  if (mail.outcome === 'sent') return
  log(mail.outcome === 'refused' ? 'error' : 'warn', unsentMessages[mail.outcome], {
    ...jobLogFields(job),
    code: mail.code,
    tries,
  })
}

const unsentMessages = {
  refused: 'SES refused a mail for good; its code says what to correct',
  later: 'SES does not take a mail now; it is tried again',
  unknown: 'SES did not say whether it took a mail; it is not sent again',
} as const

interface RecipientMail {
  readonly message: ReportMessage
  /** The recipient's own link, if the file is too large for a mail. */
  readonly link?: FileLink
}

interface JobMails {
  readonly mailTo: (address: string) => Promise<RecipientMail>
  /** Creates a link for the job's owner; `undefined` if there is no file. */
  readonly linkForOwner: () => Promise<FileLink | undefined>
}

/** Prepares the mails of an outcome: its file is attached if it fits, else each recipient gets a link. */
async function prepareMails(
  service: JobService,
  job: LeasedJob,
  target: JobTarget,
  { title, message, rows, file }: JobOutcome,
): Promise<JobMails> {
  const { language, requestedAt } = job
  const facts = {
    language,
    requestedAt,
    requestedBy: describeRequester(target),
    timeZone: target.context.timeZone,
    table: tableLabel(target),
    action: translate(actionLabel(target.action), language),
    ...(title !== undefined && { title: translate(title, language) }),
    ...(job.kind === 'report'
      ? { rows, ...(await describeMailedRows(service, job, target)) }
      : { intro: message[language] }),
  }
  const sameForAll = (content: ReportMessage['content']): JobMails['mailTo'] => {
    const mail = Promise.resolve({ message: { ...facts, content } })
    return () => mail
  }
  if (file === undefined) {
    return { mailTo: sameForAll({ kind: 'text', text: message[language] }), linkForOwner: async () => undefined }
  }
  const createFileLink = linkCreator(service, job, file)
  const linkForOwner = () => createFileLink()
  if (file.bytes <= maxAttachedBytes) {
    return { mailTo: sameForAll(await readAttachment(file)), linkForOwner }
  }
  return {
    linkForOwner,
    mailTo: async (address) => {
      const link = await createFileLink(address)
      const { url, filename: fileName } = link
      const content = { kind: 'link', url, fileName, bytes: file.bytes, expiresAt: new Date(link.expires_at) } as const
      return { link, message: { ...facts, content } }
    },
  }
}

async function readAttachment({ name: fileName, contentType, content }: ReportFile): Promise<ReportMessage['content']> {
  const bytes = content instanceof Uint8Array ? content : await readFile(content.file)
  return { kind: 'file', fileName, contentType, bytes }
}

/** Returns a function that creates links to one file, which is stored with the first of them. */
function linkCreator({ config, database }: JobService, job: LeasedJob, file: ReportFile) {
  const owner = { ...job, config, database }
  let stored: Promise<StoredFile> | undefined
  return async (recipient?: string): Promise<FileLink> => {
    stored ??= storeObject(owner, file)
    return createLink(owner, await stored, { ...jobLinkFacts(config, job), recipient })
  }
}

function describeRequester({ context: { identity } }: JobTarget): ReportMessage['requestedBy'] {
  const address = readMailAddress(identity.email)
  return { name: address ?? identity.subject, ...(address !== undefined && { address }) }
}

async function describeMailedRows(
  { config }: JobService,
  { body, requestedAt }: LeasedJob,
  { view, context }: JobTarget,
): Promise<Pick<ReportMessage, 'selected' | 'excluded' | 'filters'>> {
  const selected = countPickedRows(body)
  if (selected !== undefined) return { selected }
  const plan = await planBulk({ view, context }, body, config.SERVICE_SECRET, requestedAt.getTime())
  const excluded = countExcludedRows(body)
  return { filters: filterWords({ view, context, plan }), ...(excluded !== undefined && { excluded }) }
}
