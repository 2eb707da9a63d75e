import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { bundleFunctions } from '../../infra/bundle/bundle.ts'
import { writeManyTables } from '../support/infra/many-tables.ts'
import { type ColdStart, startCold } from './cold-start.ts'
import { drive } from './drive.ts'
import type { Bench } from './figure.ts'
import { flightsEvent, indexedRequest } from './flights-request.ts'
import { columnCounts, createGrowthRegistry, sizes, wideColumns } from './growth-tables.ts'
import { requestText } from './http-connection.ts'
import { benchDirectory, environment, type Installation, token } from './installation.ts'
import { openProduct } from './opponents.ts'
import { nextMessage, runScript, startProcess } from './process.ts'
import { readProcess } from './process-figures.ts'
import type { GrowthExport } from './processes/growth-export.bench.ts'
import { median } from './rounds.ts'
import { measureServer } from './server-load.ts'

/** The cost of a request or an export at one place of a dimension. */
export interface GrowthPoint {
  readonly dimension: Dimension
  readonly series: string
  readonly x: number
  readonly latencyMs: number
  readonly cpuMicros?: number
  readonly databaseCpuMicros?: number
  readonly bytes?: number
  readonly megabytes?: number
  readonly ratePerSecond?: number
}

export type Dimension = 'rows' | 'page' | 'columns' | 'filters' | 'registered tables' | 'callers' | 'exported rows'

/** The database of generated tables, that of the flights, and the extent of every measurement. */
export interface GrowthBench extends Bench {
  readonly flights: Installation
  readonly maxSize: number
  readonly milliseconds: number
}

interface Measured {
  readonly latencyMs: number
  readonly cpuMicros: number
  readonly databaseCpuMicros: number
  readonly bytes: number
}

/** Opens query-table of one generated table in this process, on one connection. */
async function openMeasured(bench: GrowthBench, table: string) {
  const { databaseUrl, milliseconds } = bench
  const product = openProduct(bench, 1, { tables: createGrowthRegistry(), table })
  const sql = postgres(databaseUrl, { max: 1 })
  const measure = async (query: object): Promise<Measured> => {
    const call = () => product.call(query)
    const bytes = Buffer.byteLength(await call())
    await drive(call, 1, milliseconds / 2)
    const pids = await findBackends(sql)
    const before = readDatabaseCpu(pids)
    const sample = await drive(call, 1, milliseconds)
    const responses = Math.max(1, Math.round((sample.rate * milliseconds) / 1_000))
    const databaseCpuMicros = ((readDatabaseCpu(pids) - before) * 1_000) / responses
    return { latencyMs: sample.p50Ms, cpuMicros: sample.cpuMicros, databaseCpuMicros, bytes }
  }
  const close = async () => {
    await Promise.all([product.close(), sql.end()])
  }
  return { measure, call: product.call, close }
}

