import { fileURLToPath } from 'node:url'
import type { SQSBatchResponse } from 'aws-lambda'
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { migrationsFolder } from '../../infra/bundle/migrations-plugin.ts'
import { accountVariables } from '../../infra/local/local-account.ts'
import { type Mail, startMail } from '../../infra/local/mail/mail.ts'
import { type QueueAndStorage, startQueueAndStorage } from '../../infra/local/queue/queue-and-storage.ts'
import { queueEvent } from '../../infra/local/queue/queue-event.ts'
import { migrate } from '../../lib/db/migrate.ts'
import { readMigrations } from '../../lib/db/migration-files.ts'
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts'
import { queuedMessages } from '../support/jobs/queued-jobs.ts'
import { gatewayEvent } from '../support/requests/gateway-event.ts'
import { type IdentityProvider, startIdentityProvider } from '../support/requests/identity-provider.ts'
import { queueEnvironment, serviceEnvironment } from '../support/requests/service-environment.ts'
import { type FunctionInvoker, startInvoker } from './invoke-function.ts'
import { type PreviousVersion, type previousFunctions, unpackPreviousVersion } from './previous-functions.ts'

type Name = (typeof previousFunctions)[number]
type Version = 'the version before' | 'this version'

const boss = { sub: 'boss', role: 'supervisor', email: 'boss@example.test', email_verified: true }
const responded = z.object({ statusCode: z.number(), body: z.string() })

let previous: PreviousVersion
let database: TestDatabase
let sql: Sql
let provider: IdentityProvider
let queue: QueueAndStorage
let mail: Mail
let functions: FunctionInvoker

/** The schema as this version's migrations leave it, with a few rows in the tables of the demonstration. */
const upgraded = {
  name: 'upgraded',
  build: async (url: string) => {
    const owner = postgres(url, { max: 1, onnotice: () => {} })
    await migrate(owner, readMigrations(migrationsFolder).migrations)
    await owner`insert into airports (iata, name, country, latitude, longitude) values ('AUS', 'Austin', 'USA', 30, -97)`
    await owner`insert into flights (date, delay, distance, origin, destination) values (now(), 1, 2, 'AUS', 'AUS')`
    await owner`insert into bird_strikes (airport_name, damage, flight_date, cost_other, cost_repair, cost_total)
      select 'Austin ' || n, 'None', now(), 0, 0, 0 from generate_series(1, 3) n`
    await owner.end()
  },
}

beforeAll(async () => {
  previous = unpackPreviousVersion()
  ;[database, provider, queue, mail] = await Promise.all([
    testDatabase(upgraded),
    startIdentityProvider(),
    startQueueAndStorage({ visibilitySeconds: 1 }),
    startMail(),
  ])
  sql = postgres(database.url, { max: 2, onnotice: () => {} })
  functions = startInvoker({
    ...accountVariables,
    AWS_ENDPOINT_URL_SQS: queue.endpoint,
    AWS_ENDPOINT_URL_S3: queue.endpoint,
    AWS_ENDPOINT_URL_SES: mail.endpoint,
    ...serviceEnvironment(database.serviceUrl, provider),
    ...queueEnvironment(queue),
    LOG_LEVEL: 'error',
    PUBLIC_URL: 'https://tables.example.test',
    MAIL_SENDER: 'Reports <reports@example.test>',
    MAIL_DOMAINS: 'example.test',
  })
})

afterAll(async () => {
  functions?.stop()
  await sql?.end({ timeout: 5 })
  await Promise.all([database?.drop(), provider?.stop(), queue?.stop(), mail?.stop(), previous?.remove()])
})

const fetchFile = (version: Version, name: Name) =>
  version === 'this version'
    ? fileURLToPath(new URL(`../../functions/${name}.ts`, import.meta.url))
    : previous.file(name)

const invoke = (version: Version, name: Name, event: unknown) => functions.invoke(fetchFile(version, name), event)

async function post(version: Version, name: Name, path: string, body: object = {}, headers: object = {}) {
  const { event } = gatewayEvent({
    method: 'POST',
    path: `/api/api-table/control-tables/${path}`,
    headers: { authorization: `Bearer ${provider.tokenFor(boss)}`, 'content-type': 'application/json', ...headers },
    body,
  })
  const response = responded.parse(await invoke(version, name, event))
  return { status: response.statusCode, json: JSON.parse(response.body) }
}

/** Asks for a job, and takes its message off the queue. */
async function ask(version: Version, path: string, body: object = {}): Promise<string> {
  const { status, json } = await post(version, 'bulk-table-action', `bulk-table-action/${path}`, body)
  expect([status, JSON.stringify(json)]).toEqual([200, expect.stringContaining('"job"')])
  const { id } = json.job
  expect(await queuedMessages(queue)).toEqual([{ v: 1, job: id }])
  return id
}

async function work(version: Version, id: string): Promise<void> {
  const message = { MessageId: crypto.randomUUID(), ReceiptHandle: crypto.randomUUID() }
  const Body = JSON.stringify({ v: 1, job: id })
  const event = queueEvent(queue.queueUrl, [{ ...message, Body, Attributes: { ApproximateReceiveCount: '1' } }])
  const result = (await invoke(version, 'report-worker', event)) as SQSBatchResponse
  expect(result.batchItemFailures).toEqual([])
}

const readState = async (id: string) => (await sql`select state from table_control.jobs where id = ${id}`)[0]?.['state']
const findMails = (id: string) => mail.envelopes().filter(({ tags }) => tags['job_id'] === id).length

