import { randomUUID } from 'node:crypto'
import { safeFileName, singleLine } from '../storage/file-name.ts'
import { comparableAddress, readMailAddress } from './mail-address.ts'
import { mailBody, subjectMoment } from './mail-body.ts'
import { mailTexts } from './mail-texts.ts'
import type { AttachedFile, ReportMessage } from './report-message.ts'

export type { ReportMessage } from './report-message.ts'

/**
 * The largest file that a mail may carry, in bytes. SES takes 10 MB in all, and base64 makes 78 bytes of 57: a larger file
 * needs a link.
 */
export const maxAttachedBytes = 7_200_000

const maxSubjectLength = 150
/** Leaves room for what stands behind the table. */
const maxTableLength = 80

/**
 * One mail to one recipient as MIME, in plain text and HTML. Labels and file names may hold any text: what could end a header
 * or hide something is taken out of them. `to` must be an address as `readRecipients` returns it.
 */
export async function composeReportMail(from: string, to: string, message: ReportMessage): Promise<Uint8Array> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const { text, html } = mailBody(message, isOwn(to, message))
  const composer = new MailComposer({
    from,
    to: { name: '', address: to },
    subject: subjectOf(message),
    text,
    html,
    // Long lines and Arabic alike are safe in base64.
    textEncoding: 'base64',
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      // Without it, Gmail joins mails with similar subjects to a conversation.
      'X-Entity-Ref-ID': randomUUID(),
    },
    attachments: message.content.kind === 'file' ? [attachment(message.content)] : [],
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: 'windows',
  })
  return composer.compile().build()
}

const isOwn = (to: string, { requestedBy: { address } }: ReportMessage): boolean =>
  address !== undefined && comparableAddress(readMailAddress(address) ?? '') === comparableAddress(to)

/** The moment stands last and is never cut: it keeps mails about one table from becoming a thread. */
function subjectOf({ table, title, action, requestedAt, language, timeZone, content }: ReportMessage): string {
  const moment = subjectMoment(requestedAt, language, timeZone)
  const about = content.kind === 'failure' ? `${mailTexts[language].notDelivered} ${action}` : title
  const words = [singleLine(table, maxTableLength), ...(about === undefined ? [] : [about])].join(' – ')
  return `${singleLine(words, maxSubjectLength - moment.length)} – ${moment}`
}

function attachment({ fileName, contentType, bytes }: AttachedFile) {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { filename: safeFileName(fileName), contentType, content, contentTransferEncoding: 'base64' }
}
