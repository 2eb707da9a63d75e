import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import PostalMime, { type Email } from 'postal-mime'
import { afterAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../lib/config.ts'
import { composeReportMail, maxAttachedBytes, type ReportMessage } from '../../../lib/mail/report-mail.ts'
import { mailSender, sendMail } from '../../../lib/mail/send-mail.ts'
import { safeFileName } from '../../../lib/storage/file-name.ts'
import { anyText } from '../../support/requests/any-text.ts'
import { sender, startTestMail } from './mail-environment.ts'

const mail = await startTestMail()
afterAll(() => mail.stop())
const config = { MAIL_SENDER: sender, MAIL_CONFIGURATION_SET: undefined }
const settings = {
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  SERVICE_SECRET: 'a secret of more than thirty-two characters',
  COGNITO_USER_POOL_ID: 'eu-central-1_example',
  COGNITO_CLIENT_ID: 'web',
}

const excel = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const bytes = randomBytes(3_000)
const file = { kind: 'file', fileName: 'flights.xlsx', contentType: excel, bytes } as const
const message: ReportMessage = {
  language: 'en',
  table: 'Flights',
  action: 'Send by e-mail',
  rows: 12_345,
  requestedBy: { name: 'nora@example.com', address: 'nora@example.com' },
  requestedAt: new Date('2026-11-21T22:30:00Z'),
  timeZone: 'Asia/Riyadh',
  content: file,
}
const link = {
  kind: 'link',
  fileName: 'flights.xlsx',
  url: 'https://tables.example.test/downloads/a-b_c?x=1&y=2',
  bytes: 9_437_184,
  expiresAt: new Date('2026-03-01T21:30:00Z'),
} as const

/** The mail as it arrives by way of SES. */
async function receive(changed: Partial<ReportMessage> = {}, to = 'nora@example.com') {
  const raw = await composeReportMail(mailSender(config), to, { ...message, ...changed })
  expect(await sendMail(config, raw, to)).toMatchObject({ outcome: 'sent' })
  const envelope = mail.envelopes().at(-1)
  if (envelope === undefined) throw new Error('No mail was accepted')
  const arrived: Email = await PostalMime.parse(envelope.raw)
  return { ...arrived, envelope, head: envelope.raw.toString('latin1').split('\r\n\r\n')[0] ?? '' }
}

const toHeader = ({ headers }: Email, name: string) =>
  headers.filter(({ key }) => key === name).map(({ value }) => value)
const attachedBytes = ({ attachments }: Email) => Buffer.from(attachments[0]?.content as ArrayBuffer)

describe('a mail with an attached report', () => {
  it('has the file as it was, a text and an HTML that say the same', async () => {
    const arrived = await receive()
    expect(arrived.subject).toMatch(/^Flights – 22 November 2026\D+01:30:00$/)
    expect(arrived.attachments).toHaveLength(1)
    expect(arrived.attachments[0]).toMatchObject({
      filename: 'flights.xlsx',
      mimeType: excel,
      disposition: 'attachment',
    })
    expect(attachedBytes(arrived).equals(bytes)).toBe(true)
    for (const body of [arrived.text, arrived.html]) {
      for (const part of ['Flights', 'Send by e-mail', '12,345', 'flights.xlsx']) expect(body).toContain(part)
      expect(body).not.toContain('No rows matched')
    }
    expect(arrived.html).toContain('<html lang="en" dir="ltr">')
  })

  it('is from the sender, to one recipient, and asks for no automatic reply but for the report of a bounce', async () => {
    const arrived = await receive()
    expect(arrived.from).toEqual({ name: 'تقارير Reports', address: 'reports@example.com' })
    expect(arrived.to).toEqual([{ name: '', address: 'nora@example.com' }])
    expect(arrived.envelope.destinations).toEqual(['nora@example.com'])
    expect(arrived.envelope.source).toBe('reports@example.com')
    expect(toHeader(arrived, 'auto-submitted')).toEqual(['auto-generated'])
    expect(toHeader(arrived, 'x-auto-response-suppress')).toEqual(['OOF, AutoReply, RN, NRN'])
    for (const name of ['cc', 'bcc', 'reply-to']) expect(toHeader(arrived, name)).toEqual([])
  })

  it.each([
    ['Reports: Daily <a@example.com>', 'Reports: Daily'],
    ['Reports (Prod) <a@example.com>', 'Reports (Prod)'],
    ['A; B, C <a@example.com>', 'A; B, C'],
    ['"Acme, \\"Inc\\"" <a@example.com>', 'Acme, "Inc"'],
    ['تقارير: اليوم <a@example.com>', 'تقارير: اليوم'],
    ['<a@example.com> ', ''],
    ['a@example.com', ''],
  ])('is from one address with the whole name of MAIL_SENDER: %s', async (MAIL_SENDER, name) => {
    const from = mailSender(loadConfig({ ...settings, MAIL_SENDER }))
    const { from: shown } = await PostalMime.parse(await composeReportMail(from, 'nora@example.com', message))
    expect(shown).toEqual({ name, address: 'a@example.com' })
  })

  it('is in Arabic, from right to left, with Arabic subject and file name intact', async () => {
    const content = { ...file, fileName: 'تقرير الرحلات الجوية لشهر يناير.xlsx' }
    const arrived = await receive({ language: 'ar', table: 'الرحلات', action: 'إرسال بالبريد الإلكتروني', content })
    expect(arrived.subject).toMatch(/^الرحلات – \u200f22 نوفمبر 2026\D+01:30:00$/)
    expect(arrived.attachments[0]?.filename).toBe('تقرير الرحلات الجوية لشهر يناير.xlsx')
    expect(arrived.html).toContain('<html lang="ar" dir="rtl">')
    for (const part of ['التقرير الذي طلبته جاهز.', 'عدد الصفوف: 12,345', 'إرسال بالبريد الإلكتروني'])
      expect(arrived.text).toContain(part)
    expect(arrived.envelope.raw.toString('latin1')).toMatch(/^[\x20-\x7E\r\n]*$/)
  })

  it('is ASCII in lines of no more than 998 characters, for any subject', async () => {
    const long = { table: 'ق'.repeat(3_000), action: 'x'.repeat(3_000), filters: ['y'.repeat(30_000)] }
    const { envelope, subject } = await receive(long)
    for (const line of envelope.raw.toString('latin1').split('\r\n')) expect(line.length).toBeLessThanOrEqual(998)
    expect(subject).toMatch(/^ق{80} – 22 November 2026\D+01:30:00$/)
    expect(envelope.size).toBeLessThan(20_000)
  })

  it('may hold what looks like the boundary of a mail', async () => {
    const arrived = await receive({
      content: { ...file, bytes: Buffer.from('\r\n----_NmP-x--\r\n\r\n.\r\nBcc: a\r\n') },
    })
    expect(attachedBytes(arrived).toString()).toBe('\r\n----_NmP-x--\r\n\r\n.\r\nBcc: a\r\n')
  })

  it('is accepted by SES with every byte at its largest, below 10 MB', async () => {
    const largest = randomBytes(maxAttachedBytes)
    const content = { ...file, fileName: 'ق'.repeat(120), bytes: largest }
    const arrived = await receive({ table: 'ق'.repeat(500), content })
    expect(attachedBytes(arrived).equals(largest)).toBe(true)
    expect(arrived.envelope.size).toBeLessThan(10_000_000)
    expect(arrived.envelope.size).toBeGreaterThan(9_800_000)
  })

  it('beyond SES’s limit is refused for good', async () => {
    const raw = await composeReportMail(mailSender(config), 'nora@example.com', {
      ...message,
      content: { ...file, bytes: Buffer.alloc(7_700_000) },
    })
    expect(await sendMail(config, raw, 'nora@example.com')).toEqual({
      outcome: 'refused',
      code: 'InvalidParameterValue',
    })
  })
})

describe('a mail says in both bodies', () => {
  const both = async (changed: Partial<ReportMessage>, to?: string) => {
    const { text = '', html = '' } = await receive(changed, to)
    return [text, html.replace(/<[^>]+>/g, ' ')] as const
  }

  it('shows another recipient who requested it, when and with which filters', async () => {
    const changed = { filters: ['State is Open', 'Day is from 2026-01-01'] }
    for (const body of await both(changed, 'sami@example.com')) {
      expect(body).not.toContain('you asked for')
      expect(body).toContain('nora@example.com has asked for this report to be sent to you.')
      expect(body).toMatch(/22 November 2026( at|,) 01:30 GMT\+3/)
      for (const filter of changed.filters) expect(body).toContain(filter)
    }
  })

  it('the same in Arabic', async () => {
    const changed = { language: 'ar', filters: ['الحالة: مفتوح'], requestedBy: { name: 'u-17' } } as const
    for (const body of await both(changed)) {
      expect(body).toContain('بناءً على طلب u-17.')
      for (const part of ['عوامل التصفية', 'الحالة: مفتوح', 'مقدّم الطلب', 'وقت الطلب']) expect(body).toContain(part)
    }
  })

  it('the same in Arabic, with dates in their order', async () => {
    const content = { ...file, fileName: '2026-11-22-الرحلات.xlsx' }
    const filters = ['اليوم: ابتداءً من 2026-01-01', 'المخزون: بحد أدنى -5']
    for (const body of await both({ language: 'ar', filters, content })) {
      for (const part of ['من \u200e2026-01-01', 'أدنى \u200e-5', '\u200e2026-11-22-الرحلات.xlsx'])
        expect(body).toContain(part)
    }
    const { text } = await receive({ language: 'ar', content: { ...link, fileName: content.fileName } })
    expect(text).toContain(': \u20682026-11-22-الرحلات.xlsx')
    expect(text).toContain(link.url)
  })

  it('keeps the parts of its moment together in an Arabic subject that begins in Latin letters', async () => {
    const { subject } = await receive({ language: 'ar' })
    expect(subject).toMatch(/^Flights – \u200f22 نوفمبر 2026\D+01:30:00$/)
  })

  it('shows addresses in filters as they were typed, but none that mail programs turn into a link', async () => {
    const filters = ['Notes contains https://evil.example/x or www.evil.example', 'Cost is 1.5']
    for (const body of await both({ filters })) {
      expect(body).not.toMatch(/:\/\/\w|\.evil|evil\.example/)
      for (const filter of filters) expect(body.replaceAll('\u200b', '')).toContain(filter)
      expect(body).toContain('Cost is 1.5')
    }
  })

  it('shows a requester by a name that mail programs turn into no link, unless it is an address', async () => {
    for (const body of await both({ requestedBy: { name: 'sign-in.evil.example' } }, 'sami@example.com')) {
      expect(body).not.toContain('evil.example')
      expect(body.replaceAll('\u200b', '').split('sign-in.evil.example')).toHaveLength(3)
    }
    for (const body of await both({}, 'sami@example.com')) expect(body.split('nora@example.com')).toHaveLength(3)
  })

  it('says that there are no filters, how many rows were selected, and that no rows matched', async () => {
    for (const body of await both({ filters: [], rows: 0 })) {
      expect(body).toContain('No rows matched')
      expect(body).toMatch(/Filters\W+None/)
    }
    for (const body of await both({ selected: 3 })) {
      expect(body).toMatch(/Selected rows\W+3/)
      expect(body).not.toContain('Filters')
    }
  })

  it('a strange filter on one line, at no great length, and not turned around', async () => {
    const strange = `Name is a\r\n\r\nBcc: b@evil.test\u202Egnp.exe\u2067${'<img src=x>'.repeat(1_000)}`
    const [text, html] = await both({ filters: [strange, ...Array.from({ length: 30 }, (_, n) => `Filter ${n}`)] })
    expect(text.replaceAll('\u200b', '')).toContain('Filters:\r\n- Name is a Bcc: b@evil.test gnp.exe <img src=x>')
    for (const body of [text, html]) {
      expect(body).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
      expect(body).toContain('… (+21)')
      expect(body.length).toBeLessThan(2_000)
    }
  })

  it('has the subject of an author before the moment', async () => {
    const { subject } = await receive({ title: 'All flights moved' })
    expect(subject).toMatch(/^Flights – All flights moved – 22 November 2026\D+01:30:00$/)
  })

  it('has its moment in the subject, however long the words of an author are', async () => {
    const { subject = '' } = await receive({ title: 'x'.repeat(500) })
    expect(subject).toMatch(/x – 22 November 2026\D+01:30:00$/)
    expect(subject.length).toBeLessThanOrEqual(153)
  })

  it('is no part of a thread: subjects of one table and day differ, and so do their references', async () => {
    const later = new Date(message.requestedAt.getTime() + 1_000)
    const mails = [await receive(), await receive({ requestedAt: later })]
    expect(new Set(mails.map(({ subject }) => subject)).size).toBe(2)
    expect(new Set(mails.flatMap((mail) => toHeader(mail, 'x-entity-ref-id'))).size).toBe(2)
  })

  it('has lines that end in CR LF below its encoding', async () => {
    const { envelope } = await receive()
    const parts = envelope.raw
      .toString('latin1')
      .split(/\r\n--[^\r]+\r\n/)
      .filter((part) => /^content-type: text\//im.test(part))
    expect(parts).toHaveLength(2)
    for (const part of parts) {
      const [, body = ''] = part.split('\r\n\r\n')
      const text = Buffer.from(body, 'base64').toString()
      expect(text).toContain('\r\n')
      expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    }
  })
})

describe('the HTML of a mail', () => {
  it.each([
    ['en', 'ltr'],
    ['ar', 'rtl'],
  ] as const)('keeps its direction in %s where a webmail program drops html and body', async (language, direction) => {
    const { html = '' } = await receive({ language, content: link })
    const [, body = ''] = /<body[^>]*>\s*(.*)<\/body>/s.exec(html) ?? []
    expect(body).toMatch(new RegExp(`^<table [^>]*lang="${language}" dir="${direction}"[^>]*direction:${direction}`))
    const tables = [...body.matchAll(/<table [^>]*>/g)]
    expect(tables).toHaveLength(3)
    for (const [table] of tables) expect(table).toContain(`dir="${direction}"`)
  })

  it('has its width, its frame and its button on tables and cells, which Outlook for Windows draws', async () => {
    const { html = '' } = await receive({ content: link })
    expect(html).toMatch(
      /<table role="presentation"[^>]* width="600"[^>]*max-width:100%[^>]*>\s*<tr><td style="padding:/,
    )
    expect(html).toMatch(/<td bgcolor="#\w+" style="[^"]*mso-padding-alt:10px 20px">\s*<a href="https:/)
    expect(html).not.toMatch(/<div|margin:0 auto/)
  })

  it('breaks a long file name, which would make it wider than a phone', async () => {
    const fileName = `${'x'.repeat(100)}.xlsx`
    const attached = await receive({ content: { ...file, fileName } })
    expect(attached.html).toMatch(/<td style="[^"]*word-break:break-word"><bdi>x{100}\.xlsx/)
    const linked = await receive({ content: { ...link, fileName } })
    expect(linked.html).toMatch(/<p style="[^"]*word-break:break-word"><bdi>x{100}\.xlsx/)
  })
})

describe('the plain text of a mail', () => {
  it('has each filter on a line of its own', async () => {
    const { text } = await receive({ filters: ['State is Open', 'Cost is 1.5'] })
    expect(text).toContain('\r\nFilters:\r\n- State is Open\r\n- Cost is 1.5\r\nRows: 12,345\r\n')
  })

  it('keeps the brackets of values that are written in the other direction at their end', async () => {
    const inArabic = await receive({
      language: 'ar',
      table: 'Flights (KSA)',
      filters: ['الحالة: مفتوح'],
      content: link,
    })
    expect(inArabic.text).toContain(': \u2068Flights (KSA)\u2069\r\n')
    expect(inArabic.text).toContain(': \u2068flights.xlsx\u2069\r\nhttps://')
    expect(inArabic.text).toContain(': الحالة: مفتوح\r\n')
    const inEnglish = await receive({ table: 'Flights (KSA)', filters: ['الحالة (الآن): مفتوح', 'Cost is 1.5'] })
    expect(inEnglish.text).toContain('\r\n- \u2068الحالة (الآن): مفتوح\u2069\r\n- Cost is 1.5\r\n')
    expect(inEnglish.text).toContain('Table: Flights (KSA)\r\n')
  })
})

describe('a mail with a link', () => {
  it('has the link in both bodies, with its end in the time zone of the table, and nothing attached', async () => {
    const arrived = await receive({ content: link })
    expect(arrived.attachments).toEqual([])
    expect(arrived.text).toContain(link.url)
    expect(arrived.html).toContain('href="https://tables.example.test/downloads/a-b_c?x=1&amp;y=2"')
    for (const body of [arrived.text, arrived.html]) expect(body).toMatch(/Size\W.*9\.4 MB/s)
    for (const body of [arrived.text, arrived.html]) expect(body).toMatch(/2 March 2026 at 00:30|2 March 2026, 00:30/)
  })

  it('shows the end of the link in Arabic with the digits of the tables', async () => {
    const { text = '' } = await receive({ language: 'ar', content: link })
    expect(text).toMatch(/2 مارس 2026.*00:30/)
    expect(text).not.toMatch(/[٠-٩]/)
  })
})

describe('a mail with a text', () => {
  it('has the lines as they were written, and no rows where there are none', async () => {
    const { rows: _rows, ...rest } = message
    const text = 'First\r\n  <b>second</b> & "third\'s"\nقيمة'
    const raw = await composeReportMail(mailSender(config), 'a@example.com', {
      ...rest,
      content: { kind: 'text', text },
    })
    const arrived = await PostalMime.parse(raw)
    expect(arrived.text?.replaceAll('\r\n', '\n')).toContain('First\n  <b>second</b> & "third\'s"\nقيمة')
    expect(arrived.html).toContain(
      'dir="auto">First<br>  &lt;b&gt;second&lt;/b&gt; &amp; &quot;third&#39;s&quot;<br>قيمة</p>',
    )
    expect(arrived.text).not.toContain('Rows')
  })
})

describe('no header can be injected', () => {
  const injected = fc
    .array(
      fc.oneof(
        anyText({ maxLength: 10 }),
        fc.constantFrom(
          '\r\n',
          '\n',
          '\r',
          '\0',
          '\u2028',
          '\x85',
          '\r\n\r\n',
          'Bcc: evil@evil.test',
          '=?UTF-8?Q?=0D=0ABcc:?=',
        ),
        fc.constantFrom('"', ';', 'filename=', "''", '%0d%0a', '</td><script>', '&#13;', 'ق', '\uD800', ' '),
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join(''))

  it('encodes labels, file names and texts', async () => {
    const plain = await composeReportMail(mailSender(config), 'a@example.com', message)
    const expected = (await PostalMime.parse(plain)).headers.map(({ key }) => key).sort()
    await fc.assert(
      fc.asyncProperty(injected, injected, injected, async (table, action, fileName) => {
        const content = { ...file, fileName }
        const strange = { table, action, title: action, filters: [table], requestedBy: { name: fileName }, content }
        const raw = await composeReportMail(mailSender(config), 'a@example.com', { ...message, ...strange })
        const arrived = await PostalMime.parse(raw)
        expect(arrived.headers.map(({ key }) => key).sort()).toEqual(expected)
        expect(arrived.to).toEqual([{ name: '', address: 'a@example.com' }])
        expect(arrived.attachments).toHaveLength(1)
        expect(arrived.attachments[0]?.filename).toBe(safeFileName(fileName))
        expect(arrived.subject).not.toMatch(/\p{Cc}/u)
        expect(arrived.html).not.toContain('<script')
        expect(Buffer.from(raw).toString('latin1')).toMatch(/^[\x20-\x7E\r\n\t]*$/)
      }),
      { numRuns: 300 },
    )
  })
})