describe('functions of the version before, on the schema of this one', () => {
  it('answer a page of rows', async () => {
    const { status, json } = await post('the version before', 'query-table', 'query-table/bird_strikes')
    expect([status, json.pagination.total]).toEqual([200, 3])
  })

  it('run an action on a row, and write it down', async () => {
    const { status, json } = await post(
      'the version before',
      'row-table-action',
      'row-table-action/bird_strikes/flag/1',
    )
    expect([status, json.data.row.flagged]).toEqual([200, true])
    const [audited] = await sql`select count(*)::int as rows from table_control.audit where action = 'flag'`
    expect(audited?.['rows']).toBe(1)
  })

  it('find a job whose message was lost', async () => {
    const id = await ask('this version', 'flights/export_live')
    await sql`update table_control.jobs set enqueued_at = now() - interval '1 hour' where id = ${id}`
    await invoke('the version before', 'sweep', {})
    expect(await queuedMessages(queue)).toEqual([{ v: 1, job: id }])
    await work('this version', id)
    expect(await readState(id)).toBe('succeeded')
  })
})

describe('the sweep of this version', () => {
  it('removes the chunks of a job of the version before, a day after its end', async () => {
    const id = await ask('the version before', 'bird_strikes/recompute_risk')
    await work('the version before', id)
    expect(await sql`select from table_control.job_chunks where job_id = ${id}`).toHaveLength(1)
    await sql`update table_control.jobs set finished_at = now() - interval '25 hours' where id = ${id}`
    await invoke('this version', 'sweep', {})
    expect(await sql`select from table_control.job_chunks where job_id = ${id}`).toEqual([])
  })
})

describe.each([
  ['a deployment', 'the version before', 'this version', { data: { row: { id: 2 } } }],
  ['going back', 'this version', 'the version before', { onSuccess: 'reload' }],
] as const)('across %s, a change that %s has made', (_change, made, repeats, replayed) => {
  it(`is not made again by ${repeats}, although its response is long`, async () => {
    await sql`update bird_strikes set note = repeat(md5('note'), 5000), flagged = false where id = 2`
    const key = { 'idempotency-key': made }
    const flag = (version: Version) =>
      post(version, 'row-table-action', 'row-table-action/bird_strikes/flag/2', {}, key)
    expect((await flag(made)).json.data.row).toMatchObject({
      id: 2,
      flagged: true,
      note: expect.stringMatching(/^.{160000}$/),
    })
    expect((await flag(repeats)).json).toMatchObject({ success: true, message: expect.any(String), ...replayed })
    expect(await sql`select flagged from bird_strikes where id = 2`).toEqual([{ flagged: true }])
  })
})

describe.each([
  ['a deployment', 'the version before', 'this version'],
  ['going back', 'this version', 'the version before'],
] as const)('across %s, a job that was asked of %s', (_change, asked, works) => {
  it(`is done by ${works}: a file with a link`, async () => {
    const id = await ask(asked, 'flights/export_live')
    await work(works, id)
    expect(await readState(id)).toBe('succeeded')
    expect(await sql`select from table_control.downloads where job_id = ${id}`).toHaveLength(1)
  })

  it(`is done by ${works}: one mail, however often its message comes`, async () => {
    const id = await ask(asked, 'bird_strikes/email_report')
    await work(works, id)
    await work(asked, id)
    expect([await readState(id), findMails(id)]).toEqual(['succeeded', 1])
  })

  it(`is taken over by ${works} in the middle: each row once`, async () => {
    await sql`update bird_strikes set risk = null`
    const id = await ask(asked, 'bird_strikes/recompute_risk')
    // As a worker leaves it whose function was replaced: begun, and held by a lease that has ended.
    await sql`update table_control.jobs set state = 'running', attempts = 1, started_at = now(),
      lease_token = gen_random_uuid(), lease_until = now() - interval '1 second' where id = ${id}`
    await work(works, id)
    expect(await readState(id)).toBe('succeeded')
    const [done] = await sql`select count(risk)::int as rows from bird_strikes`
    expect(done?.['rows']).toBe(3)
  })
})

describe.each([
  ['search', { search: 'first' }],
  ['filter_groups', { filter_groups: { any: [{ field: 'origin_state', operator: '=', value: 'Texas' }] } }],
  ['excluded_ids', { select_all: true, excluded_ids: [2, 3] }],
])('a report by mail whose rows are selected by %s, which the version before does not read', (_, selection) => {
  it('is refused by its worker, which would send all rows to the recipients', async () => {
    const id = await ask('this version', 'bird_strikes/email_report', selection)
    await work('the version before', id)
    const [job] = await sql`select state, failure from table_control.jobs where id = ${id}`
    expect(job).toMatchObject({ state: 'failed', failure: { code: 'action_not_defined' } })
    expect(await sql`select state from table_control.job_recipients where job_id = ${id}`).toEqual([
      { state: 'failed' },
    ])
    expect(findMails(id)).toBe(0)
  })

  it('is sent by the worker of this version', async () => {
    await sql`update bird_strikes set origin_state = 'Texas', operator = 'First' where id = 1`
    const id = await ask('this version', 'bird_strikes/email_report', selection)
    await work('this version', id)
    expect([await readState(id), findMails(id)]).toEqual(['succeeded', 1])
    expect(await sql`select done from table_control.jobs where id = ${id}`).toEqual([{ done: 1 }])
  })
})
