import { createWriteStream } from 'node:fs'
import { PassThrough, Writable } from 'node:stream'
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeReport } from '../../../lib/reports/write-report.ts'
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts'
import { openDatabase } from '../db/open-database.ts'
import { failingOutput, parcelReport, parcelReports, reportBytes } from './parcel-reports.ts'
import { listSheets } from './workbook.ts'

let database: TestDatabase
let sql: Sql
const rowCount = 30_000

beforeAll(async () => {
  database = await testDatabase(parcelReports)
  sql = postgres(database.url, { max: 1, onnotice: () => {} })
  await sql`insert into parcels (id, name, phone) select n, md5(n::text), md5('x' || n) from generate_series(1, ${rowCount}) n`
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

const openTransactions = async (): Promise<number> => {
  const [row] = await sql`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and application_name = 'table-control' and state <> 'idle'`
  return row?.['n']
}

const columns = ['id', 'name', 'phone']

describe.each(['excel', 'csv'] as const)('a report as %s', (format) => {
  const request = () => parcelReport({ format, columns })

  it.each([
    ['whose receiver fails', (_: Writable, done: (error?: Error) => void) => done(new Error('no space left'))],
    ['whose receiver is destroyed', (out: Writable) => void out.destroy(new Error('no space left'))],
    ['whose receiver goes away without a word', (out: Writable) => void out.destroy()],
  ])('%s rejects and leaves nothing open', async (_, end) => {
    const store = openDatabase(database.url)
    await expect(writeReport(store, request(), failingOutput(100_000, end))).rejects.toThrow()
    expect(await openTransactions()).toBe(0)
    expect(await store.read('select 1', [])).toEqual([[1]])
  })

  it('rejects where the disk is full', async () => {
    await expect(writeReport(openDatabase(database.url), request(), createWriteStream('/dev/full'))).rejects.toThrow(
      /ENOSPC/,
    )
  })

  it('rejects where the directory does not exist', async () => {
    const out = createWriteStream('/nowhere/report')
    await expect(writeReport(openDatabase(database.url), request(), out)).rejects.toThrow(/ENOENT/)
  })

  it('ends by its signal, before it begins or in the middle, and leaves nothing open', async () => {
    const store = openDatabase(database.url)
    const reason = new Error('cancelled by its owner')
    await expect(
      writeReport(store, request(), new PassThrough().resume(), { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason)
    const controller = new AbortController()
    const out = new PassThrough().resume()
    const onProgress = (done: number) => void (done >= 4_000 && controller.abort(reason))
    await expect(writeReport(store, request(), out, { signal: controller.signal, onProgress })).rejects.toBe(reason)
    expect(out.destroyed).toBe(true)
    expect(await openTransactions()).toBe(0)
    expect(await store.read('select 1', [])).toEqual([[1]])
  })

  it('ends by its signal while its output is not read', async () => {
    const controller = new AbortController()
    const stuck = new Writable({ write: () => {} })
    const written = writeReport(openDatabase(database.url), request(), stuck, { signal: controller.signal })
    setTimeout(() => controller.abort(), 100)
    await expect(written).rejects.toThrow()
    expect(await openTransactions()).toBe(0)
  })

  it('reports its progress after each batch, and fails if the receiver of the report fails', async () => {
    const heard: number[] = []
    const store = openDatabase(database.url)
    await reportBytes(store, request(), { onProgress: (done) => void heard.push(done) })
    expect(heard).toEqual(heard.toSorted((a, b) => a - b))
    expect([heard.length > 10, heard.at(-1)]).toEqual([true, rowCount])
    const onProgress = () => Promise.reject(new Error('the job is gone'))
    await expect(writeReport(store, request(), new PassThrough().resume(), { onProgress })).rejects.toThrow(
      'job is gone',
    )
  })

  it('holds one snapshot, even if rows are written meanwhile', async () => {
    let added = false
    const rows = await writeReport(openDatabase(database.url), request(), new PassThrough().resume(), {
      onProgress: async () => {
        if (!added)
          await sql`insert into parcels (id, name) select ${rowCount} + n, 'late' from generate_series(1, 5000) n`
        added = true
      },
    })
    await sql`delete from parcels where id > ${rowCount}`
    expect(rows).toEqual({ rows: rowCount })
  })

  it('fails with the fault of an author and of the database', async () => {
    const store = openDatabase(database.url)
    const broken = { ...request(), plan: { ...request().plan, conditions: [() => '1 / ("parcels"."id" - 9000) > -1'] } }
    await expect(writeReport(store, broken, new PassThrough().resume())).rejects.toThrow()
    expect(await store.read('select 1', [])).toEqual([[1]])
  })

  it('is right after another one with other columns on the same connection', async () => {
    const store = openDatabase(database.url)
    for (const chosen of [['id'], columns, ['name', 'id'], ['id', 'score'], columns]) {
      const rows = await reportBytes(store, parcelReport({ format, columns: chosen }))
      expect(rows.length).toBeGreaterThan(10_000)
    }
  })

  it('waits for a slow receiver', async () => {
    const taken: Buffer[] = []
    const slow = new Writable({
      highWaterMark: 1,
      write: (chunk, _, done) => {
        taken.push(chunk)
        setTimeout(done, 1)
      },
    })
    expect(await writeReport(openDatabase(database.url), request(), slow)).toEqual({ rows: rowCount })
    const bytes = Buffer.concat(taken)
    if (format === 'excel') expect((await listSheets(bytes))[0]?.rows).toHaveLength(rowCount + 1)
    else expect(bytes.toString().split('\r\n')).toHaveLength(rowCount + 2)
  })
})
