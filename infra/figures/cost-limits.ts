import { connectionsPerFunction, type FunctionName } from '../settings/function-settings.ts'
import {
  assumed,
  databaseSeconds,
  type FunctionCalls,
  monthlyCalls,
  monthlyHttpRequests,
  secondsPerMonth,
  type Traffic,
} from './cost-model.ts'
import type { DeployedStage } from './cost-template.ts'

/** Something that is full at some traffic. */
export interface Limit {
  readonly name: string
  readonly max: number
  readonly unit: string
  /** Use in the busiest second of a month, or on its busiest day. */
  readonly countUsed: (traffic: Traffic) => number
  /** The setting or the quota that moves it. */
  readonly movedBy: string
}

/** Lambda takes this many synchronous requests a second for each concurrent execution. */
const requestsPerExecution = 10

/** Quotas of an account that is no longer new. Each can be raised on request. */
const quotas = { socketsPerSecond: 500, mailsPerDay: 50_000 } as const

/** Returns every limit that a stage can meet. */
export const findLimits = (deployed: DeployedStage): readonly Limit[] => [
  ...functionLimits(deployed),
  ...sharedLimits(deployed),
  ...gatewayLimits(deployed),
  {
    name: 'mails in a day',
    max: quotas.mailsPerDay,
    unit: 'mails/day',
    // The busiest day has twice the mean.
    countUsed: ({ exports }) => (exports / 30) * 2,
    movedBy: 'quota of SES',
  },
  ...databaseLimits(deployed),
]

/** Returns how many times this traffic fits, the tightest limit first. Below 1, requests are refused or wait. */
export const findHeadroom = (limits: readonly Limit[], traffic: Traffic) =>
  limits
    .map((limit) => ({ limit, used: limit.countUsed(traffic), fits: limit.max / limit.countUsed(traffic) }))
    .sort((one, other) => one.fits - other.fits)

const peakPerSecond = (monthly: number): number => (monthly / secondsPerMonth) * assumed.peakFactor

/** Returns the calls of a function in the busiest second. Pings come evenly over a month. */
const peakCalls = ({ name, calls }: FunctionCalls): number =>
  name === 'socket-ping' ? calls / secondsPerMonth : peakPerSecond(calls)

/** The sweep runs once a minute, at any traffic. */
const trafficCalls = (deployed: DeployedStage, traffic: Traffic): readonly FunctionCalls[] =>
  monthlyCalls(deployed, traffic).filter(({ name }) => name !== 'sweep')

function functionLimits(deployed: DeployedStage): readonly Limit[] {
  const names = trafficCalls(deployed, { queries: 0, exports: 0, sockets: 0 }).map(({ name }) => name)
  const peak = (name: FunctionName, weight: (call: FunctionCalls) => number) => (traffic: Traffic) => {
    const call = trafficCalls(deployed, traffic).find((one) => one.name === name)
    return call === undefined ? 0 : peakCalls(call) * weight(call)
  }
  return names.flatMap((name): readonly Limit[] => {
    const isWorker = name === 'report-worker'
    const max = isWorker ? deployed.workersAtOnce : deployed.reserved[name]
    if (max === undefined) return []
    const movedBy = isWorker ? '`maxConcurrentReports`' : '`database.connections`'
    const atOnce: Limit = {
      name: `\`${name}\` at once`,
      max,
      unit: 'functions',
      movedBy,
      countUsed: peak(name, ({ seconds }) => seconds),
    }
    if (isWorker) return [atOnce]
    const calls: Limit = {
      name: `calls of \`${name}\``,
      max: max * requestsPerExecution,
      unit: 'calls/s',
      movedBy,
      countUsed: peak(name, () => 1),
    }
    return [atOnce, calls]
  })
}

function sharedLimits(deployed: DeployedStage): readonly Limit[] {
  const { database, accountConcurrency } = deployed.stage
  const sum = (weight: (call: FunctionCalls) => number) => (traffic: Traffic) =>
    trafficCalls(deployed, traffic).reduce((all, call) => all + peakCalls(call) * weight(call), 0)
  return [
    {
      name: 'connections of the database',
      max: database.connections,
      unit: 'connections',
      countUsed: sum(({ name, seconds }) => seconds * connectionsPerFunction(name)),
      movedBy: '`database.connections`',
    },
    {
      name: "the account's functions at once",
      max: accountConcurrency,
      unit: 'functions',
      countUsed: sum(({ seconds }) => seconds),
      movedBy: 'quota of Lambda',
    },
    {
      name: "the account's calls of functions",
      max: accountConcurrency * requestsPerExecution,
      unit: 'calls/s',
      countUsed: sum(() => 1),
      movedBy: 'quota of Lambda',
    },
  ]
}

function gatewayLimits({ requestsPerSecond }: DeployedStage): readonly Limit[] {
  const connects = ({ sockets }: Traffic) => sockets / assumed.socketSeconds
  const gateway = { max: requestsPerSecond, unit: 'requests/s', movedBy: '`requestsPerSecond`' }
  return [
    { ...gateway, name: 'HTTP API', countUsed: (traffic) => peakPerSecond(monthlyHttpRequests(traffic)) },
    // Pings and connects come evenly over a month.
    {
      ...gateway,
      name: 'WebSocket API',
      countUsed: (traffic) => traffic.sockets / assumed.pingSeconds + connects(traffic),
    },
    {
      name: 'new WebSockets',
      max: quotas.socketsPerSecond,
      unit: 'connects/s',
      countUsed: connects,
      movedBy: 'quota of API Gateway',
    },
  ]
}

function databaseLimits({ stage: { database } }: DeployedStage): readonly Limit[] {
  if (database.kind !== 'created') return []
  return [
    {
      name: "the writer's CPU",
      max: database.maxCapacity * assumed.coresPerUnit * assumed.maxDatabaseLoad,
      unit: 'cores',
      countUsed: (traffic) => peakPerSecond(databaseSeconds(traffic)),
      movedBy: '`database.maxCapacity`',
    },
  ]
}
