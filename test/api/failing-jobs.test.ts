import { sql } from 'drizzle-orm'
import PostalMime from 'postal-mime'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { startMail } from '../../infra/local/mail/mail.ts'
import { createRegistry, everyRow, refuse } from '../../lib/index.ts'
import { defineFixture, fixtureClaims, north } from '../support/fixtures/identities.ts'
import { editSheet, findCell, startImportApi } from '../support/fixtures/import-api.ts'
import { orders } from '../support/fixtures/work-schema.ts'
import { jobRow } from '../support/jobs/queued-jobs.ts'

/** The rate of an order cannot be computed once it has five runs. */
const rated = defineFixture({
  name: 'rated',
  from: orders,
  key: 'id',
  scope: everyRow,
  computed: { rate: sql<number>`100 / (${orders.runs} - 5)` },
  columns: {
    title: { label: 'Title', editable: true },
    rate: { label: { en: 'Rate', ar: 'النسبة' }, type: 'number' },
  },
  bulkActions: {
    export_excel: { export: 'excel', response: 'instant' },
    mail: { export: 'csv', response: 'email' },
    refuse: {
      response: 'websocket',
      run: () => {},
      conclude: () => {
        // Cut at 2,000 characters, it ends with half of one.
        throw refuse({ en: `${'x'.repeat(1_999)}😀`, ar: 'لا\0' }, 'no\0')
      },
    },
  },
})

const mail = await startMail()
afterAll(mail.stop)
process.env['AWS_ENDPOINT_URL_SES'] = mail.endpoint
const work = await startImportApi(createRegistry([rated], { claims: fixtureClaims }), {
  MAIL_SENDER: 'reports@example.test',
  MAIL_DOMAINS: 'example.test',
})
beforeEach(() => work.reset())

const named = [
  '"Rate" cannot be computed for one of the rows; leave it out of the request, or report it',
  'تعذّر حساب «النسبة» لأحد الصفوف؛ أعد الطلب بدونه أو أبلغ عن ذلك',
]
const breakOrder = () => work.sql`update orders set runs = 5 where id = 5`
const countNewTitles = async () => (await work.sql`select from orders where title = 'New title'`).length

describe('a computed column that fails for a row', () => {
  it('is named by an import that fails in both languages, and that has planned and changed nothing', async () => {
    const edited = await editSheet(await work.exportRows({}, { table: 'rated' }), (sheet) => {
      findCell(sheet, 'Title', 2).value = 'New title'
    })
    await breakOrder()
    const { json } = await work.send(edited, { table: 'rated' })
    expect(json.import).toMatchObject({ state: 'failed', code: 'internal_error', errors: named })
    expect(json.plan).toBeUndefined()
    expect(await work.sql`select from table_control.import_cells`).toHaveLength(0)
    expect(await countNewTitles()).toBe(0)
  })

  it('is named when a plan with the row is applied that was made before, and no row of it is changed', async () => {
    const edited = await editSheet(await work.exportRows({}, { table: 'rated' }), (sheet) => {
      for (const row of [2, 6]) findCell(sheet, 'Title', row).value = 'New title'
    })
    const planned = await work.send(edited, { table: 'rated' })
    await breakOrder()
    const { json } = await work.apply(planned, { table: 'rated' })
    expect(json).toMatchObject({ success: false, code: 'internal_error', errors: named })
    expect(await countNewTitles()).toBe(0)
  })

  it('is named by an export by mail, which sends the user nothing but that it has failed', async () => {
    await breakOrder()
    const as = { ...north, email: 'nora@example.test', email_verified: true }
    const { json } = await work.post('bulk-table-action/rated/mail', { emails: ['ada@example.test'] }, { as })
    expect(await work.work()).toEqual({ batchItemFailures: [] })
    const [en, ar] = named
    const failure = { code: 'internal_error', en, ar }
    expect(await jobRow(work.sql, json.job.id)).toMatchObject({ state: 'failed', attempts: 1, failure })
    expect(await work.sql`select state, code from table_control.job_recipients`).toMatchObject([{ state: 'failed' }])
    expect(mail.envelopes().map(({ destinations }) => destinations)).toEqual([['nora@example.test']])
    const { text, html } = await PostalMime.parse(mail.envelopes()[0]?.raw ?? '')
    expect([text, html]).toEqual([
      expect.stringContaining('"Rate" cannot be computed'),
      expect.stringContaining('Rate'),
    ])
    expect(await work.sql`select from table_control.downloads`).toHaveLength(0)
  })
})

it('ends a job for a reason of its author that no text of Postgres can hold', async () => {
  const { json } = await work.post('bulk-table-action/rated/refuse', { selected_ids: [1] })
  expect(await work.work()).toEqual({ batchItemFailures: [] })
  expect(await jobRow(work.sql, json.job.id)).toMatchObject({
    state: 'failed',
    failure: { code: 'no', en: expect.stringMatching(/^x{1999}\uFFFD /), ar: expect.stringMatching(/^لا /) },
  })
})
