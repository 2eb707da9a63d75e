import { randomUUID } from 'node:crypto'
import { groupDigits } from '../i18n/count-noun.ts'
import { keepNumbers } from '../i18n/keep-numbers.ts'
import type { Language } from '../i18n/language.ts'
import { reportWords } from '../reports/report-words.ts'
import { safeFileName, singleLine } from '../storage/file-name.ts'
import { comparableAddress, readMailAddress } from './mail-address.ts'
import { mailTexts } from './mail-texts.ts'
import type { MailSender } from './send-mail.ts'

/** The content of a mail, in the language of the requester. */
export interface ReportMessage {
  readonly language: Language
  /** Labels, as the table and its action show them. */
  readonly table: string
  readonly action: string
  /** Follows the table in the subject. Optional. */
  readonly title?: string
  readonly requestedBy: Requester
  readonly requestedAt: Date
  /** One sentence for each filter; absent if the mail is not about filtered rows. */
  readonly filters?: readonly string[]
  /** The number of rows that were selected by hand. */
  readonly selected?: number
  /** The number of rows that were left out of all. */
  readonly excluded?: number
  /** The number of rows of the report file; absent if the mail is not about rows. */
  readonly rows?: number
  /** The sentence before a file or a link. Default: that the report is ready, or who requested it. */
  readonly intro?: string
  /** The IANA name of the time zone in which moments are shown. */
  readonly timeZone: string
  readonly content: AttachedFile | LinkedFile | MailText | FailureNotice
}

/** The requester as recipients see them. */
interface Requester {
  readonly name: string
  /** The requester's verified address: a mail to it says "you". */
  readonly address?: string
}

