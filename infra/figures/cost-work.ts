import type { FunctionName } from '../settings/function-settings.ts'
import { assumed, exportRows, maxAttachedBytes, measured, secondsPerMonth, type Traffic } from './cost-inputs.ts'
import type { Deployed } from './cost-template.ts'

/** How often a function is called in a month, and how long one call takes in it. */
export interface Calls {
  readonly name: FunctionName
  readonly calls: number
  readonly seconds: number
}

/** The memory at which Lambda gives a function one whole core. */
const coreMb = 1_769

/** Of a function's memory follows its part of a core; more than one core helps no function of ours. */
const share = (memoryMb: number): number => Math.min(memoryMb / coreMb, 1)

const bytesOfExport = exportRows * measured.reportBytesPerRow.value

/** What one query-table takes, with its part of the cold starts: CPU at the function's share of a core, and waiting. */
function querySeconds(memoryMb: number): number {
  const { queryMs, queryCpuMs, coldMs } = measured
  const waitedMs = queryMs.value - queryCpuMs.value + assumed.roundTripMs.value
  const warmMs = Math.ceil(waitedMs + queryCpuMs.value / share(memoryMb))
  return (warmMs + (assumed.coldShare.value * coldMs.value) / share(memoryMb)) / 1_000
}

const exportSeconds = (memoryMb: number): number =>
  exportRows / measured.reportRowsPerSecond.value / share(memoryMb) + assumed.jobSeconds.value

/** How often each function is called in a month of this traffic, and for how long. */
export function callsOf({ memoryMb }: Deployed, { queries, exports, sockets }: Traffic): readonly Calls[] {
  const connects = (sockets * secondsPerMonth) / assumed.socketSeconds.value
  const actionSeconds = (assumed.actionRoundTrips.value * assumed.roundTripMs.value + 5) / 1_000
  const socketSeconds = assumed.socketCallMs.value / 1_000
  return [
    { name: 'query-table', calls: queries, seconds: querySeconds(memoryMb['query-table']) },
    { name: 'bulk-table-action', calls: exports, seconds: actionSeconds },
    { name: 'job-status', calls: exports * assumed.pollsPerExport.value, seconds: socketSeconds },
    { name: 'report-worker', calls: exports, seconds: exportSeconds(memoryMb['report-worker']) },
    { name: 'socket-connect', calls: connects, seconds: socketSeconds },
    { name: 'socket-disconnect', calls: connects, seconds: socketSeconds },
    { name: 'socket-message', calls: pingsOf(sockets), seconds: 0.002 },
    { name: 'sweep', calls: secondsPerMonth / 60, seconds: assumed.sweepMs.value / 1_000 },
  ]
}

const pingsOf = (sockets: number): number => (sockets * secondsPerMonth) / assumed.pingSeconds.value

/** What passes the gateways, the queue, the storage and the mail in a month of this traffic. */
export function passed({ queries, exports, sockets }: Traffic) {
  const mailed = bytesOfExport <= maxAttachedBytes
  const mailGb = mailed ? (exports * bytesOfExport * assumed.mailOverhead.value) / 1e9 : 0
  return {
    httpRequests: queries + exports * (1 + assumed.pollsPerExport.value),
    /** Each ping is answered. */
    socketMessages: 2 * pingsOf(sockets) + exports * assumed.pushesPerExport.value,
    socketMinutes: (sockets * secondsPerMonth) / 60,
    /** Sent, received and deleted, besides the polling that a queue without messages costs too. */
    queueRequests: exports * 3 + assumed.pollingRequests.value,
    mails: exports,
    mailGb,
    storedGb: mailed ? 0 : (exports * bytesOfExport) / 1e9,
    storedFiles: mailed ? 0 : exports,
    pageGb: (queries * measured.queryBytes.value) / 1e9,
  }
}

/** How many seconds of a core the database works in a month of this traffic. */
export function databaseSeconds({ queries, exports }: Traffic): number {
  const perExport = exportRows / measured.reportDatabaseRowsPerSecond.value
  return (queries * measured.queryDatabaseCpuMs.value) / 1_000 + exports * perExport
}
