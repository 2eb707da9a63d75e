import type { FunctionName } from '../settings/function-settings.ts'
import type { DeployedStage } from './cost-template.ts'
import { prices } from './prices.ts'

/** The work of a stage in a month. */
export interface Traffic {
  readonly queries: number
  /** Reports of `exportRows` rows, each sent as one mail. */
  readonly exports: number
  /** WebSockets that are open all the time, each for a page with live rows. */
  readonly sockets: number
}

export const idle: Traffic = { queries: 0, exports: 0, sockets: 0 }

export const multiplyTraffic = ({ queries, exports, sockets }: Traffic, factor: number): Traffic => ({
  queries: queries * factor,
  exports: exports * factor,
  sockets: sockets * factor,
})

/** Figures of test/bench/README.md: one core of a machine with two, on which Postgres and clients ran as well. */
const measured = {
  queryWaitMs: 0.446,
  queryCpuMs: 0.328,
  queryDatabaseCpuMs: 0.418,
  /** A page as JSON, which the rows of the database do not exceed. */
  queryJsonBytes: 25_844,
  /** The same page as it is sent, by Brotli. */
  querySentBytes: 1_399,
  coldStartMs: 145.5,
  reportRowsPerSecond: 134_000,
  reportDatabaseRowsPerSecond: 506_000,
  reportBytesPerRow: 59.7,
} as const

/** Guesses on the expensive side: they were not measured in an account yet. */
export const assumed = {
  roundTripMs: 1,
  coldStartShare: 0.01,
  /** The busiest second beside the mean of a month. */
  peakFactor: 10,
  /** The work of a job beside its rows: claims, SES, pushes. */
  jobSeconds: 0.5,
  shortCallMs: 5,
  socketMessageMs: 20,
  sweepMs: 30,
  pollsPerExport: 3,
  pushesPerExport: 6,
  logBytesPerCall: 1_550,
  headerBytesPerCall: 1_000,
  idleMetrics: 40,
  databaseGb: 20,
  /** Cores of a capacity unit of 2 GiB, as instances with 8 GiB a core. */
  coresPerUnit: 0.25,
  /** Above it, statements wait for each other. */
  maxDatabaseLoad: 0.7,
  /** As the client of functions/README.md does. */
  pingSeconds: 300,
  /** API Gateway ends every connection after two hours. */
  socketSeconds: 7_200,
  /** Lambda's five pollers of an empty queue, 20 seconds each. */
  pollsOfQueue: 657_000,
  /** Base64 with its line ends. */
  mailOverhead: 78 / 57,
} as const

const exportRows = 100_000
const hoursPerMonth = 730
export const secondsPerMonth = hoursPerMonth * 3_600

/** The memory at which Lambda gives a function one whole core. */
const coreMb = 1_769

export interface FunctionCalls {
  readonly name: FunctionName
  readonly calls: number
  /** Duration of one call. */
  readonly seconds: number
}

/** Returns how often each function is called in a month of this traffic, and for how long. */
export function monthlyCalls(
  { memoryMb }: DeployedStage,
  { queries, exports, sockets }: Traffic,
): readonly FunctionCalls[] {
  const cores = (name: FunctionName) => Math.min(memoryMb[name] / coreMb, 1)
  const cpuMs = (measured.queryCpuMs + assumed.coldStartShare * measured.coldStartMs) / cores('query-table')
  const queryMs = measured.queryWaitMs + assumed.roundTripMs + cpuMs
  const reportSeconds = exportRows / measured.reportRowsPerSecond / cores('report-worker') + assumed.jobSeconds
  const short = assumed.shortCallMs / 1_000
  const connects = (sockets * secondsPerMonth) / assumed.socketSeconds
  return [
    { name: 'query-table', calls: queries, seconds: queryMs / 1_000 },
    { name: 'bulk-table-action', calls: exports, seconds: 2 * short },
    { name: 'job-status', calls: exports * assumed.pollsPerExport, seconds: short },
    { name: 'report-worker', calls: exports, seconds: reportSeconds },
    { name: 'socket-connect', calls: connects, seconds: short },
    { name: 'socket-disconnect', calls: connects, seconds: short },
    { name: 'socket-ping', calls: monthlyPings(sockets), seconds: assumed.socketMessageMs / 1_000 },
    { name: 'sweep', calls: secondsPerMonth / 60, seconds: assumed.sweepMs / 1_000 },
  ]
}

