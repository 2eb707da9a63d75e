import { assumed, hoursPerMonth, secondsPerMonth, type Traffic } from './cost-inputs.ts'
import type { Deployed } from './cost-template.ts'
import { callsOf, databaseSeconds, passed } from './cost-work.ts'
import { type PriceName, prices } from './prices.ts'

/** So much of one priced thing, for a part of the service. */
export interface CostLine {
  readonly part: string
  readonly price: PriceName
  readonly quantity: number
  readonly usd: number
}

const line = (part: string, price: PriceName, quantity: number): CostLine => ({
  part,
  price,
  quantity,
  usd: quantity * prices[price].usd,
})

/** What a stage costs in a month of this traffic, in US dollars, thing by thing; free tiers are left out. */
export const costOf = (deployed: Deployed, traffic: Traffic): readonly CostLine[] =>
  [
    ...functionLines(deployed, traffic),
    ...passageLines(deployed, traffic),
    ...watchLines(deployed, traffic),
    ...databaseLines(deployed, traffic),
    ...standingLines(deployed),
  ].filter(({ quantity }) => quantity > 0)

export const totalOf = (lines: readonly CostLine[]): number => lines.reduce((sum, { usd }) => sum + usd, 0)

/** The costs of each part of the service, the dearest first. */
export function byPart(lines: readonly CostLine[]): ReadonlyMap<string, number> {
  const parts = [...new Set(lines.map(({ part }) => part))]
  const costs = parts.map((part) => [part, totalOf(lines.filter((one) => one.part === part))] as const)
  return new Map(costs.sort(([, one], [, other]) => other - one))
}

function functionLines(deployed: Deployed, traffic: Traffic): readonly CostLine[] {
  const calls = callsOf(deployed, traffic)
  const all = calls.reduce((sum, one) => sum + one.calls, 0)
  const gbSeconds = calls.reduce((sum, one) => sum + (one.calls * one.seconds * deployed.memoryMb[one.name]) / 1_024, 0)
  const worker = calls.find(({ name }) => name === 'report-worker')
  const storageGb = (deployed.workerStorageMb - 512) / 1_024
  return [
    line('Lambda', 'lambdaRequest', all),
    line('Lambda', 'lambdaGbSecond', gbSeconds),
    line('Lambda', 'lambdaStorage', (worker?.calls ?? 0) * (worker?.seconds ?? 0) * storageGb),
    // A cold start reads its environment, which the stack's own key encrypts.
    line('Secrets and keys', 'keyUse', all * assumed.coldShare.value),
  ]
}

function passageLines({ natGateways }: Deployed, traffic: Traffic): readonly CostLine[] {
  const through = passed(traffic)
  return [
    line('HTTP API', 'httpRequest', through.httpRequests),
    line('WebSocket API', 'socketMessage', through.socketMessages),
    line('WebSocket API', 'socketMinute', through.socketMinutes),
    line('SQS', 'sqsRequest', through.queueRequests),
    line('SES', 'sesMail', through.mails),
    line('SES', 'sesAttachment', through.mailGb),
    line('S3', 's3Put', through.storedFiles),
    line('S3', 's3Get', through.storedFiles),
    line('S3', 's3Storage', through.storedGb),
    line('Data transfer', 'transferOut', through.pageGb + through.mailGb + through.storedGb),
    line('NAT gateways', 'natGb', natGateways > 0 ? through.mailGb : 0),
  ]
}

function watchLines(deployed: Deployed, traffic: Traffic): readonly CostLine[] {
  const calls = callsOf(deployed, traffic).reduce((sum, one) => sum + one.calls, 0)
  const { httpRequests, socketMessages } = passed(traffic)
  const logBytes =
    calls * assumed.logBytesPerCall.value + (httpRequests + socketMessages / 2) * assumed.accessLogBytes.value
  return [
    line('CloudWatch', 'logsIn', logBytes / 1e9),
    line('CloudWatch', 'logsKept', logBytes / 1e9),
    line('CloudWatch', 'metric', assumed.metrics.value),
    line('CloudWatch', 'alarm', deployed.alarms),
    line('CloudWatch', 'dashboard', deployed.dashboards),
    line('CloudWatch', 'trace', httpRequests * assumed.traceShare.value),
  ]
}

function databaseLines({ stage, instances }: Deployed, traffic: Traffic): readonly CostLine[] {
  if (stage.database.kind === 'existing') return []
  if (stage.database.kind === 'instance') {
    return [
      line('RDS', stage.database.instanceType, instances * hoursPerMonth),
      line('RDS', 'instanceStorage', stage.database.storageGb),
    ]
  }
  const { ioPerQuery, ioPerExport, databaseGb } = assumed
  return [
    line('Aurora', 'auroraUnit', instances * unitsOf(stage.database.minCapacity, traffic) * hoursPerMonth),
    line('Aurora', 'auroraStorage', databaseGb.value),
    line('Aurora', 'auroraIo', traffic.queries * ioPerQuery.value + traffic.exports * ioPerExport.value),
  ]
}

/** How many capacity units an instance has on average: readers follow the writer. */
function unitsOf(minCapacity: number, traffic: Traffic): number {
  const cores = databaseSeconds(traffic) / secondsPerMonth / assumed.databaseBusy.value
  return Math.max(minCapacity, cores / assumed.unitCores.value)
}

function standingLines({ natGateways, secrets, keys }: Deployed): readonly CostLine[] {
  return [
    line('NAT gateways', 'natHour', natGateways * hoursPerMonth),
    line('NAT gateways', 'addressHour', natGateways * hoursPerMonth),
    line('Secrets and keys', 'secret', secrets),
    line('Secrets and keys', 'key', keys),
  ]
}
