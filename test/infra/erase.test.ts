import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { eraseRow } from '../../infra/erase/erase-row.ts'
import { filterHash } from '../../lib/actions/audit.ts'
import { audit } from '../../lib/db/service-tables.ts'
import { editSheet, findCell, startImportApi } from '../support/fixtures/import-api.ts'
import { runHere } from '../support/infra/command-here.ts'
import { objectKeys } from '../support/jobs/object-keys.ts'
import { bindPort } from '../support/network/bind-port.ts'
import { startSilentDatabase } from '../support/network/silent-database.ts'
import { startTcpProxy } from '../support/network/tcp-proxy.ts'
import { createTlsIdentity } from '../support/network/tls-identity.ts'

const work = await startImportApi()
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'erase-'))
  await mkdir(join(directory, 'tables'))
  const fixture = resolve(import.meta.dirname, '../support/fixtures/imported-orders.ts')
  await writeFile(join(directory, 'tables/index.ts'), `export { importRegistry as registry } from '${fixture}'\n`)
})

beforeEach(async () => {
  await work.reset()
  for (const table of ['plans', 'jobs']) await work.sql.unsafe(`delete from table_control.${table}`)
})

afterAll(() => rm(directory, { recursive: true }))

const { AWS_REGION = '', AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_ENDPOINT_URL_S3 = '' } = process.env

const erase = (...args: readonly string[]) => eraseIn(work.databaseUrl, args)

