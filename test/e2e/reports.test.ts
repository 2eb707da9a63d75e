import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCsv } from '../lib/reports/csv-reader.ts'
import { listSheets, listValues } from '../lib/reports/workbook.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import type { ApiResponse } from '../support/requests/api.ts'
import { eventually } from '../support/run/patience.ts'
import { demoJobs } from '../support/stack/demo-jobs.ts'
import { demoQueue } from '../support/stack/demo-queue.ts'
import {
  attachedTo,
  flightSums,
  flightSumsOfSql,
  openLink,
  plantCells,
  readPath,
  strikeLabels,
  strikeRows,
} from '../support/stack/demo-reports.ts'
import { type DemoIdentity, type DemoStack, startDemoStack } from '../support/stack/demo-stack.ts'

const excel = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const states = ['Texas', 'Ohio']
const alice: DemoIdentity = { sub: 'alice', states, email: 'alice@example.com' }
const bob: DemoIdentity = { sub: 'bob', states: ['Ohio'], email: 'bob@example.com' }

let stack: DemoStack
let jobs: ReturnType<typeof demoJobs>

beforeAll(async () => {
  stack = await startDemoStack()
  jobs = demoJobs(stack)
  await plantCells(stack.sql(), 'Texas')
})
afterAll(() => stack?.stop())

