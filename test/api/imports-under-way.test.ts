import { sql } from 'drizzle-orm'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { beforeEach, expect, it } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { serviceLogin } from '../support/database/service-login.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { editSheet, findCell, type ImportApi, startImportApi } from '../support/fixtures/import-api.ts'
import { ofOrders, orderColumns } from '../support/fixtures/orders-table.ts'
import { objectKeys } from '../support/jobs/object-keys.ts'
import { eventually, waitFor } from '../support/run/patience.ts'

/** Its attributes have the names that the statements of edits use. */
const oddNames = pgTable('odd_names', { row_key: integer().primaryKey(), cells: text(), was: text(), given: text() })

/** Reads of orders wait while there is a table `held`. */
const registry = createRegistry(
  [
    defineFixture({
      ...ofOrders,
      name: 'orders',
      scope: () => sql`orders_are_free()`,
      columns: { ...orderColumns, title: { label: 'Title', editable: true } },
    }),
    defineFixture({
      from: oddNames,
      key: 'row_key',
      name: 'odd_names',
      scope: () => sql`true`,
      columns: {
        row_key: { label: 'Key' },
        cells: { label: 'Cells', editable: true },
        was: { label: 'Was', editable: true },
        given: { label: 'Given', editable: true },
      },
    }),
  ],
  { claims: fixtureClaims },
)

const work = await startImportApi(registry, { DATABASE_CONNECTIONS: '8' })
await work.sql.unsafe(`create function orders_are_free() returns boolean language plpgsql volatile as 'begin
    loop
      perform from pg_class where relname = ''held'';
      exit when not found;
      perform pg_sleep(0.02);
    end loop;
    return true;
  end';
  create table odd_names (row_key integer primary key, cells text, was text, given text);
  insert into odd_names values (1, 'a', 'b', 'c'), (2, 'd', 'e', 'f');
  grant select, update on odd_names to ${serviceLogin.user}`)
beforeEach(() => work.reset())

const uploadEdited = async (table = 'orders', header = 'Title'): Promise<string> => {
  const file = await editSheet(await work.exportRows({}, { table }), (sheet) => {
    findCell(sheet, header, 2).value = 'Edited'
  })
  const id = await work.upload(file, { table })
  await work.show(id, '', { table })
  return id
}
const countSessions = async (event: string): Promise<number> => {
  const [row] = await work.sql`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name like 'table-control%' and (wait_event = ${event} or wait_event_type = ${event})`
  return Number(row?.['count'])
}
const readJobs = () => work.sql`select state, result from table_control.jobs where kind = 'import'`

it('stores no plan of a file whose reading must stop, and reads it again in another function', async () => {
  const id = await uploadEdited()
  await work.sql`create table held ()`
  let isLate = false
  let isNoticed = false
  const remainingMs = () => {
    isNoticed ||= isLate
    return isLate ? 1_000 : 900_000
  }
  const working = work.work({ remainingMs })
  await waitFor(async () => expect(await countSessions('PgSleep')).toBeGreaterThan(0))
  isLate = true
  await waitFor(() => expect(isNoticed).toBe(true))
  await work.sql`drop table held`
  await working
  expect(await work.sql`select plan_id from table_control.imports`).toEqual([{ plan_id: null }])
  expect(await readJobs()).toMatchObject([{ state: 'queued' }])
  await work.work()
  expect((await work.show(id)).json.plan.counts).toEqual({ change: 1, conflict: 0, refused: 0 })
})

it('ends with the plan that another worker has stored, where two read the same file', async () => {
  const id = await uploadEdited()
  const first = { rows: 12, change: 0, conflict: 0, refused: 0, ignoredColumns: ['First'] }
  let working: Promise<unknown> | undefined
  await work.sql.begin(async (other) => {
    await other`select from table_control.imports where id = ${id} for update`
    working = work.work()
    await eventually(async () => ((await countSessions('Lock')) > 0 ? true : undefined))
    await other`update table_control.imports set plan_id = gen_random_uuid(), summary = ${JSON.stringify(first)}::text::json
      where id = ${id}`
  })
  await working
  expect(await readJobs()).toMatchObject([{ state: 'succeeded', result: { ignoredColumns: ['First'] } }])
  expect((await work.show(id)).json.plan).toMatchObject({ rows: 12, cells: [], ignored_columns: ['First'] })
})

it('leaves a cell alone that another caller edits while the import is applied', async () => {
  const id = await uploadEdited()
  await work.work()
  const sent = await work.show(id)
  let applying: ReturnType<ImportApi['apply']> | undefined
  await work.sql.begin(async (editor) => {
    await editor`update orders set title = 'Faster' where id = 1`
    applying = work.apply(sent)
    await eventually(async () => ((await countSessions('Lock')) > 0 ? true : undefined))
  })
  // A wait for a lock may last two seconds.
  const first = await applying
  const { json } = first?.json.code === 'row_busy' ? await work.apply(sent) : (first ?? sent)
  expect(json).toMatchObject({ cells: { changed: 0, refused: 1 }, results: [{ code: 'changed_since_planned' }] })
  expect(await work.readOrder(1)).toMatchObject({ title: 'Faster' })
})