const monthlyPings = (sockets: number): number => (sockets * secondsPerMonth) / assumed.pingSeconds

export const monthlyHttpRequests = ({ queries, exports }: Traffic): number =>
  queries + exports * (1 + assumed.pollsPerExport)

/** Returns how many seconds of a core the database works in a month of this traffic. */
export const databaseSeconds = ({ queries, exports }: Traffic): number =>
  (queries * measured.queryDatabaseCpuMs) / 1_000 + (exports * exportRows) / measured.reportDatabaseRowsPerSecond

/** X-Ray records the first call of each second of a function, and 5 % of the others. */
export function tracedCalls(calls: number): number {
  const perSecond = calls / secondsPerMonth
  const first = 1 - Math.exp(-perSecond)
  return secondsPerMonth * (first + 0.05 * (perSecond - first))
}

/** Returns what a stage costs in a month of this traffic, in US dollars, by part. */
export function monthlyCosts(deployed: DeployedStage, traffic: Traffic): Readonly<Record<string, number>> {
  const calls = monthlyCalls(deployed, traffic)
  const callCount = calls.reduce((sum, one) => sum + one.calls, 0)
  const gbSeconds = calls.reduce((sum, one) => sum + (one.calls * one.seconds * deployed.memoryMb[one.name]) / 1_024, 0)
  // The calls by the clock are the same in an idle month, whose traces are within AWS's own.
  const traces = calls.filter(({ name }) => name !== 'sweep').reduce((sum, one) => sum + tracedCalls(one.calls), 0)
  const mailGb = (traffic.exports * exportRows * measured.reportBytesPerRow * assumed.mailOverhead) / 1e9
  const readGb = (traffic.queries * measured.queryJsonBytes) / 1e9
  const sentGb = (traffic.queries * (measured.querySentBytes + assumed.headerBytesPerCall)) / 1e9
  const messages = 2 * monthlyPings(traffic.sockets) + traffic.exports * assumed.pushesPerExport
  const socketMinutes = (traffic.sockets * secondsPerMonth) / 60
  return {
    Database: databaseCosts(deployed, traffic, readGb + mailGb),
    'NAT gateways':
      deployed.natGateways * hoursPerMonth * (prices.natHour + prices.publicAddressHour) +
      (deployed.natGateways > 0 ? mailGb * prices.natGb : 0),
    'Logs, metrics, alarms':
      ((callCount * assumed.logBytesPerCall) / 1e9) * prices.logGb +
      assumed.idleMetrics * prices.metric +
      deployed.alarmMetrics * prices.alarmMetric +
      deployed.dashboards * prices.dashboard,
    Traces: traces * prices.trace,
    Lambda: callCount * prices.lambdaRequest + gbSeconds * prices.lambdaGbSecond,
    'HTTP API': monthlyHttpRequests(traffic) * prices.httpRequest,
    'WebSocket API': messages * prices.socketMessage + socketMinutes * prices.socketMinute,
    Mails: traffic.exports * prices.mail + mailGb * prices.mailAttachmentGb,
    'Transfer to the internet': (sentGb + mailGb) * prices.transferOutGb,
    'Queue, secrets, keys':
      (assumed.pollsOfQueue + traffic.exports * 3) * prices.sqsRequest +
      deployed.secrets * prices.secret +
      deployed.keys * prices.key,
  }
}

export const totalCosts = (costs: Readonly<Record<string, number>>): number =>
  Object.values(costs).reduce((sum, usd) => sum + usd, 0)

/** Database with one copy of it as backups beyond the free ones, and its traffic to functions in another zone. */
function databaseCosts({ stage: { database }, instances }: DeployedStage, traffic: Traffic, gb: number): number {
  if (database.kind === 'existing') return 0
  const crossing = gb * 2 * prices.otherZoneGb
  if (database.kind === 'instance') {
    const storage = database.storageGb * (prices.instanceGb + prices.instanceBackupGb)
    return crossing + storage + instances * prices[database.instanceType] * hoursPerMonth
  }
  const cores = databaseSeconds(traffic) / secondsPerMonth / assumed.maxDatabaseLoad
  // Readers grow with the writer.
  const units = Math.max(database.minCapacity, cores / assumed.coresPerUnit)
  const storage = assumed.databaseGb * (prices.auroraGb + prices.auroraBackupGb)
  return crossing + storage + instances * units * prices.auroraUnitHour * hoursPerMonth
}