async function findBackends(sql: Sql): Promise<readonly number[]> {
  const rows =
    await sql`select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  return rows.map(({ pid }) => Number(pid))
}

/** Sums the processor time of these backends and of the parallel workers that have ended. */
function readDatabaseCpu(pids: readonly number[]): number {
  const postmaster = readProcess(readProcess(pids[0] ?? 0).parent)
  return pids.reduce((sum, pid) => sum + readProcess(pid).cpuMs, postmaster.endedCpuMs)
}

/** Measures the first page by the number of rows in its table. */
export async function measureRows(bench: GrowthBench): Promise<readonly GrowthPoint[]> {
  const grouped = { filters: [{ field: 'group_id', operator: '=', value: 7 }] }
  const series = [
    ['a thousandth by an index, exact total', 'exact', grouped],
    ['all, exact total', 'exact', {}],
    ['all, capped total', 'capped', {}],
  ] as const
  const points: GrowthPoint[] = []
  for (const size of sizes.filter((one) => one >= 10_000 && one <= bench.maxSize)) {
    bench.report(`${size} rows`)
    for (const [name, total, query] of series) {
      const { measure, close } = await openMeasured(bench, `rows_${size}_${total}`)
      points.push({ dimension: 'rows', series: name, x: size, ...(await measure(query)) })
      await close()
    }
  }
  return points
}

const depths = [1, 10, 100, 1_000, 10_000, 40_000]

/** Measures a page by its number and the page after it by its cursor. */
export async function measurePages(bench: GrowthBench): Promise<readonly GrowthPoint[]> {
  const { measure, call, close } = await openMeasured(bench, 'rows_1000000_capped')
  const points: GrowthPoint[] = []
  for (const page of depths) {
    bench.report(`page ${page}`)
    const query = { page, perPage: 20 }
    points.push({ dimension: 'page', series: 'by number', x: page, ...(await measure(query)) })
    const cursor: string = JSON.parse(await call(query)).pagination.next_cursor
    points.push({ dimension: 'page', series: 'by cursor', x: page, ...(await measure({ cursor, perPage: 20 })) })
  }
  await close()
  return points
}

/** Measures a page of 20 rows by the columns that it shows. */
export async function measureColumns(bench: GrowthBench): Promise<readonly GrowthPoint[]> {
  const points: GrowthPoint[] = []
  for (const columns of columnCounts) {
    bench.report(`${columns} columns`)
    const { measure, close } = await openMeasured(bench, `wide_${columns}_capped`)
    const figures = await measure({ perPage: 20 })
    points.push({ dimension: 'columns', series: '20 rows, capped total', x: columns, ...figures })
    await close()
  }
  return points
}

const filterCounts = [0, 1, 2, 5, 10, 20]

/** Measures a page by filters that no index serves and that every row passes. */
export async function measureFilters(bench: GrowthBench): Promise<readonly GrowthPoint[]> {
  const { measure, close } = await openMeasured(bench, `wide_${wideColumns}_exact`)
  const points: GrowthPoint[] = []
  for (const count of filterCounts) {
    bench.report(`${count} filters`)
    const fields = Array.from({ length: count }, (_, index) => `c${2 * index + 2}`)
    const filters = fields.map((field) => ({ field, operator: '>=', value: 0 }))
    points.push({ dimension: 'filters', series: 'exact total of 100,000', x: count, ...(await measure({ filters })) })
  }
  await close()
  return points
}

const tableCounts = [3, 50, 200, 500]

/**
 * Measures a cold `load-table`, from the start of its process to the structure of one table, by the tables that are
 * registered.
 */
export async function measureTables(bench: GrowthBench): Promise<readonly GrowthPoint[]> {
  const env = environment(bench, 1)
  const points: GrowthPoint[] = []
  for (const count of tableCounts) {
    bench.report(`${count} registered tables`)
    const directory = resolve(benchDirectory, `tables-${count}`)
    const tables = await writeManyTables(directory, count)
    const [bundle] = await bundleFunctions({ outdir: join(directory, 'bundle'), functions: ['load-table'], tables })
    const event = { ...flightsEvent(token(), {}), pathParameters: { tableName: 'stock_1' }, body: undefined }
    const samples: ColdStart[] = []
    for (let round = 0; round < coldRounds; round++) {
      samples.push(await startCold(env, bundle?.file, event))
    }
    if (samples.some(({ status }) => status !== 200)) throw new Error('load-table did not answer with the structure')
    points.push({
      dimension: 'registered tables',
      series: 'load-table, cold',
      x: count,
      bytes: bundle?.bytes ?? 0,
      latencyMs: median(samples.map(({ readyMs, responseMs }) => readyMs + responseMs)),
      cpuMicros: median(samples.map(({ cpuMs }) => cpuMs)) * 1_000,
    })
    await rm(directory, { recursive: true })
  }
  return points
}

const coldRounds = 7
const callerCounts = [1, 2, 5, 10, 20, 50, 100]
const connections = 8

/**
 * Measures the indexed page of flights through the local gateway by the number of callers at once, each with a token.
 */
export async function measureCallers(bench: GrowthBench): Promise<readonly GrowthPoint[]> {
  const env = environment(bench.flights, connections)
  const gateway = startProcess('gateway', [], env)
  const load = startProcess('http-load', [], {})
  try {
    const port = await nextMessage<number>(gateway)
    const put = async (inFlight: number, milliseconds: number) => {
      const callers = Array.from({ length: inFlight }, (_, index) => token(`caller ${index}`))
      const requests = callers.map((caller) => requestText(indexedRequest, caller))
      return measureServer(gateway.pid ?? 0, load, { port, requests, inFlight, milliseconds })
    }
    await put(10, 2 * bench.milliseconds)
    const points: GrowthPoint[] = []
    for (const callers of callerCounts) {
      bench.report(`${callers} callers`)
      const { rate, p50Ms, serverCpuMicros } = await put(callers, bench.milliseconds)
      points.push({
        dimension: 'callers',
        series: 'indexed page of flights',
        x: callers,
        latencyMs: p50Ms,
        cpuMicros: serverCpuMicros,
        ratePerSecond: rate,
        megabytes: readProcess(gateway.pid ?? 0).megabytes,
      })
    }
    return points
  } finally {
    for (const child of [gateway, load]) child.disconnect()
  }
}

const exportScript = new URL('./processes/growth-export.bench.ts', import.meta.url)

/** Measures exports of whole tables, each in a process of its own. */
export async function measureExports(bench: GrowthBench): Promise<readonly GrowthPoint[]> {
  const path = join(tmpdir(), `table-control-growth-${process.pid}`)
  const points: GrowthPoint[] = []
  for (const size of sizes.filter((one) => one <= Math.min(bench.maxSize, 1_000_000))) {
    for (const format of ['excel', 'csv'] as const) {
      bench.report(`${format} of ${size} rows`)
      const args = [bench.databaseUrl, `rows_${size}_exact`, format, path]
      const { ms, megabytes, bytes } = await runScript<GrowthExport>(exportScript, args)
      const series = format === 'excel' ? 'XLSX' : 'CSV'
      points.push({ dimension: 'exported rows', series, x: size, latencyMs: ms, megabytes, bytes })
    }
  }
  await rm(path, { force: true })
  return points
}