const post = (path: string, as: DemoIdentity, body: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  stack.call(`bulk-table-action/${path}`, { as, body, headers })

/** The one mail of a job that has succeeded. */
const mailOfJob = async (id: string, as: DemoIdentity) => {
  expect(await jobs.ended(id, as)).toMatchObject({ status: 'succeeded' })
  const [envelope, ...more] = await jobs.findEnvelopes(id)
  expect(more).toEqual([])
  if (envelope === undefined) throw new Error('no mail was sent')
  return { envelope, mail: await jobs.readMail(envelope) }
}

describe('a report by e-mail', () => {
  it.each([
    [
      'en',
      /^Bird strikes – \d{1,2} [A-Z][a-z]+ \d{4}\D+\d\d:\d\d:\d\d$/,
      /^bird_strikes-\d{4}-\d\d-\d\d\.xlsx$/,
      'Summary',
    ],
    [
      'ar',
      /^اصطدامات الطيور – \u200f\d{1,2} \p{L}+ \d{4}\D+\d\d:\d\d:\d\d$/u,
      /^\d{4}-\d\d-\d\d-اصطدامات-الطيور\.xlsx$/,
      'ملخص',
    ],
  ] as const)('has in %s every cell that SQL has, and nothing else', async (language, subject, fileName, summary) => {
    const id = await jobs.ask('bird_strikes/email_report', alice, {}, { ln: language })
    const sent = await mailOfJob(id, alice)
    expect(sent.envelope.destinations).toEqual(['alice@example.com'])
    expect(sent.mail).toMatchObject({ to: [{ address: 'alice@example.com' }] })
    expect(sent.mail.subject).toMatch(subject)
    const { filename, mimeType, bytes } = attachedTo(sent.mail)
    expect(filename).toMatch(fileName)
    expect(mimeType).toBe(excel)

    const [rows, about] = await listSheets(bytes)
    expect([rows?.view?.rightToLeft ?? false, about?.name]).toEqual([language === 'ar', summary])
    expect(rows?.rows[0]).toEqual(strikeLabels[language])
    const expected = await strikeRows(stack.sql(), language, states)
    expect(expected.length).toBeGreaterThan(1_000)
    expect(rows && listValues(rows)).toEqual(expected)
    expect(about?.rows.flat()).toEqual(expect.arrayContaining([expected.length, 'alice@example.com']))
  })

  it('lies in the mailbox, with its file', async () => {
    const id = await jobs.ask('bird_strikes/email_report', alice, {}, { ln: 'ar' })
    const sent = await mailOfJob(id, alice)
    const { filename, bytes } = attachedTo(sent.mail)
    const store = await (await fetch(`${stack.facts().mailbox_url}/store`)).json()
    const { emails } = store as { emails: readonly { messageId: string }[] }
    expect(emails.filter(({ messageId }) => messageId === sent.envelope.messageId)).toEqual([
      expect.objectContaining({
        subject: sent.mail.subject,
        destination: expect.objectContaining({ to: ['alice@example.com'] }),
        attachments: [expect.objectContaining({ filename, content: bytes.toString('base64') })],
      }),
    ])
  })

  it('goes to each recipient in a mail of its own, once', async () => {
    const emails = ['one@example.com', ' two@example.com', 'ONE@example.com', 'alice@example.com']
    const filters = [{ field: 'flagged', operator: '=', value: true }]
    const id = await jobs.ask('bird_strikes/email_report', alice, { emails, filters })
    expect(await jobs.ended(id, alice)).toMatchObject({
      status: 'succeeded',
      recipients: ['alice@example.com', 'one@example.com', 'two@example.com'].map((address) =>
        expect.objectContaining({ address, status: 'sent' }),
      ),
    })
    const sent = await jobs.findEnvelopes(id)
    expect(sent.map(({ destinations }) => destinations).sort()).toEqual([
      ['alice@example.com'],
      ['one@example.com'],
      ['two@example.com'],
    ])
    for (const envelope of sent) {
      const { to, text } = await jobs.readMail(envelope)
      expect(to).toEqual([expect.objectContaining({ address: envelope.destinations[0] })])
      const isOwn = to?.[0]?.address === alice.email
      expect(text).toContain(isOwn ? 'The report you asked for' : 'alice@example.com has asked for this report')
      expect(text).toContain('Filters: Flagged is Yes')
    }
  })

  it('holds nothing of other states, for any request', async () => {
    const [foreign] = await stack.sql()`select id from bird_strikes where origin_state = 'California' limit 1`
    const [own] = await stack.sql()`select id from bird_strikes where origin_state = 'Ohio' limit 1`
    const filters = [{ field: 'origin_state', operator: '=', value: 'California' }]
    const ids = await Promise.all([
      jobs.ask('bird_strikes/email_report', bob, { selected_ids: [foreign?.['id'], own?.['id']] }),
      jobs.ask('bird_strikes/email_report', bob, { filters }),
    ])
    const rows = ids.map(async (id) => {
      const [sheet] = await listSheets(attachedTo((await mailOfJob(id, bob)).mail).bytes)
      return sheet && listValues(sheet).map(([key]) => key)
    })
    expect(await Promise.all(rows)).toEqual([[own?.['id']], []])
  })

  it('is one mail, and one response, however often it is asked for with one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'first-report' }
    const first = await post('bird_strikes/email_report', bob, {}, headers)
    expect((await post('bird_strikes/email_report', bob, {}, headers)).json).toEqual(first.json)
    await mailOfJob(first.json.job.id, bob)
    expect((await post('bird_strikes/email_report', bob, {}, headers)).json).toEqual(first.json)
    const other = await post('bird_strikes/email_report', bob, { filters: [] }, headers)
    expectFailure(other, { status: 422, code: 'idempotency_key_reused' })
    await demoQueue(stack).emptied()
    await mailOfJob(first.json.job.id, bob)
    expect(await listJobs(bob, 'first-report')).toBe(1)
  })

  it('goes nowhere but to allowed domains and the own address', async () => {
    const before = await expectAccepted()
    const emails = ['alice@example.com', 'eve@elsewhere.test', 'x@sub.example.com']
    const refused = await post('bird_strikes/email_report', alice, { emails })
    expectFailure(refused, { status: 422, code: 'recipient_not_allowed' })
    expect(Object.keys(refused.json.fields)).toEqual(['emails.1', 'emails.2'])
    const nobody = await post('bird_strikes/email_report', { sub: 'nobody', states })
    expectFailure(nobody, { status: 422, code: 'validation_failed', field: 'emails' })
    await demoQueue(stack).emptied()
    expect(await expectAccepted()).toBe(before)
  })
})

const expectAccepted = async (): Promise<number> => {
  const all = await (await fetch(`${stack.facts().ses_endpoint}/envelopes`)).json()
  return (all as readonly unknown[]).length
}

/** How many jobs the response that is kept under a key has made. */
const listJobs = async ({ sub }: DemoIdentity, key: string): Promise<number> => {
  const [row] = await stack.sql()`select count(*)::int as count from table_control.jobs where id::text in
    (select response::json -> 'job' ->> 'id' from table_control.idempotency_keys where subject = ${sub} and key = ${key})`
  return row?.['count']
}

