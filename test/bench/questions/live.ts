import { setTimeout as sleep } from 'node:timers/promises'
import { atMost, type Bench, type Figure, type Question } from '../figure.ts'
import { type LiveInstallation, type LivePart, type LiveUse, startLiveInstallation } from '../live/installation.ts'
import type { LiveLoad, LiveSample } from '../live/load.ts'

const sockets = 1_000
const perSecond = 100
const measuredMs = 12_000
const warmMs = 4_000
const maxLatencyMs = 1_000
/** A worker that keeps what it has read would grow by more in so many messages. */
const maxGrowth = 1.5

type Load = Omit<LiveLoad, 'port'>

interface LiveMeasurement {
  readonly sample: LiveSample
  /** Processor time of the parts, in shares of a core. */
  readonly cores: Readonly<Record<string, number>>
  readonly seconds: number
  readonly statementCount: number
  readonly statements: number
  readonly memory: readonly [before: LiveUse['megabytes'], after: LiveUse['megabytes']]
}

/** Changes rows and waits until all watchers are told. */
async function measure(live: LiveInstallation, load: Load): Promise<LiveMeasurement> {
  const before = await live.use()
  const began = performance.now()
  const sample = await live.change(load)
  const seconds = (performance.now() - began) / 1_000
  const after = await live.use()
  const cores = Object.entries(after.cpuMs).map(([part, ms]) => {
    const used = ms - before.cpuMs[part as keyof LiveUse['cpuMs']]
    return [part, used / 1_000 / seconds] as const
  })
  return {
    sample,
    seconds,
    cores: Object.fromEntries(cores),
    memory: [before.megabytes, after.megabytes],
    statementCount: after.statements - before.statements,
    statements: (after.statements - before.statements) / seconds,
  }
}

const describeLatency = ({ p50Ms, p95Ms, p99Ms, maxMs, arrivals }: LiveSample): string =>
  `p50 ${p50Ms.toFixed(0)}, p95 ${p95Ms.toFixed(0)}, p99 ${p99Ms.toFixed(0)}, at most ${maxMs.toFixed(0)} ms of ${arrivals} rows`

const describeMessages = ({ messages, stale, seconds }: LiveSample): string =>
  `${(messages / seconds).toFixed(0)}/s, ${((100 * stale) / Math.max(1, messages)).toFixed(1)} % stale`

const maxCatchUpMs = 15_000

/** Returns how many sockets show what is in the database, after waiting for the last ones. */
async function compareUntilEqual(live: LiveInstallation): Promise<number> {
  const end = performance.now() + maxCatchUpMs
  let showing = await live.compare()
  while (showing < sockets && performance.now() < end) {
    await sleep(500)
    showing = await live.compare()
  }
  return showing
}

async function findFigures(live: LiveInstallation, windows: number): Promise<readonly Figure[]> {
  await live.open(sockets, windows)
  await live.change({ perSecond, windows, milliseconds: warmMs })
  const { sample, cores, statements, memory } = await measure(live, { perSecond, windows, milliseconds: measuredMs })
  const showing = await compareUntilEqual(live)
  await live.close()
  const [from, to] = memory
  const growth = to.worker / from.worker
  const cpu = Object.entries(cores).map(([part, share]) => `${part} ${share.toFixed(2)}`)
  const name = `${windows} windows`
  return [
    atMost(`${name}: p95 from change to socket`, sample.p95Ms, maxLatencyMs, describeLatency(sample), ' ms'),
    { name: `${name}: messages`, measured: describeMessages(sample) },
    {
      name: `${name}: sockets that show what is in the database`,
      measured: `${showing}`,
      target: `${sockets}`,
      met: showing === sockets,
    },
    {
      name: `${name}: changes`,
      measured: `${(sample.changes / sample.seconds).toFixed(0)}/s, ${sample.failed} failed, p50 of a request ${sample.actionP50Ms.toFixed(0)} ms`,
    },
    { name: `${name}: statements`, measured: `${statements.toFixed(0)}/s` },
    { name: `${name}: cores in use`, measured: cpu.join(', ') },
    atMost(
      ...([`${name}: memory of the worker`, growth, maxGrowth] as const),
      `${from.worker.toFixed(0)} to ${to.worker.toFixed(0)} MB, gateways ${from.service.toFixed(0)} to ${to.service.toFixed(0)} MB`,
      ' x',
    ),
  ]
}

async function withLive<Result>(bench: Bench, work: (live: LiveInstallation) => Promise<Result>): Promise<Result> {
  const live = await startLiveInstallation(bench)
  try {
    return await work(live)
  } finally {
    await live.stop()
  }
}

