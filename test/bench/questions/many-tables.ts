import { mkdir, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import postgres from 'postgres'
import { bundleFunctions } from '../../../infra/bundle/bundle.ts'
import { createStatement, sharedStatements, writeManyTables } from '../../support/infra/many-tables.ts'
import { gatewayEvent } from '../../support/requests/gateway-event.ts'
import { type ColdStart, startCold } from '../cold-start.ts'
import { atMost, type Figure, type Question } from '../figure.ts'
import { benchDirectory, environment, token } from '../installation.ts'
import { interleave, median, ratio } from '../rounds.ts'

const rounds = 11
const counts = [3, 50, 500] as const
type Count = (typeof counts)[number]

const directory = resolve(benchDirectory, 'many-tables')

const requests = {
  'query-table': { method: 'POST', path: '/query-table/stock_1', body: { perPage: 20 } },
  'load-table': { method: 'GET', path: '/load-table/stock_1' },
  'list-tables': { method: 'GET', path: '' },
  openapi: { method: 'GET', path: '/openapi.json' },
} as const
type Name = keyof typeof requests

/** Creates three of the generated tables, which hold no rows, while `work` runs. */
async function withTables<T>(url: string, work: () => Promise<T>): Promise<T> {
  const names = 'stock_0, stock_1, stock_2, stores, makers'
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await sql.unsafe(`drop table if exists ${names}; ${sharedStatements}; ${[0, 1, 2].map(createStatement).join(';')}`)
    return await work()
  } finally {
    await sql.unsafe(`drop table if exists ${names}`)
    await sql.end()
  }
}

type Files = ReadonlyMap<string, string>

/** Bundles the functions for so many tables. Returns the file of each. */
async function bundleTables(count: Count): Promise<Files> {
  // Inside the project, because table files import #lib.
  const folder = resolve(directory, `${count}`)
  await mkdir(folder, { recursive: true })
  const tables = await writeManyTables(folder, count)
  const bundles = await bundleFunctions({
    tables,
    outdir: resolve(folder, 'bundles'),
    functions: Object.keys(requests),
  })
  return new Map(bundles.map(({ name, file }) => [name, file]))
}

/** Calls a function in a process that has just begun. */
async function callCold(file: string, name: Name, env: Readonly<Record<string, string>>): Promise<ColdStart> {
  const { method, path, ...rest } = requests[name]
  const headers = { authorization: `Bearer ${token()}`, 'accept-encoding': 'br' }
  const { event } = gatewayEvent({ method, path: `/api/api-table/control-tables${path}`, headers, ...rest })
  const settings = { ...env, ...(name === 'openapi' && { REVALIDATE: 'yes' }) }
  const sample = await startCold(settings, file, event)
  if (sample.status !== 200) throw new Error(`a cold ${name} answered ${sample.status}`)
  return sample
}

type Bundles = readonly (readonly [count: Count, files: Files])[]

async function measure(
  name: Name,
  bundles: Bundles,
  env: Readonly<Record<string, string>>,
): Promise<readonly Figure[]> {
  const variants = bundles.map(([count, files]) => [count, () => callCold(files.get(name) ?? '', name, env)] as const)
  const samples = await interleave(rounds, Object.fromEntries(variants) as Record<`${Count}`, () => Promise<ColdStart>>)
  const all = (count: Count, value: (sample: ColdStart) => number) => samples[`${count}`].map(value)
  const middle = (count: Count, value: (sample: ColdStart) => number) => median(all(count, value))
  const wall = ({ readyMs, responseMs }: ColdStart) => readyMs + responseMs
  const text = (count: Count) =>
    `${middle(count, wall).toFixed(0)} ms (CPU ${middle(count, ({ totalCpuMs }) => totalCpuMs).toFixed(0)} ms), ` +
    `${(middle(count, ({ bytes }) => bytes) / 1024).toFixed(0)} KB in ${middle(count, ({ files }) => files.length)} files`
  const figures = counts.map((count): Figure => ({ name: `${name}, ${count} tables`, measured: text(count) }))
  if (name === 'openapi') {
    const again = middle(500, ({ againMs }) => againMs ?? Number.NaN)
    return [
      ...figures,
      atMost('openapi, 500 tables, cold', middle(500, wall), 1_000, `${middle(500, wall).toFixed(0)} ms`, ' ms'),
      atMost('openapi, 500 tables, warm, 304', again, 5, `${again.toFixed(1)} ms`, ' ms'),
    ]
  }
  const times = ratio(all(500, wall), all(3, wall))
  const cpu = ratio(
    all(500, ({ totalCpuMs }) => totalCpuMs),
    all(3, ({ totalCpuMs }) => totalCpuMs),
  )
  const bytes = ratio(
    all(500, (sample) => sample.bytes),
    all(3, (sample) => sample.bytes),
  )
  return [
    ...figures,
    atMost(`${name}, 500 beside 3, time`, times, 1.1, `${times.toFixed(2)} x (CPU ${cpu.toFixed(2)} x)`, ' x'),
    atMost(`${name}, 500 beside 3, bytes read`, bytes, 1.1, `${bytes.toFixed(2)} x`, ' x'),
  ]
}

/** Compares functions with few and with many registered tables. */
export const manyTables: Question = {
  id: 'many-tables',
  asks: 'What does a cold function pay for tables that its request does not name?',
  method: `Functions bundled with 3, 50 and 500 generated tables of 16 columns, each in a fresh Node process, ${rounds} rounds, alternating. The time is from the start of the process to the end of the first response, with the keys over http and the log-in to Postgres; the CPU is that of the whole process.`,
  measure: async (bench) => {
    try {
      const bundles: [Count, Files][] = []
      for (const count of counts) {
        bench.report(`bundling ${count} tables`)
        bundles.push([count, await bundleTables(count)])
      }
      const env = environment(bench, 1)
      return await withTables(bench.databaseUrl, async () => {
        const figures: Figure[] = []
        for (const name of Object.keys(requests) as Name[]) {
          bench.report(name)
          figures.push(...(await measure(name, bundles, env)))
        }
        return figures
      })
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  },
}
