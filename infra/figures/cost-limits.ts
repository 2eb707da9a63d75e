import { connectionsPerFunction, type FunctionName } from '../settings/function-settings.ts'
import { assumed, idle, secondsPerMonth, type Traffic } from './cost-inputs.ts'
import type { Deployed } from './cost-template.ts'
import { callsOf, databaseSeconds, passed } from './cost-work.ts'
import { quotas } from './prices.ts'

/** Something of which there is only so much. */
export interface Limit {
  readonly name: string
  readonly most: number
  readonly unit: string
  /** How much of it a month's busiest second, or day, takes. */
  readonly taken: (traffic: Traffic) => number
  /** What moves it: a setting of stage-settings.ts, or a quota of the account. */
  readonly movedBy: string
}

/** A limit beside some traffic. */
export interface Headroom {
  readonly limit: Limit
  readonly taken: number
  /** So many times this traffic fit. Below 1, requests are refused or wait. */
  readonly fits: number
}

/** Every limit that a stage can meet. */
export const limitsOf = (deployed: Deployed): readonly Limit[] => [
  ...reservedLimits(deployed),
  ...connectionLimits(deployed),
  ...gatewayLimits(deployed),
  ...mailLimits,
  ...queueLimits(deployed),
  ...databaseLimits(deployed),
]

/** How much room each limit leaves to this traffic, the tightest first. */
export const headroom = (limits: readonly Limit[], traffic: Traffic): readonly Headroom[] =>
  limits
    .map((limit) => ({ limit, taken: limit.taken(traffic), fits: limit.most / limit.taken(traffic) }))
    .sort((one, other) => one.fits - other.fits)

const perSecond = (monthly: number): number => (monthly / secondsPerMonth) * assumed.peakFactor.value

/** How many of a function run at once in the busiest second. */
const atOnce = (deployed: Deployed, name: FunctionName) => (traffic: Traffic) => {
  const called = callsOf(deployed, traffic).find((one) => one.name === name)
  return called === undefined ? 0 : perSecond(called.calls) * called.seconds
}

function reservedLimits(deployed: Deployed): readonly Limit[] {
  const names = callsOf(deployed, idle).map(({ name }) => name)
  return names.flatMap((name) => {
    const most = name === 'report-worker' ? deployed.workersAtOnce : deployed.reserved[name]
    if (most === undefined || name === 'sweep') return []
    const movedBy = name === 'report-worker' ? '`maxConcurrentReports`' : '`database.connections`'
    return [{ name: `\`${name}\` at once`, most, unit: 'functions', taken: atOnce(deployed, name), movedBy }]
  })
}

function connectionLimits(deployed: Deployed): readonly Limit[] {
  // The sweep comes once a minute, whatever the traffic.
  const names = callsOf(deployed, idle).flatMap(({ name }) => (name === 'sweep' ? [] : [name]))
  const all = (weight: (name: FunctionName) => number) => (traffic: Traffic) =>
    names.reduce((sum, name) => sum + atOnce(deployed, name)(traffic) * weight(name), 0)
  return [
    {
      name: 'connections of the database',
      most: deployed.stage.database.connections,
      unit: 'connections',
      taken: all(connectionsPerFunction),
      movedBy: '`database.connections`',
    },
    {
      name: "the account's functions at once",
      most: deployed.stage.accountConcurrency,
      unit: 'functions',
      taken: all(() => 1),
      movedBy: 'quota of Lambda',
    },
  ]
}

function gatewayLimits({ requestsPerSecond }: Deployed): readonly Limit[] {
  const http = (traffic: Traffic) => perSecond(passed(traffic).httpRequests)
  // Pings and connects come evenly: nobody's office hours make a browser ping faster.
  const sockets = (traffic: Traffic) => passed(traffic).socketMessages / 2 / secondsPerMonth + connects(traffic)
  const connects = (traffic: Traffic) => traffic.sockets / assumed.socketSeconds.value
  const unit = 'requests/s'
  return [
    { name: 'HTTP API', most: requestsPerSecond, unit, taken: http, movedBy: '`requestsPerSecond`' },
    { name: 'WebSocket API', most: requestsPerSecond, unit, taken: sockets, movedBy: '`requestsPerSecond`' },
    {
      name: "the account's gateways",
      most: quotas.gatewayPerSecond.value,
      unit,
      taken: (traffic) => http(traffic) + sockets(traffic),
      movedBy: 'quota of API Gateway',
    },
    {
      name: 'new WebSockets',
      most: quotas.socketsPerSecond.value,
      unit: 'connects/s',
      taken: connects,
      movedBy: 'quota of API Gateway',
    },
  ]
}

const mailLimits: readonly Limit[] = [
  {
    name: 'mails in a second',
    most: quotas.mailsPerSecond.value,
    unit: 'mails/s',
    taken: ({ exports }) => perSecond(exports),
    movedBy: 'quota of SES',
  },
  {
    name: 'mails in a day',
    most: quotas.mailsPerDay.value,
    unit: 'mails/day',
    // A day is busier than the mean one, and not ten times.
    taken: ({ exports }) => (exports / 30) * 2,
    movedBy: 'quota of SES',
  },
]

const queueLimits = (deployed: Deployed): readonly Limit[] => [
  {
    name: 'messages of SQS in flight',
    most: quotas.messagesInFlight.value,
    unit: 'messages',
    taken: atOnce(deployed, 'report-worker'),
    movedBy: 'quota of SQS',
  },
]

function databaseLimits({ stage }: Deployed): readonly Limit[] {
  if (stage.database.kind !== 'created') return []
  return [
    {
      name: "the writer's CPU",
      most: stage.database.maxCapacity * assumed.unitCores.value * assumed.databaseBusy.value,
      unit: 'cores',
      taken: (traffic) => perSecond(databaseSeconds(traffic)),
      movedBy: '`database.maxCapacity`',
    },
  ]
}
