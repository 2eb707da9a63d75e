import { randomUUID } from 'node:crypto'
import { safeFileName, singleLine } from '../storage/file-name.ts'
import { comparableAddress, readMailAddress } from './mail-address.ts'
import { mailBody, subjectMoment } from './mail-body.ts'
import { mailTexts } from './mail-texts.ts'
import type { AttachedFile, ReportMessage } from './report-message.ts'

export type { ReportMessage } from './report-message.ts'

/**
 * The maximum size of an attached file in bytes; a larger file needs a link. SES takes 10 MB in all, and base64 makes 78 bytes
 * of 57.
 */
export const maxAttachedBytes = 7_200_000

const maxSubjectLength = 150
/** Leaves room for the action and the moment behind it. */
const maxTableLength = 80

/**
 * Composes the MIME text of a mail to one recipient, in plain text and HTML. Labels and file names may hold any text: what could
 * end a header is removed. `to` must be an address that `readRecipients` returned.
 */
export async function composeReportMail(from: string, to: string, message: ReportMessage): Promise<Uint8Array> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const { text, html } = mailBody(message, isOwn(to, message))
  const composer = new MailComposer({
    from,
    to: { name: '', address: to },
    subject: composeSubject(message),
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

/** The moment is last and never cut, so that mails about one table do not become a thread. */
function composeSubject({ table, title, action, requestedAt, language, timeZone, content }: ReportMessage): string {
  const moment = subjectMoment(requestedAt, language, timeZone)
  const about = content.kind === 'failure' ? `${mailTexts[language].notDelivered} ${action}` : title
  const words = [singleLine(table, maxTableLength), ...(about === undefined ? [] : [about])].join(' – ')
  return `${singleLine(words, maxSubjectLength - moment.length)} – ${moment}`
}

function attachment({ fileName, contentType, bytes }: AttachedFile) {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { filename: safeFileName(fileName), contentType, content, contentTransferEncoding: 'base64' }
}
