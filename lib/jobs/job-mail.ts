import { readFile } from 'node:fs/promises'
import { pickedRows, planBulk } from '../actions/bulk-selection.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { textOf } from '../i18n/language.ts'
import { readMailAddress } from '../mail/mail-address.ts'
import { mostAttachedBytes, type ReportMessage } from '../mail/report-mail.ts'
import { filterWords } from '../reports/filter-words.ts'
import { tableLabel } from '../reports/report-file.ts'
import { linkBaseUrl } from '../storage/download-link.ts'
import { type FileLink, storeFile } from '../storage/store-file.ts'
import type { Invocation } from '../telemetry/invocation.ts'
import type { HeldJob } from './job.ts'
import { labelOf } from './job-label.ts'
import type { JobFile, JobOutcome } from './job-outcome.ts'
import type { JobTarget } from './job-target.ts'

export interface MailService {
  readonly config: Config
  readonly database: Database
  readonly invocation?: Invocation
}

const minutesOfDay = 1_440

/** The mail that tells each recipient of what a job has made, and the link where the file was too large for a mail. */
export async function jobMail(
  service: MailService,
  job: HeldJob,
  target: JobTarget,
  { title, message, rows, file }: JobOutcome,
): Promise<{ readonly message: ReportMessage; readonly link?: FileLink }> {
  const { language, requestedAt } = job
  const about = {
    ...{ language, requestedAt, requestedBy: requesterOf(target), timeZone: target.context.timeZone },
    ...{ table: tableLabel(target), action: textOf(labelOf(target.action), language) },
    ...(title !== undefined && { title: textOf(title, language) }),
    ...(job.kind === 'report' ? { rows, ...askedRows(job, target) } : { intro: message[language] }),
  }
  if (file === undefined) return { message: { ...about, content: { kind: 'text', text: message[language] } } }
  const { bytes, name, contentType, content } = file
  // In the mail itself where it fits, else behind a link.
  if (bytes > mostAttachedBytes) {
    const link = await storedForMail(service, job, file)
    const expiresAt = new Date(link.expires_at)
    return { link, message: { ...about, content: { kind: 'link', fileName: link.filename, url: link.url, expiresAt } } }
  }
  const whole = content instanceof Uint8Array ? content : await readFile(content.file)
  return { message: { ...about, content: { kind: 'file', fileName: name, contentType, bytes: whole } } }
}

function requesterOf({ context: { identity } }: JobTarget): ReportMessage['requestedBy'] {
  const address = readMailAddress(identity.email)
  return { name: address ?? identity.subject, ...(address !== undefined && { address }) }
}

function askedRows({ body }: HeldJob, { view, context }: JobTarget): Pick<ReportMessage, 'selected' | 'filters'> {
  const selected = pickedRows(body)
  if (selected !== undefined) return { selected }
  return { filters: filterWords({ view, context, plan: planBulk(view, body, context.timeZone) }) }
}

/** Stores a file behind a link that works for as long as links in mails do. */
export function storedForMail(
  { config, database }: MailService,
  { id: jobId, identity, guard, baseUrl }: HeldJob,
  { name, contentType, content }: JobFile,
): Promise<FileLink> {
  const owner = { config, database, identity, guard, baseUrl: linkBaseUrl(config, baseUrl) }
  const minutes = config.MAIL_LINK_DAYS * minutesOfDay
  return storeFile(owner, { name, contentType, content }, { minutes, jobId })
}
