import { setTimeout as sleep } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import { markdownTable } from '../../infra/figures/markdown-table.ts'
import { freePort } from '../../infra/local/free-port.ts'
import { loadSigningKey } from '../../infra/local/identity/signing-key.ts'
import { readArguments } from '../support/run/read-arguments.ts'
import { stackWorkspace } from '../support/stack/running-stack.ts'
import { circumstances, describeRun } from './figure.ts'
import { type InspectedHeap, inspectHeap, inspectorOption } from './inspected-heap.ts'
import { readProcess } from './process-figures.ts'
import { publishRun } from './published-run.ts'
import { type Assessment, judge, type MemorySample } from './soak-assessment.ts'
import { type LoadCounts, startLoad } from './soak-load.ts'

const usage = `Usage: npm run soak [-- [--minutes <number>] [--rate <number>] [--write]]
  --minutes  how long the load lasts (60)
  --rate     requests a second (40)
  --write    puts the figures into test/bench/README.md and results/`

const options = {
  minutes: { type: 'string', default: '60' },
  rate: { type: 'string', default: '40' },
  write: { type: 'boolean', default: false },
} as const

const { minutes, rate, write } = readArguments(usage, { options }, ({ values }) => {
  const minutes = Number(values.minutes)
  const rate = Number(values.rate)
  if (!(minutes > 0 && rate > 0)) throw new Error('--minutes and --rate are numbers above 0')
  return { minutes, rate, write: values.write }
})

const samples = 60
const service = 'table_control'

async function readSample(sql: Sql, pid: number, heap: InspectedHeap, began: number): Promise<MemorySample> {
  const backends = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  const { megabytes, descriptors } = readProcess(pid)
  return {
    minute: (performance.now() - began) / 60_000,
    heapMegabytes: await heap.readMegabytes(),
    megabytes,
    descriptors,
    connections: backends.length,
    databaseMegabytes: backends.reduce((sum, backend) => sum + (readProcess(backend.pid).megabytes || 0), 0),
    rows: await countRows(sql),
  }
}

async function countRows(sql: Sql): Promise<Readonly<Record<string, number>>> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = ${service} order by 1`
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const [row] = await sql`select count(*)::int as n from ${sql(service)}.${sql(name)}`
    counts[name] = Number(row?.['n'])
  }
  return counts
}

/** Makes every row of the service older than any retention, as years would. */
async function ageRows(sql: Sql): Promise<void> {
  const columns = await sql<{ table_name: string; names: string[] }[]>`
    select table_name, array_agg(column_name::text) as names from information_schema.columns
    where table_schema = ${service} and data_type = 'timestamp with time zone' group by 1`
  await sql.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`
    for (const { table_name, names } of columns) {
      const changes = names.map((name) => `"${name}" = "${name}" - interval '4000 days'`).join(', ')
      await transaction.unsafe(`update ${service}."${table_name}" set ${changes}`)
    }
  })
}

const settleMs = 180_000

/** Waits until a condition of the service's rows holds; returns the last counts, also where it never held. */
async function waitForRows(sql: Sql, holds: (counts: Readonly<Record<string, number>>) => boolean) {
  const end = performance.now() + settleMs
  for (;;) {
    const counts = await countRows(sql)
    if (holds(counts) || performance.now() > end) return counts
    await sleep(1_000)
  }
}

interface Result {
  readonly began: string
  readonly ended: string
  readonly minutes: number
  readonly assessments: readonly Assessment[]
  readonly load: LoadCounts
  readonly memory: readonly MemorySample[]
}

const report = (line: string): void => console.error(`  ${line}`)

async function soak(): Promise<Result> {
  const inspector = await freePort()
  const variables = { LOCAL_SWEEP_SECONDS: '2', LOG_LEVEL: 'error', NODE_OPTIONS: inspectorOption(inspector) }
  const workspace = await stackWorkspace(variables)
  try {
    report('starting the service')
    const command = workspace.start(await freePort())
    const stack = await command.ready()
    const heap = await inspectHeap(stack.pid, inspector)
    const sql = postgres(stack.database_url, { max: 1, onnotice: () => undefined })
    const key = loadSigningKey(workspace.directory)
    const client = { baseUrl: new URL(stack.base_url).origin, webSocketUrl: stack.websocket_url, key }
    const started = circumstances()
    const ending = new AbortController()
    const load = startLoad(client, rate, ending.signal)
    const began = performance.now()
    const memory: MemorySample[] = []
    for (let sample = 0; sample < samples; sample++) {
      await sleep((minutes * 60_000) / samples)
      memory.push(await readSample(sql, stack.pid, heap, began))
      if (sample % 10 === 9)
        report(
          `${(memory.at(-1)?.minute ?? 0).toFixed(1)} minutes, ${memory.at(-1)?.heapMegabytes.toFixed(0)} MB of objects`,
        )
    }
    ending.abort()
    await load.done
    report('waiting for jobs')
    await waitForJobs(sql)
    report('making rows old')
    await ageRows(sql)
    const left = await waitForRows(sql, (counts) => Object.values(counts).every((count) => count === 0))
    const counts = load.counts()
    heap.close()
    await sql.end({ timeout: 5 })
    command.interrupt()
    await command.exitCode
    return {
      began: started,
      ended: circumstances(),
      minutes,
      assessments: judge(memory, left, counts),
      load: counts,
      memory,
    }
  } finally {
    await workspace.remove()
  }
}

async function waitForJobs(sql: Sql): Promise<void> {
  const end = performance.now() + settleMs
  for (;;) {
    const [row] = await sql`select count(*)::int as n from table_control.jobs where state in ('queued', 'running')`
    if (Number(row?.['n']) === 0 || performance.now() > end) return
    await sleep(1_000)
  }
}

const section = ({ began, ended, minutes: lasted, assessments }: Result): string =>
  [
    `${lasted} minutes at about ${rate} requests a second. ${describeRun(began, ended)}`,
    markdownTable(
      ['what', 'measured', ''],
      assessments.map(({ what, measured, flat }) => [what, measured, flat ? 'flat' : '**not flat**']),
    ),
  ].join('\n\n')

const result = await soak()
console.log(section(result))
if (write) {
  const kept = { ...result, memory: result.memory.filter((_, index) => index % 5 === 4) }
  await publishRun('soak', 'soak', kept, section(result))
}
if (result.assessments.some(({ flat }) => !flat)) process.exitCode = 1
