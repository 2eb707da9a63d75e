import { readFile } from 'node:fs/promises'
import { pickedRows, planBulk } from '../actions/bulk-selection.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { textOf } from '../i18n/language.ts'
import { readMailAddress } from '../mail/mail-address.ts'
import { maxAttachedBytes, type ReportMessage } from '../mail/report-mail.ts'
import { tableLabel } from '../reports/report-file.ts'
import { filterWords } from '../reports/report-words.ts'
import type { StoredFile } from '../storage/download-link.ts'
import { createLink, type FileLink, storeObject } from '../storage/store-file.ts'
import type { Invocation } from '../telemetry/invocation.ts'
import type { HeldJob } from './job.ts'
import { labelOf } from './job-label.ts'
import type { JobFile, JobOutcome } from './job-outcome.ts'
import { jobLinkFacts } from './job-result.ts'
import type { JobTarget } from './job-target.ts'

export interface MailService {
  readonly config: Config
  readonly database: Database
  readonly invocation?: Invocation
}

/** What is sent to one recipient. */
export interface RecipientMail {
  readonly message: ReportMessage
  /** The recipient's own link, where the file is too large for a mail. */
  readonly link?: FileLink
}

/** The mails of a job that has made something. */
export interface JobMails {
  readonly mailTo: (address: string) => Promise<RecipientMail>
  /** Creates a link for the job's owner; `undefined` where there is no file. */
  readonly linkForOwner: () => Promise<FileLink | undefined>
}

/** Prepares the mails that bring what a job has made: a file in the mail itself where it fits, else behind a link. */
export async function prepareJobMails(
  service: MailService,
  job: HeldJob,
  target: JobTarget,
  { title, message, rows, file }: JobOutcome,
): Promise<JobMails> {
  const { language, requestedAt } = job
  const about = {
    ...{ language, requestedAt, requestedBy: requesterOf(target), timeZone: target.context.timeZone },
    ...{ table: tableLabel(target), action: textOf(labelOf(target.action), language) },
    ...(title !== undefined && { title: textOf(title, language) }),
    ...(job.kind === 'report' ? { rows, ...askedRows(job, target) } : { intro: message[language] }),
  }
  const same = (content: ReportMessage['content']): JobMails['mailTo'] => {
    const mail = Promise.resolve({ message: { ...about, content } })
    return () => mail
  }
  if (file === undefined) {
    return { mailTo: same({ kind: 'text', text: message[language] }), linkForOwner: async () => undefined }
  }
  const links = fileLinks(service, job, file)
  const linkForOwner = () => links()
  if (file.bytes <= maxAttachedBytes) {
    return { mailTo: same(await attachedFile(file)), linkForOwner }
  }
  return {
    linkForOwner,
    mailTo: async (address) => {
      const link = await links(address)
      const { url, filename: fileName } = link
      const content = { kind: 'link', url, fileName, bytes: file.bytes, expiresAt: new Date(link.expires_at) } as const
      return { link, message: { ...about, content } }
    },
  }
}

async function attachedFile({ name: fileName, contentType, content }: JobFile): Promise<ReportMessage['content']> {
  const bytes = content instanceof Uint8Array ? content : await readFile(content.file)
  return { kind: 'file', fileName, contentType, bytes }
}

/** Returns what creates links to one file, which is stored with the first of them. */
function fileLinks({ config, database }: MailService, job: HeldJob, file: JobFile) {
  const { identity, guard, baseUrl } = job
  const owner = { config, database, identity, guard, baseUrl }
  let stored: Promise<StoredFile> | undefined
  return async (recipient?: string): Promise<FileLink> => {
    stored ??= storeObject(owner, file)
    return createLink(owner, await stored, { ...jobLinkFacts(config, job), recipient })
  }
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
