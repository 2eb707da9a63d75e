import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { type JobInstallation, startJobInstallation } from '../../support/jobs/job-installation.ts'
import { jobTemplate, parcelCount } from '../../support/jobs/job-tables.ts'
import { atMost, type Bench, type Figure, type Question } from '../figure.ts'
import { median } from '../rounds.ts'

const script = fileURLToPath(new URL('../../support/jobs/job-worker-process.ts', import.meta.url))
const action = 'parcels/move_millions'
const instantRows = 3_000
const fewRows = 100_000
const manyRows = 1_000_000
const rounds = 5

interface Work {
  readonly seconds: number
  readonly peakMb: number
}

/** Works on a job in a process of its own and reads the most memory that it has held. */
async function work(jobs: JobInstallation, id: string): Promise<Work> {
  const worker = spawn(process.execPath, [script, JSON.stringify(jobs.createEvent([id]))], {
    env: { ...process.env, ...jobs.environment },
    stdio: 'ignore',
  })
  let peakMb = 0
  const look = setInterval(() => {
    const [, kb = 0] = /VmHWM:\s+(\d+)/.exec(readStatus(worker.pid)) ?? []
    peakMb = Math.max(peakMb, Number(kb) / 1_024)
  }, 20)
  await new Promise((resolve) => worker.once('exit', resolve))
  clearInterval(look)
  const job = await jobs.job(id)
  if (job.status !== 'succeeded') throw new Error(JSON.stringify(job))
  return { seconds: (Date.parse(job.finished_at) - Date.parse(job.started_at)) / 1_000, peakMb }
}

function readStatus(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

async function planAndApply(jobs: JobInstallation, rows: number) {
  const filters = [{ field: 'depot', operator: '=', value: `bench ${rows}` }]
  const planId = await jobs.ask(action, { plan: true, filters })
  const plan = await work(jobs, planId)
  const apply = await work(jobs, await jobs.ask(action, { plan_id: planId }))
  return { plan, apply }
}

async function planAtOnce(jobs: JobInstallation): Promise<readonly number[]> {
  const selected = Array.from({ length: instantRows }, (_, index) => index + 1)
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    const { json } = await jobs.post(`bulk-table-action/${action}`, { plan: true, selected_ids: selected })
    if (json.plan?.applicable !== instantRows) throw new Error(JSON.stringify(json))
    times.push(performance.now() - began)
  }
  return times
}

const describe = (rows: number, { seconds, peakMb }: Work): string =>
  `${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} rows/s, at most ${peakMb.toFixed(0)} MB`

/** A database of parcels on the server of the other figures. */
async function openDatabase(serverUrl: string) {
  const name = 'plans_of_many_rows'
  const owner = postgres(serverUrl, { max: 1, onnotice: () => {} })
  await owner`drop database if exists ${owner(name)} with (force)`
  await owner`create database ${owner(name)}`
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href
  await jobTemplate.build(url)
  return {
    url,
    serviceUrl: url,
    drop: async () => {
      await owner`drop database if exists ${owner(name)} with (force)`
      await owner.end()
    },
  }
}

async function run({ databaseUrl }: Bench): Promise<readonly Figure[]> {
  const jobs = await startJobInstallation({}, () => openDatabase(databaseUrl))
  try {
    for (const rows of [fewRows, manyRows])
      await jobs.sql`insert into parcels select ${parcelCount + rows}::int + n, 'parcel ' || n, ${`bench ${rows}`}, 0
        from generate_series(1, ${rows}::int) n`
    await jobs.sql`vacuum analyze parcels`
    const instant = median(await planAtOnce(jobs))
    const few = await planAndApply(jobs, fewRows)
    const many = await planAndApply(jobs, manyRows)
    const growth = many.plan.peakMb / few.plan.peakMb
    const growthOfApply = many.apply.peakMb / few.apply.peakMb
    return [
      atMost(`plan of ${instantRows} rows in a request`, instant / 1_000, 2, `${instant.toFixed(0)} ms`, ' s'),
      { name: `plan of ${fewRows} rows`, measured: describe(fewRows, few.plan) },
      { name: `plan of ${manyRows} rows`, measured: describe(manyRows, many.plan) },
      { name: `the same ${fewRows} rows, applied`, measured: describe(fewRows, few.apply) },
      { name: `the same ${manyRows} rows, applied`, measured: describe(manyRows, many.apply) },
      atMost('memory of ten times the rows, planned', growth, 1.3, `${growth.toFixed(2)} x`, ' x'),
      atMost('memory of ten times the rows, applied', growthOfApply, 1.5, `${growthOfApply.toFixed(2)} x`, ' x'),
    ]
  } finally {
    await jobs.stop()
  }
}

/** How long many rows take to be planned and applied, and in how much memory. */
export const plansOfManyRows: Question = {
  id: 'plans',
  asks: 'How long do plans of many rows take, and how much memory do their workers need?',
  method: `The action adds 1 to a number, in chunks of 2,000 rows. Each job runs in a process of its own, on a local Postgres. The memory is the most that
the process has held (VmHWM), Node included.`,
  measure: run,
}
