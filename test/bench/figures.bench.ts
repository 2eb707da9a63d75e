import { isFlightSample } from '../../infra/local/start-options.ts'
import { readArguments } from '../support/run/read-arguments.ts'
import { circumstances, type Question, section } from './figure.ts'
import { withBench } from './flights-database.ts'
import { acting } from './questions/acting.ts'
import { asking } from './questions/asking.ts'
import { plannedChanges } from './questions/changes.ts'
import { coldConnection } from './questions/cold-connection.ts'
import { coldFunction } from './questions/cold-function.ts'
import { deepPages } from './questions/deep-pages.ts'
import { exportsOfRows } from './questions/exports.ts'
import { firstRun } from './questions/first-run.ts'
import { gateway } from './questions/gateway.ts'
import { inProcess } from './questions/in-process.ts'
import { instantExport } from './questions/instant-export.ts'
import { layer } from './questions/layer.ts'
import { live, liveGrowth, liveUnwatched, liveWindows } from './questions/live.ts'
import { liveMemory } from './questions/live-memory.ts'
import { liveWriters } from './questions/live-writers.ts'
import { mailJobs } from './questions/mail-jobs.ts'
import { manyTables } from './questions/many-tables.ts'
import { noExtensions } from './questions/no-extensions.ts'
import { openTotals } from './questions/open-totals.ts'
import { overload } from './questions/overload.ts'
import { plansOfManyRows } from './questions/plans.ts'
import { responseBytes } from './questions/response-bytes.ts'
import { roundTrip } from './questions/round-trip.ts'
import { rowActions } from './questions/row-actions.ts'
import { search } from './questions/search.ts'
import { tokens } from './questions/tokens.ts'
import { totals } from './questions/totals.ts'

const questions: readonly Question[] = [
  inProcess,
  gateway,
  overload,
  roundTrip,
  responseBytes,
  totals,
  openTotals,
  search,
  asking,
  noExtensions,
  deepPages,
  tokens,
  coldFunction,
  coldConnection,
  manyTables,
  layer,
  rowActions,
  instantExport,
  exportsOfRows,
  mailJobs,
  plansOfManyRows,
  acting,
  plannedChanges,
  live,
  liveWindows,
  liveGrowth,
  liveUnwatched,
  liveWriters,
  liveMemory,
  firstRun,
]

const usage = `Usage: npm run bench [-- <question>... [--flights 200k|all]]
  <question>  what to measure; default: all of ${questions.map(({ id }) => id).join(', ')}
  --flights   how many of the 3,000,000 flights are in the database: 200k or all (default)`

const config = { allowPositionals: true, options: { flights: { type: 'string', default: 'all' } } } as const

const { asked, flights } = readArguments(usage, config, ({ positionals, values: { flights } }) => {
  const unknown = positionals.filter((name) => !questions.some(({ id }) => id === name))
  if (unknown.length > 0) throw new Error(`There is no question ${unknown.join(', ')}`)
  if (!isFlightSample(flights)) throw new Error(`--flights is 200k or all, not "${flights}"`)
  return { flights, asked: questions.filter(({ id }) => positionals.length === 0 || positionals.includes(id)) }
})

await withBench(flights, async (bench) => {
  console.log(`Began ${circumstances()}, flights: ${flights}\n`)
  for (const question of asked) {
    bench.report(question.id)
    console.log(section(question, await question.measure(bench)))
  }
  console.log(`Ended ${circumstances()}`)
})