const eraseIn = (databaseUrl: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runHere('infra/erase/erase.ts', [...args, '--database', databaseUrl], {
    directory,
    environment: {
      ...environment,
      AWS_REGION,
      AWS_ACCESS_KEY_ID,
      AWS_SECRET_ACCESS_KEY,
      AWS_ENDPOINT_URL_S3,
      REPORT_BUCKET: work.queue.bucket,
      STORAGE_PATH_STYLE: 'on',
    },
  })

const eraseAsJson = async (...args: readonly string[]) => {
  const { exitCode, stdout, stderr } = await erase(...args, '--json')
  expect(stderr).toBe('')
  const { erased, ...others } = JSON.parse(stdout)
  return { exitCode, ...others, counts: Object.fromEntries(erased.map(({ place, count }: Entry) => [place, count])) }
}

interface Entry {
  readonly place: string
  readonly count: number
}

/** All that the service keeps, without the audit, which holds no values. */
const readStored = async (): Promise<string> => {
  const tables = await work.sql`select tablename from pg_tables where schemaname = 'table_control'`
  const rows = tables.map(({ tablename }) => work.sql.unsafe(`select * from table_control.${tablename} order by 1, 2`))
  return JSON.stringify(await Promise.all(rows))
}

const bulkPath = 'row-bulk-table-action/orders/update_cells'

const editSeveral = (ids: readonly number[], cells: object, headers: Readonly<Record<string, string>> = {}) =>
  work.post(bulkPath, { selected_ids: ids, cells }, { headers })

const undo = ({ json }: Awaited<ReturnType<typeof editSeveral>>) =>
  work.post(json.undo.url.replace(/^.*control-tables\//, ''), {})

/** Lets the service keep values of order 1 at every place, and of order 2 beside it. */
async function fillPlaces() {
  const keyed = { 'idempotency-key': 'first' }
  const both = await editSeveral([1, 2], { title: 'Jane Roe', assignee: 'J. Roe' }, keyed)
  const one = await editSeveral([1], { amount: '7' })
  expect((await work.post(bulkPath, { selected_ids: [1, 2], cells: { runs: 1 }, plan: true })).status).toBe(200)
  const file = await editSheet(await work.exportRows(), (sheet) => {
    findCell(sheet, 'Title', 2).value = 'Jane Roe again'
  })
  const sent = await work.send(file)
  expect(sent.json.import.state).toBe('planned')
  await work.upload(file)
  await work.sql`delete from table_control.sockets`
  await work.sql`insert into table_control.sockets (connection_id, subject, expires_at)
    values ('watching', 'north', now() + interval '1 hour')`
  await work.sql`insert into table_control.subscriptions
      (connection_id, id, table_name, identity, guard, language, base_url, query, shown, expires_at)
    select 'watching', row, 'orders', '{}', 'api', 'en', '', '', json_build_array(json_build_array(row::int, 'digest')),
      now() + interval '1 hour' from unnest(array['1', '2']) as row`
  const asked = await work.post('bulk-table-action/orders/report', { selected_ids: [1] })
  expect(asked.status, asked.text).toBe(200)
  await work.work()
  return { keyed, both, one }
}

it('erases the values of a row from every place, and nothing of another row', async () => {
  const { keyed, both, one } = await fillPlaces()
  await work.sql`update orders set title = 'Erased', assignee = null where id = 1`
  expect((await objectKeys(work.queue)).length).toBeGreaterThan(1)
  const { exitCode, applied, counts } = await eraseAsJson('orders', '1', '--apply')
  expect([exitCode, applied]).toEqual([0, true])
  expect(counts).toMatchObject({
    'changes of cells (cell_changes)': 2,
    'the row in other undos (undos)': 1,
    'plans (plans)': 1,
    'pages that sockets watch (subscriptions)': 1,
    'imports, with their cells (imports, import_cells)': 2,
    'responses to repeated requests of any table (idempotency_keys)': 1,
  })
  expect(counts['links to files (downloads)']).toBeGreaterThan(0)
  expect(counts['requests, results and failures of jobs (jobs)']).toBeGreaterThan(0)
  expect(await objectKeys(work.queue)).toEqual([])
  const left = await work.readChanges()
  expect(left.map(({ row_key }) => row_key)).toEqual(['2'])
  await work.sql`delete from table_control.cell_changes where row_key = '2'`
  expect(await readStored()).not.toMatch(/Jane Roe|"title":|Order 1"/)
  const history = await work.get('history/orders/1')
  expect(history.json).toMatchObject({ changes: [] })
  const repeated = await editSeveral([1, 2], { title: 'Jane Roe', assignee: 'J. Roe' }, keyed)
  expect(repeated.headers['idempotency-replayed']).toBe('true')
  expect(repeated.json).toMatchObject({ success: true, counts: { succeeded: 2, failed: 0 }, items: [], results: [] })
  expect(await work.readOrder(1)).toMatchObject({ title: 'Erased' })
  for (const response of [one, both]) expect((await undo(response)).json.code).toBe('undo_not_found')
})

it('empties notifications that may hold the row, also those of jobs that are no longer kept, and keeps their keys', async () => {
  const { sql } = work
  await sql`delete from table_control.notifications`
  await sql`insert into table_control.notifications (subject, title, body, level, data, table_name, dedupe_key)
    select 'north', text, text, 'info', text, name, key
    from jsonb_build_object('en', 'Jane Roe', 'ar', 'Jane Roe') as text,
      (values ('orders', null), ('papers', null), (null, 'reminder'), (null, 'job:swept')) as made (name, key)`
  const place = 'texts and data of other notifications (notifications)'
  expect((await eraseAsJson('orders', '1', '--apply')).counts[place]).toBe(3)
  const left =
    await sql`select table_name, dedupe_key, title ->> 'en' as title, data from table_control.notifications order by id`
  const emptied = { title: 'The text was erased', data: {} }
  expect(left).toEqual([
    { table_name: 'orders', dedupe_key: null, ...emptied },
    { table_name: 'papers', dedupe_key: null, title: 'Jane Roe', data: { en: 'Jane Roe', ar: 'Jane Roe' } },
    { table_name: null, dedupe_key: 'reminder', ...emptied },
    { table_name: null, dedupe_key: 'job:swept', ...emptied },
  ])
})

it('erases a thousand rows in a transaction, so that callers wait for no more than these', async () => {
  const { sql } = work
  await sql`delete from table_control.notifications`
  await sql`insert into table_control.notifications (subject, title, body, level, data, table_name)
    select 'north', '{}', '{}', 'info', '{}', 'orders' from generate_series(1, 2500)`
  await sql`create table erasures (transaction xid8, rows bigint)`
  await sql`create function count_emptied() returns trigger language plpgsql as
    $$ begin insert into public.erasures select pg_current_xact_id(), count(*) from emptied; return null; end $$`
  await sql`create trigger count_emptied after update on table_control.notifications referencing new table as emptied
    for each statement execute function count_emptied()`
  const { counts } = await eraseAsJson('orders', '1', '--apply').finally(() => sql`drop function count_emptied cascade`)
  expect(counts['texts and data of other notifications (notifications)']).toBe(2_500)
  const erasures =
    await sql`select count(distinct transaction)::int as transactions, max(rows)::int as rows from erasures`
  expect(erasures).toEqual([{ transactions: 3, rows: 1_000 }])
})

it('never reads more than ten thousand rows at once', async () => {
  await work.sql`delete from table_control.notifications`
  await work.sql`insert into table_control.notifications (subject, title, body, level, data, table_name)
    select 'north', '{}', '{}', 'info', '{}', 'orders' from generate_series(1, 10500)`
  const sql = postgres(work.databaseUrl, { max: 1 })
  const read = vi.spyOn(sql, 'unsafe')
  const eraseOne = async (apply: boolean) => {
    const { counts } = await eraseRow(sql, async () => {}, { table: 'orders', key: '1', apply })
    return new Map(counts).get('texts and data of other notifications (notifications)')
  }
  expect([await eraseOne(false), await eraseOne(true), await eraseOne(false)]).toEqual([10_500, 10_500, 0])
  const results = await Promise.all(read.mock.results.map(({ value }) => value as Promise<readonly unknown[]>))
  expect(Math.max(...results.map(({ length }) => length))).toBe(10_000)
  await sql.end()
})

it('leaves the undo of other rows of the same change as it was', async () => {
  const both = await editSeveral([1, 2], { title: 'Jane Roe', assignee: 'J. Roe' })
  expect((await eraseAsJson('orders', '1', '--apply')).exitCode).toBe(0)
  const undone = await undo(both)
  expect(undone.json, undone.text).toMatchObject({ results: [{ id: 2, success: true }] })
  expect(await work.readOrder(2)).toMatchObject({ title: 'Order 2', assignee: null })
  expect(await work.readOrder(1)).toMatchObject({ title: 'Jane Roe' })
})

it('counts what it would erase and changes nothing without --apply', async () => {
  await fillPlaces()
  const before = await readStored()
  const objects = await objectKeys(work.queue)
  const counted = await eraseAsJson('orders', '1')
  expect(counted).toMatchObject({ exitCode: 0, applied: false })
  expect(await readStored()).toBe(before)
  expect(await objectKeys(work.queue)).toEqual(objects)
  expect((await eraseAsJson('orders', '1', '--apply')).counts).toEqual(counted.counts)
  const { stdout } = await erase('orders', '1')
  expect(stdout).toContain('nothing was changed; --apply erases')
})

it('is audited without a value, once it has erased', async () => {
  await fillPlaces()
  await work.sql`delete from table_control.audit`
  await eraseAsJson('orders', '1')
  expect(await work.audit()).toEqual([])
  await eraseAsJson('orders', '1', '--apply')
  const [entry, ...others] = await work.audit()
  expect(others).toEqual([])
  expect(entry).toMatchObject({
    subject: expect.stringMatching(/^database role \w/),
    table_name: 'orders',
    action: 'erase',
    kind: 'erase',
    rows: 1,
    outcome: 'succeeded',
    filter_hash: filterHash({ selected_ids: ['1'] }),
  })
  expect(audit.kind.enumValues).toContain(entry?.['kind'])
})

it('leaves a file that is stored meanwhile to the next run, with the row that names it', async () => {
  await fillPlaces()
  const removed: string[] = []
  const sql = postgres(work.databaseUrl, { max: 1 })
  await eraseRow(
    sql,
    async (keys) => {
      removed.push(...keys)
      if (removed.length > keys.length) return
      await work.sql`insert into table_control.downloads select (jsonb_populate_record(file, ${work.sql.json({
        id: randomUUID(),
        object_key: 'reports/late',
      })})).* from table_control.downloads file limit 1`
    },
    { table: 'orders', key: '1', apply: true },
  )
  await sql.end()
  const named = await work.sql`select object_key from table_control.downloads`
  expect([...removed, ...named.map(({ object_key }) => object_key)]).toContain('reports/late')
})

it('finds nothing that it has erased before', async () => {
  await fillPlaces()
  await eraseAsJson('orders', '1', '--apply')
  const { counts } = await eraseAsJson('orders', '1', '--apply')
  expect(Object.values(counts).every((count) => count === 0)).toBe(true)
})

it('asks to be run again while jobs of the table have not ended', async () => {
  await work.post('bulk-table-action/orders/report', { selected_ids: [1] })
  const { exitCode, unfinished_jobs } = await eraseAsJson('orders', '1', '--apply')
  expect([exitCode, unfinished_jobs]).toEqual([2, 1])
  expect(await work.sql`select from table_control.jobs where request <> '{}'`).toHaveLength(1)
})

it('erases nothing where a file cannot be removed', async () => {
  await fillPlaces()
  const before = await readStored()
  const { exitCode, stderr } = await erase('orders', '1', '--apply', '--bucket', 'another-bucket')
  expect([exitCode, stderr !== '']).toEqual([1, true])
  const unnamed = await erase('orders', '1', '--apply', '--bucket', '')
  expect([unnamed.exitCode, unnamed.stderr]).toEqual([1, expect.stringContaining('name the bucket of reports with')])
  expect(await readStored()).toBe(before)
})

/** The URL of a server that takes TLS alone, as RDS does. */
async function startTlsServer() {
  const tls = createTlsIdentity('localhost')
  const proxy = await startTcpProxy({ target: work.databaseUrl, tls })
  onTestFinished(proxy.close)
  return { url: proxy.url('localhost'), tls }
}

it('reaches a server that takes TLS alone through a tunnel, with sslmode=require', async () => {
  const { url } = await startTlsServer()
  expect(await eraseIn(`${url}?sslmode=require`, ['orders', '1'])).toMatchObject({ exitCode: 0, stderr: '' })
  const { exitCode, stderr } = await eraseIn(url, ['orders', '1'])
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('add ?sslmode=require to the URL')])
})

it('verifies the certificate of a server as the functions do', async () => {
  const { url, tls } = await startTlsServer()
  const verified = { DATABASE_TLS: 'verify', DATABASE_TLS_CA: tls.cert }
  expect(await eraseIn(url, ['orders', '1'], verified)).toMatchObject({ exitCode: 0, stderr: '' })
  const stranger = { ...verified, DATABASE_TLS_CA: createTlsIdentity('localhost').cert }
  expect(await eraseIn(url, ['orders', '1'], stranger)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('No database answers at localhost'),
  })
})

it('ends at a server that closes each connection without an answer, such as a tunnel that leads nowhere', async () => {
  const proxy = await startTcpProxy({ target: work.databaseUrl })
  onTestFinished(proxy.close)
  proxy.treat('close')
  const { exitCode, stderr } = await eraseIn(proxy.url(), ['orders', '1'])
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('closed the connection without an answer')])
  expect(proxy.connections()).toBe(1)
})

