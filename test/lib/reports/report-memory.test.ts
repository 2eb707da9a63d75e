import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts'
import { parcelReports } from './parcel-reports.ts'

const script = fileURLToPath(new URL('./report-memory.ts', import.meta.url))
const run = promisify(execFile)
const few = 10_000
const many = 200_000
const wide = 2_500
const firstWide = 1_000_001

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase(parcelReports)
  const sql = postgres(database.url, { max: 1, onnotice: () => {} })
  await sql`insert into parcels (id, name, phone, address, amount)
    select n, md5(n::text), md5('x' || n), md5('y' || n) || md5('z' || n), n / 7.0 from generate_series(1, ${many}) n`
  await sql`insert into parcels (id, name, address)
    select n, md5(n::text), repeat(md5('y' || n), 1875) from generate_series(${firstWide}, ${firstWide + wide - 1}::int) n`
  await sql.end()
})
afterAll(() => database.drop())

async function peak(format: string, rows: number, first = 1): Promise<number> {
  // A small young generation, so that what is measured is what is held and not what waits to be collected.
  const flags = ['--max-semi-space-size=4', '--max-old-space-size=96']
  const { stdout } = await run(process.execPath, [
    ...flags,
    script,
    database.url,
    format,
    String(first),
    String(first + rows - 1),
  ])
  const sample: { readonly rows: number; readonly megabytes: number } = JSON.parse(stdout)
  expect(sample.rows).toBe(rows)
  return sample.megabytes
}

const peaks = new Map<string, Promise<number>>()

/** Resolves with the peak of few rows, to which two tests compare theirs. */
function fewPeak(format: string): Promise<number> {
  const measured = peaks.get(format) ?? peak(format, few)
  peaks.set(format, measured)
  return measured
}

describe('the memory of a report', () => {
  it.each(['excel', 'csv'])('does not grow with the rows of %s', async (format) => {
    const small = await fewPeak(format)
    expect(await peak(format, many)).toBeLessThan(small * 1.5)
  })

  it.each(['excel', 'csv'])('stays bounded for rows of 60 KB in %s', async (format) => {
    const narrow = await fewPeak(format)
    expect(await peak(format, wide, firstWide)).toBeLessThan(narrow * 2.5)
  })
})
