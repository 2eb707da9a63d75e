import { assumed, secondsPerMonth, tracedCalls } from './cost-model.ts'
import type { DeployedStage } from './cost-template.ts'
import { prices } from './prices.ts'

/** The pages of one table that are open around the clock, and the changes that they receive. */
export interface LiveLoad {
  /** Open pages with a subscription; their WebSockets are paid as live pages. */
  readonly pages: number
  /** How many different pages these are. */
  readonly windows: number
  /** Each of a row that one of the windows shows. */
  readonly changesPerSecond: number
  /** True for a table with `live: true`, which is polled. */
  readonly isLive: boolean
}

/** The loads of the table in infra/README.md. The last one is that of `npm run bench -- live`. */
export const liveLoads = {
  'no page watches': { pages: 0, windows: 0, changesPerSecond: 100, isLive: true },
  '1 page of a `live` table, no changes': { pages: 1, windows: 1, changesPerSecond: 0, isLive: true },
  '1,000 pages, 1 change a minute': { pages: 1_000, windows: 50, changesPerSecond: 1 / 60, isLive: false },
  '1,000 pages, 100 changes a second': { pages: 1_000, windows: 50, changesPerSecond: 100, isLive: false },
} as const satisfies Readonly<Record<string, LiveLoad>>

/** Figures of the worker, from live, live-windows and live-writers in test/bench/README.md. */
const measured = {
  /** Solved from 50 windows (1,294 messages a second, 0.53 cores) and 1,000 windows (97 messages, 0.40 cores). */
  messageCpuMs: 0.39,
  pageCpuMs: 0.22,
  pageDatabaseCpuMs: 0.418,
  pollCpuMs: 3.55,
} as const

/** Guesses on the expensive side. */
const guessed = {
  /** A call of the worker to SQS or to API Gateway. */
  apiCallMs: 15,
} as const

/** Statements of the worker that wait for one another, begin and commit included. */
const statements = { poll: 7, round: 14 } as const
const postsAtOnce = 50
const pollSeconds = 2
const maxCallSeconds = 10
const requestsPerQueueMessage = 3

/** The work of a second that a load makes. */
export interface LiveWork {
  readonly messages: number
  readonly pagesRead: number
  readonly workerCalls: number
  readonly workerSeconds: number
  /** Its processor time, without polls. */
  readonly workerCores: number
  readonly subscriptions: number
}

const noWork: LiveWork = {
  messages: 0,
  pagesRead: 0,
  workerCalls: 0,
  workerSeconds: 0,
  workerCores: 0,
  subscriptions: 0,
}

/** Returns the work of a second. Changes come at random; those of a pause are sent together. */
export function liveWork(load: LiveLoad, pauseSeconds = 0.55): LiveWork {
  const { pages, windows, changesPerSecond, isLive } = load
  if (pages === 0) return noWork
  const roundsPerSecond = (rate: number) => (1 - Math.exp(-rate * pauseSeconds)) / pauseSeconds
  const rounds = roundsPerSecond(changesPerSecond)
  const messages = pages * roundsPerSecond(changesPerSecond / windows)
  const subscriptions = pages / assumed.socketSeconds
  // Each subscription has one page looked at again.
  const pagesRead = rounds * windows + subscriptions
  const looks = rounds + subscriptions
  const cpuMs = messages * measured.messageCpuMs + pagesRead * measured.pageCpuMs
  const waitMs = looks * statements.round * assumed.roundTripMs + (messages * guessed.apiCallMs) / postsAtOnce
  const isFollowed = 1 - Math.exp(-changesPerSecond * pauseSeconds)
  const busySeconds = Math.min(1, (cpuMs + waitMs) / 1_000 + rounds * isFollowed * pauseSeconds)
  const polls = isLive ? 1 / pollSeconds : 0
  const pollMs = measured.pollCpuMs + statements.poll * assumed.roundTripMs + guessed.apiCallMs
  return {
    messages,
    pagesRead,
    subscriptions,
    workerCores: cpuMs / 1_000,
    workerCalls:
      rounds * (1 - isFollowed) + (rounds * isFollowed * pauseSeconds) / maxCallSeconds + polls + subscriptions,
    workerSeconds: busySeconds + (polls * pollMs) / 1_000,
  }
}

/** Returns what a load costs in a month in US dollars, by part, beside its WebSockets. */
export function monthlyLiveCosts(deployed: DeployedStage, load: LiveLoad): Readonly<Record<string, number>> {
  const { messages, pagesRead, workerCalls, workerSeconds, subscriptions } = liveWork(load)
  const { memoryMb } = deployed
  const calls = workerCalls + subscriptions
  const gbSeconds =
    (workerSeconds * memoryMb['report-worker'] +
      (subscriptions * assumed.socketMessageMs * memoryMb['socket-message']) / 1_000) /
    1_024
  const month = (perSecond: number, price: number) => perSecond * secondsPerMonth * price
  return {
    Database: databaseCosts(deployed, pagesRead),
    Logs: month((calls * assumed.logBytesPerCall) / 1e9, prices.logGb),
    Traces: (tracedCalls(workerCalls * secondsPerMonth) + tracedCalls(subscriptions * secondsPerMonth)) * prices.trace,
    Lambda: month(calls, prices.lambdaRequest) + month(gbSeconds, prices.lambdaGbSecond),
    'WebSocket API': month(messages + 2 * subscriptions, prices.socketMessage),
    Queue: month(workerCalls * requestsPerQueueMessage, prices.sqsRequest),
  }
}

/** The capacity that reading pages needs beyond the smallest size. */
function databaseCosts({ stage: { database }, instances }: DeployedStage, pagesRead: number): number {
  if (database.kind !== 'created') return 0
  const cores = (pagesRead * measured.pageDatabaseCpuMs) / 1_000
  const units = cores / assumed.maxDatabaseLoad / assumed.coresPerUnit
  const more = Math.max(0, units - database.minCapacity)
  return instances * more * prices.auroraUnitHour * (secondsPerMonth / 3_600)
}