describe('a report that no mail can carry', () => {
  it('comes as a link that needs no token, holds every row, and ends when it is revoked', async () => {
    const { mail } = await mailOfJob(await jobs.ask('flights/email_report', alice), alice)
    expect(mail.attachments).toEqual([])
    const [url = ''] = /http:\/\/\S+\/downloads\/\S+/.exec(mail.text ?? '') ?? []
    expect(mail.html).toContain(url)
    const { status, headers, bytes } = await openLink(url)
    expect(status).toBe(200)
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="flights-[\d-]+\.xlsx"/)
    expect(bytes.length * 1.37).toBeGreaterThan(10_000_000)
    expect(await flightSums(bytes)).toEqual(await flightSumsOfSql(stack.sql()))

    const revoke = (as: DemoIdentity) => stack.call(`${readPath(url)}/revoke`, { as, body: {} })
    expectFailure(await revoke(bob), { status: 404, code: 'download_not_found' })
    expect((await stack.call(readPath(url))).status).toBe(302)
    expect((await revoke(alice)).status).toBe(200)
    expectFailure(await stack.call(readPath(url)), { status: 404, code: 'download_not_found' })
  })
})

describe('an instant export', () => {
  const readCells = async (bytes: Buffer) => {
    const [sheet] = await listSheets(bytes)
    return sheet && listValues(sheet)
  }

  it('is a link that works without headers, or the file itself if the request accepts it', async () => {
    const expected = await strikeRows(stack.sql(), 'en', states)
    const { json, text } = await post('bird_strikes/export_excel', alice)
    expect(json, text).toMatchObject({ success: true, type: 'stream', rows: expected.length })
    expect(json.file_name).toMatch(/^bird_strikes-[\d-]+\.xlsx$/)
    const linked = await openLink(json.data.url)
    expect(linked.headers.get('content-type')).toBe(excel)
    const file = await post('bird_strikes/export_excel', alice, {}, { accept: excel })
    expect(file.headers['content-type']).toBe(excel)
    expect(await readCells(linked.bytes)).toEqual(expected)
    expect(await readCells(Buffer.from(file.bytes))).toEqual(expected)
  })

  it('has the same lines as SQL in its CSV file', async () => {
    const filters = [
      { field: 'origin__state', operator: '=', value: 'TX' },
      { field: 'delay', operator: '>=', value: 100 },
    ]
    const expected = await stack.sql()`
      select to_char(f.date, 'YYYY-MM-DD HH24:MI'), f.origin, o.city, o.state, f.destination, d.city, d.state,
        f.delay::text, f.distance::text
      from flights f left join airports o on o.iata = f.origin left join airports d on d.iata = f.destination
      where o.state = 'TX' and f.delay >= 100 order by f.date desc, f.id desc`.values()
    expect(expected.length).toBeGreaterThan(100)
    expect(expected.length).toBeLessThanOrEqual(3_000)
    const csv = await post('flights/export_csv', alice, { filters }, { accept: 'text/csv' })
    expect(csv.status, csv.text).toBe(200)
    const [labels, ...lines] = readCsv(csv.text.replace(/^\ufeff/, ''))
    expect(labels).toEqual([
      ...['Departure', 'From', 'From city', 'From state', 'To', 'To city', 'To state', 'Delay (min)', 'Distance (mi)'],
    ])
    expect(lines).toEqual(expected.map((line) => line.map((cell: string | null) => cell ?? '')))
  })

  it('holds 3,000 rows and refuses 3,001, naming the report by e-mail', async () => {
    const ids = (await stack.sql()`select id from flights order by id limit 3001`).map(({ id }) => id)
    const full = await post('flights/export_csv', alice, { selected_ids: ids.slice(0, 3_000) })
    expect(full.json, full.text).toMatchObject({ success: true, rows: 3_000 })
    const refused = await post('flights/export_csv', alice, { selected_ids: ids })
    expectFailure(refused, { status: 422, code: 'export_too_large' })
    expect(numbersIn(refused)).toEqual(expect.arrayContaining(['3000', '3001']))
    expect(refused.json.error).toContain('Report by e-mail')
  })

  it('stops answering under its link when the link is revoked by its owner', async () => {
    const { json } = await post('bird_strikes/export_excel', bob)
    const path = readPath(json.data.url)
    await stack.call(`${path}/revoke`, { as: bob, body: {} })
    expect(await eventually(async () => (await stack.call(path)).json?.code)).toBe('download_not_found')
  })
})

const numbersIn = ({ json }: ApiResponse): readonly string[] =>
  String(json.error).replaceAll(',', '').match(/\d+/g) ?? []