/** An attached file of up to `maxAttachedBytes`. */
interface AttachedFile {
  readonly kind: 'file'
  readonly fileName: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

interface LinkedFile {
  readonly kind: 'link'
  readonly fileName: string
  /** Absolute. */
  readonly url: string
  readonly bytes: number
  readonly expiresAt: Date
}

interface MailText {
  readonly kind: 'text'
  readonly text: string
}

/** Tells the owner of a job why it failed and what to do about it. */
interface FailureNotice {
  readonly kind: 'failure'
  readonly reason: string
  readonly advice: string
  /** The request id under which the log has the job. */
  readonly reference: string
  readonly link?: Pick<LinkedFile, 'fileName' | 'url' | 'expiresAt'>
}

/**
 * The maximum size of an attached file in bytes; a larger file needs a link. SES takes 10 MB in all, and base64 makes
 * 78 bytes of 57.
 */
export const maxAttachedBytes = 7_200_000

const maxSubjectLength = 150
/** Leaves room for the action and the moment behind it. */
const maxTableLength = 80

/**
 * Composes the MIME text of a mail to one recipient, in plain text and HTML. Labels and file names may hold any text:
 * what could end a header is removed. `to` must be an address that `readRecipients` returned.
 */
export async function composeReportMail(from: MailSender, to: string, message: ReportMessage): Promise<Uint8Array> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const { text, html } = mailBody(message, isRequester(to, message))
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
      // "All" would also suppress reports of mails that could not be delivered, by which SES knows bounces.
      'X-Auto-Response-Suppress': 'OOF, AutoReply, RN, NRN',
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

const isRequester = (to: string, { requestedBy: { address } }: ReportMessage): boolean =>
  address !== undefined && comparableAddress(readMailAddress(address) ?? '') === comparableAddress(to)

/** The moment is last and never cut, so that mails about one table do not become a thread. */
function composeSubject({ table, title, action, requestedAt, language, timeZone, content }: ReportMessage): string {
  // The mark of direction keeps the parts of the moment together in a subject that begins with a Latin letter.
  const moment = `${language === 'ar' ? '\u200f' : ''}${subjectMoment(requestedAt, language, timeZone)}`
  const about = content.kind === 'failure' ? `${mailTexts[language].notDelivered} ${action}` : title
  const words = [singleLine(table, maxTableLength), ...(about === undefined ? [] : [about])].join(' – ')
  return `${singleLine(words, maxSubjectLength - moment.length)} – ${moment}`
}

function attachment({ fileName, contentType, bytes }: AttachedFile) {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { filename: safeFileName(fileName), contentType, content, contentTransferEncoding: 'base64' }
}

interface MailBody {
  readonly text: string
  readonly html: string
}

/** Composes a mail as plain text and as HTML. `isOwn` addresses the requester. Values are escaped in the HTML. */
function mailBody(message: ReportMessage, isOwn: boolean): MailBody {
  const facts = mailFacts(message)
  const opening = composeOpening(message, isOwn)
  return { text: withLineEnds(plainText(message, opening, facts)), html: withLineEnds(html(message, opening, facts)) }
}

function composeOpening(
  { language, intro, requestedBy, rows, content }: ReportMessage,
  isOwn: boolean,
): readonly string[] {
  const texts = mailTexts[language]
  if (content.kind === 'text') return [content.text]
  if (content.kind === 'failure') return [texts.failed, content.reason, content.advice]
  const first = intro ?? (isOwn ? texts.intro : texts.askedBy(requesterName(requestedBy)))
  return rows === 0 ? [first, texts.noRows] : [first]
}

/** Values in a script of the other direction are isolated, so that their brackets and full stops stay at their end. */
const otherScripts: Readonly<Record<Language, RegExp>> = {
  en: /[\p{Script=Arabic}\p{Script=Hebrew}]/u,
  ar: /\p{Script=Latin}/u,
}

function plainText(message: ReportMessage, opening: readonly string[], facts: readonly Fact[]): string {
  const { language } = message
  const texts = mailTexts[language]
  const link = findLink(message)
  const isolate = (value: string) => (otherScripts[language].test(value) ? `\u2068${value}\u2069` : value)
  const lines = (values: readonly string[]) =>
    values.length > 1 ? values.map((value) => `\n- ${isolate(value)}`).join('') : ` ${isolate(values.join(''))}`
  const paragraphs = [
    texts.greeting,
    ...opening.map(withoutControls),
    facts.map(({ name, values }) => `${name}:${lines(values)}`).join('\n'),
    ...(link === undefined
      ? []
      : [
          `${texts.download}: ${isolate(safeFileName(link.fileName))}\n${link.url}`,
          untilText(message, link),
          texts.anyoneWithLink,
        ]),
    reasonText(message),
  ]
  return `${paragraphs.join('\n\n')}\n`
}

type Link = NonNullable<FailureNotice['link']>

function findLink({ content }: ReportMessage): Link | undefined {
  if (content.kind === 'link') return content
  return content.kind === 'failure' ? content.link : undefined
}

const untilText = ({ language, timeZone }: ReportMessage, { expiresAt }: Link): string =>
  `${mailTexts[language].until} ${momentWords(expiresAt, language, timeZone)}.`

const reasonText = ({ language, content }: ReportMessage): string =>
  content.kind === 'failure' ? mailTexts[language].whyFailed : mailTexts[language].why

const font = "font-family:'Segoe UI',Tahoma,Arial,sans-serif"
const quiet = 'margin:24px 0 0;font-size:13px;color:#5f6b7a'
/** A long word would make the mail wider than a phone. */
const breakable = 'word-break:break-word'
const layoutTable = '<table role="presentation" cellspacing="0" cellpadding="0"'

/**
 * Some webmail programs drop the elements around the first table with their direction. Word, which draws the mails of
 * Outlook for Windows, takes widths and padding of tables only, and no `pre-wrap`.
 */
function html(message: ReportMessage, opening: readonly string[], facts: readonly Fact[]): string {
  const { language, title, action } = message
  const texts = mailTexts[language]
  const [direction, side] = language === 'ar' ? (['rtl', 'right'] as const) : (['ltr', 'left'] as const)
  // The text of an author may be in any language.
  const textDirection = message.content.kind === 'text' ? 'auto' : direction
  const rows = facts.map(
    ({ name, values }) =>
      `<tr><th scope="row" style="padding:4px 0;text-align:${side};vertical-align:top;font-weight:normal;color:#5f6b7a">${escapeHtml(name)}</th>` +
      `<td style="padding:4px 16px;text-align:${side};${breakable}">${values.map((value) => `<bdi>${escapeHtml(value)}</bdi>`).join('<br>')}</td></tr>`,
  )
  return [
    `<!DOCTYPE html><html lang="${language}" dir="${direction}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escapeHtml(singleLine(title ?? action, maxLabelLength))}</title></head>`,
    `<body dir="${direction}" style="margin:0;background:#f4f5f7">`,
    `${layoutTable} lang="${language}" dir="${direction}" align="center" width="600" bgcolor="#ffffff" style="max-width:100%;direction:${direction}">`,
    `<tr><td style="padding:32px 24px;text-align:${side};color:#1d2733;${font};font-size:15px;line-height:1.6">`,
    `<p style="margin:0 0 12px">${escapeHtml(texts.greeting)}</p>`,
    ...opening.map(
      (text) =>
        `<p style="margin:0 0 20px;white-space:pre-wrap;${breakable}" dir="${textDirection}">${escapeHtml(text).replaceAll('\n', '<br>')}</p>`,
    ),
    `<table dir="${direction}" style="border-collapse:collapse;font-size:15px">${rows.join('')}</table>`,
    ...linkHtml(message, direction),
    `<p style="${quiet}">${escapeHtml(reasonText(message))}</p>`,
    '</td></tr></table></body></html>',
  ].join('\n')
}

function linkHtml(message: ReportMessage, direction: 'ltr' | 'rtl'): readonly string[] {
  const link = findLink(message)
  if (link === undefined) return []
  const { download, anyoneWithLink } = mailTexts[message.language]
  const button = 'display:inline-block;padding:10px 20px;color:#fff;text-decoration:none'
  return [
    `${layoutTable} dir="${direction}" style="margin:24px 0 8px;font-size:15px"><tr><td bgcolor="#1f5fbf" style="border-radius:6px;mso-padding-alt:10px 20px">`,
    `<a href="${escapeHtml(link.url)}" style="${button}">${escapeHtml(download)}</a></td></tr></table>`,
    `<p style="margin:0;${breakable}"><bdi>${escapeHtml(safeFileName(link.fileName))}</bdi></p>`,
    `<p style="${quiet}">${escapeHtml(untilText(message, link))} ${escapeHtml(anyoneWithLink)}</p>`,
  ]
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string =>
  withoutControls(text).replace(/[&<>"']/g, (character) => entities[character] ?? character)

/** Lines of mail end in CR LF, also inside base64 (RFC 2046, section 4.1.1). */
const withLineEnds = (text: string): string => text.replaceAll('\n', '\r\n')

/** Removes controls, which HTML and some mail servers refuse, and direction overrides, which can disguise a text. */
const withoutControls = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[\u202a-\u202e\u2066-\u2069]|[^\P{Cc}\t\n]/gu, ' ')

/** One line of facts in a mail, with several values for a list. */
interface Fact {
  readonly name: string
  readonly values: readonly string[]
}

/** The maximum length of a label, or of a sentence about a filter. */
const maxLabelLength = 200
const maxFilterLines = 10

/** Keeps the order of dates in Arabic text. Last, because `singleLine` removes all marks of direction. */
const keepOrder = (text: string, language: Language): string => (language === 'ar' ? keepNumbers(text) : text)

/** Returns the facts of a mail, each value on one line and cut to a safe length. */
function mailFacts(message: ReportMessage): readonly Fact[] {
  const { language, table, action, rows, selected, excluded, filters, requestedAt, requestedBy, timeZone, content } =
    message
  const texts = mailTexts[language]
  const words = reportWords(language)
  const one = (name: string, value: string | undefined): readonly Fact[] =>
    value === undefined ? [] : [{ name, values: [keepOrder(singleLine(value, maxLabelLength), language)] }]
  const number = (name: string, value: number | undefined) =>
    one(name, value === undefined ? undefined : groupDigits(value))
  return [
    ...one(texts.table, table),
    ...one(texts.action, action),
    ...(filters === undefined
      ? []
      : [
          {
            name: words.filters,
            values: filterLines(filters, words.noFilters).map((line) => keepOrder(line, language)),
          },
        ]),
    ...number(words.selected, selected),
    ...number(words.excluded, excluded),
    ...number(texts.rows, rows),
    ...one(words.requestedBy, requesterName(requestedBy)),
    ...one(words.requestedAt, momentWords(requestedAt, language, timeZone)),
    ...one(texts.attached, content.kind === 'file' ? safeFileName(content.fileName) : undefined),
    ...one(texts.size, content.kind === 'link' ? sizeWords(content.bytes, language) : undefined),
    ...one(texts.reference, content.kind === 'failure' ? content.reference : undefined),
  ]
}

/** Returns the requester's address, which may become a link, or another name, which may not. */
function requesterName({ name }: Requester): string {
  const line = singleLine(name, maxLabelLength)
  return readMailAddress(line) === undefined ? withoutLinks(line) : line
}

function filterLines(filters: readonly string[], none: string): readonly string[] {
  if (filters.length === 0) return [none]
  const lines = filters.slice(0, maxFilterLines).map((filter) => withoutLinks(singleLine(filter, maxLabelLength)))
  return filters.length > maxFilterLines ? [...lines, `… (+${filters.length - maxFilterLines})`] : lines
}

/**
 * Adds spaces without width to addresses, which mail programs would turn into links, where a user may have typed the
 * text.
 */
const withoutLinks = (text: string): string => text.replace(/:\/\/|\.(?=\p{L})/gu, '$&\u200b')

const megabyte = 1_000_000

/** Formats a file size, such as 9.4 MB. */
const sizeWords = (bytes: number, language: Language): string => {
  const size = Math.max(bytes / megabyte, 0.1).toLocaleString('en', { maximumFractionDigits: 1 })
  return language === 'ar' ? `${size} ميغابايت` : `${size} MB`
}

/** Western digits, as in the cells of tables. */
const locales: Readonly<Record<Language, string>> = { en: 'en-GB', ar: 'ar-u-nu-latn' }

const day = { day: 'numeric', month: 'long', year: 'numeric' } as const
const second = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
const moment = { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const

/**
 * Formats a moment to the second, without its time zone. For subjects, because mails with equal subjects become a
 * thread.
 */
const subjectMoment = (date: Date, language: Language, timeZone: string): string =>
  new Intl.DateTimeFormat(locales[language], { ...day, ...second, timeZone }).format(date)

/** Formats a moment with its time zone. */
const momentWords = (date: Date, language: Language, timeZone: string): string =>
  new Intl.DateTimeFormat(locales[language], { ...moment, timeZone }).format(date)
