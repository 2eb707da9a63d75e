import { PassThrough, Writable } from 'node:stream'
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../lib/db/database.ts'
import { writeReport } from '../../../lib/reports/write-report.ts'
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts'
import { openDatabase } from '../db/open-database.ts'
import { readCsv } from './csv-reader.ts'
import { parcelReport, parcelReports, reportBytes } from './parcel-reports.ts'

let database: TestDatabase
let sql: Sql

beforeAll(async () => {
  database = await testDatabase(parcelReports)
  sql = postgres(database.url, { max: 1, onnotice: () => {} })
  await sql`insert into parcels (id, name) select n, 'parcel ' || n from generate_series(1, 10000) n`
  // Then its rows come by the index, not out of a sort, which would meet a broken row before any other.
  await sql`analyze parcels`
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

const request = (condition: string) => {
  const asked = parcelReport({ format: 'csv', columns: ['id', 'name'] })
  return { ...asked, plan: { ...asked.plan, conditions: [() => condition] } }
}

/** The same database, whose transactions tell of each batch that is asked for. */
const watch = (store: Database, onFetch: () => void): Database => ({
  ...store,
  transaction: (work, mode) =>
    store.transaction(
      (transaction) =>
        work({
          ...transaction,
          run: (text, parameters) => {
            if (text.startsWith('fetch')) onFetch()
            return transaction.run(text, parameters)
          },
        }),
      mode,
    ),
})

describe('the batches of a report', () => {
  it.each([0, 1, 99, 100, 101, 1_099, 1_100, 1_101, 2_100, 2_101, 3_000, 4_500])(
    'hold each of %i rows once and in order',
    async (count) => {
      const store = openDatabase(database.url)
      const text = (await reportBytes(store, request(`"parcels"."id" <= ${count}`))).toString()
      const ids = readCsv(text.slice(1)).map(([id]) => id)
      const expected = Array.from({ length: count }, (_, index) => String(index + 1))
      expect(ids).toEqual(['ID', ...expected])
      expect(await store.read('select 1', [])).toEqual([[1]])
    },
  )

  it('are requested ahead, but never more than two of them', async () => {
    let asked = 0
    let taken = 0
    const ahead: number[] = []
    const store = watch(openDatabase(database.url), () => {
      asked += 1
      ahead.push(asked - taken)
    })
    const onProgress = () => {
      taken += 1
    }
    await writeReport(store, request('true'), new PassThrough().resume(), { onProgress })
    expect(ahead.slice(0, 10)).toEqual([1, 2, 3, 3, 3, 3, 3, 3, 3, 3])
    expect(Math.max(...ahead)).toBe(3)
  })

  it('wait for a receiver that does not read', async () => {
    let asked = 0
    const store = watch(openDatabase(database.url), () => {
      asked += 1
    })
    const controller = new AbortController()
    const stuck = new Writable({ highWaterMark: 1, write: () => void setTimeout(() => controller.abort(), 200) })
    await expect(writeReport(store, request('true'), stuck, { signal: controller.signal })).rejects.toThrow()
    expect(asked).toBeLessThanOrEqual(5)
  })

  it.each([10, 1_500, 2_500, 3_500, 9_900])(
    'fail once, with the cause, if the row %i cannot be read, regardless of how far ahead it is',
    async (broken) => {
      const store = openDatabase(database.url)
      const heard: number[] = []
      const onProgress = async (done: number) => {
        heard.push(done)
        // Long enough for the failure to arrive before anybody waits for it.
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      const written = writeReport(
        store,
        request(`1 / ("parcels"."id" - ${broken}) > -1000000`),
        new PassThrough().resume(),
        {
          onProgress,
        },
      )
      await expect(written).rejects.toMatchObject({ code: '22012' })
      expect(heard.at(-1) ?? 0).toBe(broken <= 100 ? 0 : Math.floor((broken - 101) / 1_000) * 1_000 + 100)
      expect(await store.read('select 1', [])).toEqual([[1]])
    },
  )
})