it('ends at a server that lets the login in and never answers a statement', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const { url, close } = await startSilentDatabase(() => vi.advanceTimersByTime(10_000))
  onTestFinished(close)
  const { host } = new URL(url)
  const expected = `No database answers at ${host}/orders: the server accepted the login, and answered no statement within 10 s\n`
  expect(await eraseIn(url, ['orders', '1'])).toEqual({ exitCode: 1, stdout: '', stderr: expected })
})

it('gives no advice on TLS where a server refuses the database or the login', async () => {
  const url = new URL(work.databaseUrl)
  url.pathname = '/nowhere'
  const { exitCode, stderr } = await eraseIn(url.href, ['orders', '1'])
  const expected = `The database at ${url.host}/nowhere refuses the login: database "nowhere" does not exist\n`
  expect([exitCode, stderr]).toEqual([1, expected])
})

it('ends at a server that is no Postgres, such as one of web pages', async () => {
  let connections = 0
  const server = createServer((_, response) => response.end()).on('connection', () => {
    connections += 1
  })
  const url = `postgres://owner:secret@127.0.0.1:${await bindPort(server)}/orders`
  onTestFinished(() => void server.close())
  const { exitCode, stderr } = await eraseIn(url, ['orders', '1'])
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('closed the connection before a login')])
  expect(connections).toBe(1)
})

it('sends no password to a host of the network without TLS, unless the URL says sslmode=disable', async () => {
  const url = new URL(work.databaseUrl)
  // Leads to this machine, and is none of its names.
  url.hostname = '0.0.0.0'
  const { exitCode, stderr } = await eraseIn(url.href, ['orders', '1'])
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('add ?sslmode=disable to the URL')])
  expect(await eraseIn(`${url}?sslmode=disable`, ['orders', '1'])).toMatchObject({ exitCode: 0, stderr: '' })
})

it('verifies a server of RDS by the authorities of the region in its name', async () => {
  const url = 'postgres://owner:secret@tables.abc.mars-north-1.rds.amazonaws.com:5432/table_control'
  const { exitCode, stderr } = await eraseIn(url, ['orders', '1'])
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('has no authority of RDS in mars-north-1')])
})

it.each([
  [['order', '1'], 'No table "order" is registered'],
  [['orders'], 'Name one table and one id'],
  [['orders', '01'], '"01" is not a valid id of "orders"; give the key of a row'],
])('refuses the arguments %j', async (args, message) => {
  const { exitCode, stderr } = await erase(...args)
  expect(exitCode).toBe(1)
  expect(stderr).toContain(message)
})