it('sends no event to sockets when it reads a file, and its message does not come back', async () => {
  const id = await uploadEdited()
  const { batchItemFailures } = await work.work({ settings: { SOCKET_ENDPOINT: 'http://127.0.0.1:1/none' } })
  expect(batchItemFailures).toEqual([])
  expect((await work.show(id)).json.import.state).toBe('planned')
  expect(await work.sql`select event from table_control.job_events`).toEqual([])
})

it('waits for its file, and begins no job before the file is there', async () => {
  const begun = await work.post('imports/orders', { bytes: 5 })
  const path = `imports/orders/${begun.json.import.id}`
  expect((await work.get(path)).json.import).toMatchObject({ state: 'waiting' })
  expect(await readJobs()).toEqual([])
  expect(await work.post(path, {})).toMatchObject({ status: 422, json: { fields: { plan_id: ['is required'] } } })
  expect(await work.get(`${path}?per_page=1001`)).toMatchObject({
    status: 422,
    json: { fields: { per_page: [expect.any(String)] } },
  })
})

it('ends for a file that has gone from the bucket', async () => {
  const id = await work.upload(Buffer.from('Order,Title\r\n'))
  await work.show(id)
  await work.sql`update table_control.imports set object_key = 'nothing' where id = ${id}`
  await work.work()
  expect((await work.show(id)).json.import).toMatchObject({ state: 'failed', code: 'import_unreadable' })
})

it('begins as many imports as a caller may have, however many are begun at once', async () => {
  const begun = await Promise.all(Array.from({ length: 28 }, () => work.post('imports/orders', { bytes: 5 })))
  expect(begun.filter(({ status }) => status === 200)).toHaveLength(20)
  const refused = begun.filter(({ status }) => status !== 200).map(({ status, json }) => [status, json.code])
  expect(refused).toEqual(Array.from({ length: 8 }, () => [429, 'too_many_imports']))
})

it('counts an import that nobody uploads a file for until its upload has expired, and says when there is room', async () => {
  const begin = () => work.post('imports/orders', { bytes: 5 })
  const id = await uploadEdited()
  await work.work()
  for (let begun = 1; begun < 20; begun++) await begin()
  await work.sql`update table_control.imports set created_at = created_at - interval '800 seconds' where id <> ${id}`
  const refused = await begin()
  expect([refused.status, refused.json.code]).toEqual([429, 'too_many_imports'])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(90)
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(100)
  await work.sql`update table_control.imports set created_at = created_at - interval '101 seconds'`
  for (let begun = 1; begun < 20; begun++) expect((await begin()).status).toBe(200)
  expect((await begin()).status).toBe(429)
})

it('makes room for another import, and removes the file, where one is refused', async () => {
  const before = await objectKeys(work.queue)
  for (let begun = 1; begun < 20; begun++) await work.post('imports/orders', { bytes: 5 })
  const { json } = await work.send(Buffer.from([0]))
  expect(json.import).toMatchObject({ state: 'failed', code: 'import_unreadable' })
  expect(await objectKeys(work.queue)).toEqual(before)
  expect((await work.post('imports/orders', { bytes: 5 })).status).toBe(200)
  expect((await work.post('imports/orders', { bytes: 5 })).status).toBe(429)
})

it.each(['Cells', 'Was', 'Given'])(
  'changes and restores the column "%s" of a table keyed by "row_key"',
  async (header) => {
    const read = () => work.sql`select row_key, cells, was, given from odd_names order by 1`
    const before = await read()
    const id = await uploadEdited('odd_names', header)
    await work.work()
    const applied = await work.apply(await work.show(id, '', { table: 'odd_names' }), { table: 'odd_names' })
    expect(applied.json.cells, applied.text).toEqual({ changed: 1, refused: 0 })
    expect(await read()).toEqual([{ ...before[0], [header.toLowerCase()]: 'Edited' }, before[1]])
    const undone = await work.post(applied.json.undo.url.replace(/^.*control-tables\//, ''), {})
    expect(undone.json.counts, undone.text).toEqual({ succeeded: 1, failed: 0 })
    expect(await read()).toEqual(before)
  },
)

it('an import is in the audit once it is applied, and not when its file is read or refused', async () => {
  const edited = await editSheet(await work.exportRows(), (sheet) => {
    findCell(sheet, 'Title', 2).value = 'New title'
  })
  const exported = await work.audit()
  const sent = await work.send(edited)
  expect((await work.send(Buffer.from('nothing'))).json.import).toMatchObject({ state: 'failed' })
  expect(await work.audit()).toEqual(exported)
  await work.apply(sent)
  expect((await work.audit()).slice(exported.length)).toMatchObject([{ action: 'update_cells', rows: 1 }])
})
