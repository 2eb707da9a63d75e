import { safeFileName, singleLine } from '../storage/file-name.ts'
import { mailTexts } from './mail-texts.ts'
import type { ReportMessage } from './report-message.ts'

export interface MailBody {
  readonly text: string
  readonly html: string
}

const longestLabel = 200

/** The same mail as plain text and as HTML. Nothing in it is read as HTML but what is written here. */
export function mailBody(message: ReportMessage): MailBody {
  const facts = factsOf(message)
  return { text: withoutControls(plainText(message, facts)), html: html(message, facts) }
}

type Fact = readonly [name: string, value: string]

function factsOf({ language, table, action, rows, content }: ReportMessage): readonly Fact[] {
  const texts = mailTexts[language]
  return [
    [texts.table, singleLine(table, longestLabel)],
    [texts.action, singleLine(action, longestLabel)],
    ...(rows === undefined ? [] : [[texts.rows, rows.toLocaleString('en')] as const]),
    ...(content.kind === 'file' ? [[texts.attached, safeFileName(content.fileName)] as const] : []),
  ]
}

function plainText(message: ReportMessage, facts: readonly Fact[]): string {
  const texts = mailTexts[message.language]
  const { content } = message
  const paragraphs = [
    texts.greeting,
    content.kind === 'text' ? content.text : (message.intro ?? texts.intro),
    facts.map(([name, value]) => `${name}: ${value}`).join('\n'),
    ...(content.kind === 'link'
      ? [
          `${texts.download}: ${safeFileName(content.fileName)}\n${content.url}`,
          untilText(message),
          texts.anyoneWithLink,
        ]
      : []),
    texts.why,
  ]
  return `${paragraphs.join('\n\n')}\n`
}

/** Western digits, as in the cells of tables. */
const locales = { en: 'en-GB', ar: 'ar-u-nu-latn' } as const

function untilText({ language, timeZone, content }: ReportMessage): string {
  if (content.kind !== 'link') return ''
  const format = new Intl.DateTimeFormat(locales[language], {
    timeZone,
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  })
  return `${mailTexts[language].until} ${format.format(content.expiresAt)}.`
}

const font = "font-family:'Segoe UI',Tahoma,Arial,sans-serif"
const quiet = 'margin:24px 0 0;font-size:13px;color:#5f6b7a'

function html(message: ReportMessage, facts: readonly Fact[]): string {
  const { language, action, content } = message
  const texts = mailTexts[language]
  const [direction, side] = language === 'ar' ? (['rtl', 'right'] as const) : (['ltr', 'left'] as const)
  const rows = facts.map(
    ([name, value]) =>
      `<tr><th scope="row" style="padding:4px 0;text-align:${side};font-weight:normal;color:#5f6b7a">${escaped(name)}</th>` +
      `<td style="padding:4px 16px;text-align:${side}"><bdi>${escaped(value)}</bdi></td></tr>`,
  )
  return [
    `<!DOCTYPE html><html lang="${language}" dir="${direction}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escaped(singleLine(action, longestLabel))}</title></head>`,
    `<body dir="${direction}" style="margin:0;background:#f4f5f7">`,
    `<div style="max-width:560px;margin:0 auto;padding:32px 24px;background:#fff;color:#1d2733;${font};font-size:15px;line-height:1.6">`,
    `<p style="margin:0 0 12px">${escaped(texts.greeting)}</p>`,
    content.kind === 'text'
      ? `<p style="margin:0 0 20px;white-space:pre-wrap" dir="auto">${escaped(content.text)}</p>`
      : `<p style="margin:0 0 20px">${escaped(message.intro ?? texts.intro)}</p>`,
    `<table style="border-collapse:collapse;font-size:15px">${rows.join('')}</table>`,
    ...linkHtml(message),
    `<p style="${quiet}">${escaped(texts.why)}</p>`,
    '</div></body></html>',
  ].join('\n')
}

function linkHtml(message: ReportMessage): readonly string[] {
  const { language, content } = message
  if (content.kind !== 'link') return []
  const { download, anyoneWithLink } = mailTexts[language]
  const button =
    'display:inline-block;padding:10px 20px;border-radius:6px;background:#1f5fbf;color:#fff;text-decoration:none'
  return [
    `<p style="margin:24px 0 8px"><a href="${escaped(content.url)}" style="${button}">${escaped(download)}</a></p>`,
    `<p style="margin:0"><bdi>${escaped(safeFileName(content.fileName))}</bdi></p>`,
    `<p style="${quiet}">${escaped(untilText(message))} ${escaped(anyoneWithLink)}</p>`,
  ]
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string =>
  withoutControls(text).replace(/[&<>"']/g, (character) => entities[character] ?? character)

/** Controls have no place in HTML, and a NUL ends a mail for some servers. */
const withoutControls = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\t\n]/gu, ' ')