const parts = `The two gateways with their functions, the queue, the worker, and the watchers with the load are a process each. The time is from the update in the action to the
socket, its commit included.`

const askLatency = (windows: number) => (bench: Bench) =>
  withLive(bench, (live) => {
    bench.report(`${sockets} sockets on ${windows} windows`)
    return findFigures(live, windows)
  })

const method = `Row actions over HTTP, each on a random row that some of the sockets watch; the sockets belong to as many callers in 10 scopes. ${parts}`

/** How soon watchers are told of changes, and what that costs. */
export const live: Question = {
  id: 'live',
  asks: 'How soon do 1,000 WebSockets on 50 windows hear of 100 changes a second?',
  method,
  measure: askLatency(50),
}

/** The same if no two sockets watch the same. */
export const liveWindows: Question = {
  id: 'live-windows',
  asks: 'How soon do they, if each watches a window of its own?',
  method,
  measure: askLatency(1_000),
}

const askGrowth = (bench: Bench) =>
  withLive(bench, async (live) => {
    const figures: Figure[] = []
    for (const watchers of [10, 100, 1_000]) {
      await live.open(watchers, 10)
      await live.change({ perSecond: 50, windows: 10, milliseconds: 2_000 })
      for (const rate of [1, 10, 100]) {
        bench.report(`${watchers} sockets, ${rate} changes/s`)
        const { sample, cores, statements } = await measure(live, { perSecond: rate, windows: 10, milliseconds: 4_000 })
        figures.push({
          name: `${watchers} sockets, ${rate} changes/s`,
          measured: `p50 ${sample.p50Ms.toFixed(0)}, p95 ${sample.p95Ms.toFixed(0)} ms; ${describeMessages(sample)}; ${statements.toFixed(0)} statements/s; worker ${cores['worker']?.toFixed(2)} cores`,
        })
      }
      await live.close()
    }
    return figures
  })

/** How that grows with watchers and with changes. */
export const liveGrowth: Question = {
  id: 'live-growth',
  asks: 'How does that grow with sockets and with changes?',
  method: `The same on 10 windows, one for each scope; 4 seconds of each rate. ${parts}`,
  measure: askGrowth,
}

const unwatchedLoad = { perSecond, windows: 50, milliseconds: 6_000, table: 'unwatched' }

const askUnwatched = (bench: Bench) =>
  withLive(bench, async (live) => {
    bench.report('without sockets')
    await live.change({ ...unwatchedLoad, milliseconds: warmMs })
    const alone = await measure(live, unwatchedLoad)
    bench.report('with sockets on another table')
    await live.open(sockets, 50)
    // The work that the opening of the sockets has left is not that of the actions.
    await live.change({ ...unwatchedLoad, milliseconds: warmMs })
    // As autovacuum does within a minute: until then, the planner does not know that all sockets watch one table.
    await live.sql`analyze table_control.subscriptions`
    const beside = await measure(live, unwatchedLoad)
    const perAction = ({ statementCount, sample }: LiveMeasurement) => statementCount / sample.changes
    const perActionMicros = ({ cores, sample: { changes }, seconds }: LiveMeasurement, part: LivePart) =>
      ((cores[part] ?? 0) * seconds * 1_000_000) / changes
    const both = (of: LiveMeasurement) => perActionMicros(of, 'service') + perActionMicros(of, 'database')
    const describeCpu = (part: LivePart) =>
      `${part} ${perActionMicros(alone, part).toFixed(0)} us without, ${perActionMicros(beside, part).toFixed(0)} us with`
    const ratio = both(beside) / both(alone)
    return [
      {
        name: 'statements of an action, begin and commit included',
        measured: `${perAction(alone).toFixed(1)} without sockets, ${perAction(beside).toFixed(1)} with ${sockets} on another table`,
      },
      atMost('messages', beside.sample.messages, 0, `${beside.sample.messages}`),
      {
        name: 'processor time of function and database for an action, beside a service without sockets',
        measured: `${ratio.toFixed(2)} x (${describeCpu('service')}; ${describeCpu('database')})`,
      },
    ]
  })

/** The cost of live rows for an action on a table that no page watches. */
export const liveUnwatched: Question = {
  id: 'live-unwatched',
  asks: 'What does an action cost on a table that no page watches?',
  method: `100 row actions a second over HTTP, at first without any socket, then with ${sockets} sockets on another table over the same rows. ${parts}`,
  measure: askUnwatched,
}
