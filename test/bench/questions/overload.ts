import type { LoadSample } from '../drive.ts'
import { atMost, type Figure, type Question } from '../figure.ts'
import { indexedRequest } from '../flights-request.ts'
import { requestText } from '../http-connection.ts'
import { environment, token } from '../installation.ts'
import { askProcess, nextMessage, startProcess as start } from '../process.ts'
import type { OpenLoad, OpenSample } from '../processes/open-load.bench.ts'
import { median } from '../rounds.ts'
import { putLoad } from '../server-load.ts'

const connections = 8
const inFlight = 8
const overloadFactor = 3
const overloadMs = 6_000
const normalMs = 3_000
const windowMs = 500
const maxWindows = 20

const findAccepted = ({ statuses }: OpenSample) => statuses['200'] ?? { count: 0, p50Ms: Number.NaN, p99Ms: Number.NaN }

const describeStatuses = ({ statuses }: OpenSample): string =>
  Object.entries(statuses)
    .map(
      ([status, { count, p50Ms, p99Ms }]) =>
        `${count} x ${status} (p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)} ms)`,
    )
    .join(', ')

interface Loads {
  /** Keeps so many requests in flight. */
  readonly drive: (milliseconds: number) => Promise<LoadSample>
  /** Sends at a rate, whether or not earlier requests were answered. */
  readonly offer: (perSecond: number, milliseconds: number) => Promise<OpenSample>
}

async function measure({ drive, offer }: Loads): Promise<readonly Figure[]> {
  await drive(4_000)
  const capacity = median([await drive(1_500), await drive(1_500), await drive(1_500)].map(({ rate }) => rate))
  const normal = await offer(capacity / 2, normalMs)
  const { p99Ms } = findAccepted(normal)
  const overloaded = await offer(capacity * overloadFactor, overloadMs)
  let recoveryMs = 0
  for (let window = 0; window < maxWindows; window += 1) {
    const sample = await offer(capacity / 2, windowMs)
    if (Object.keys(sample.statuses).join() === '200' && findAccepted(sample).p99Ms <= 2 * p99Ms) break
    recoveryMs += windowMs
  }
  const served = findAccepted(overloaded)
  const refused = Object.entries(overloaded.statuses).filter(([status]) => status !== '200')
  const isExpected = refused.every(([status]) => status === '429' || status === '503')
  const slowest = Math.max(0, ...refused.map(([, { p99Ms: ms }]) => ms))
  const beside = (ms: number) => `${(ms / p99Ms).toFixed(1)} x (${ms.toFixed(1)} ms)`
  return [
    { name: `rate, ${inFlight} in flight`, measured: `${capacity.toFixed(0)}/s` },
    { name: 'half of it, one after the other', measured: describeStatuses(normal) },
    {
      name: `${overloadFactor} times of it`,
      measured: `${overloaded.offered.toFixed(0)}/s: ${describeStatuses(overloaded)}`,
    },
    atMost('p99 of what is accepted, beside half the load', served.p99Ms / p99Ms, 3, beside(served.p99Ms), ' x'),
    atMost('p99 of a refusal, beside a page at half the load', slowest / p99Ms, 3, beside(slowest), ' x'),
    { name: 'refusals are 429 or 503', measured: isExpected ? 'all' : 'not all', target: 'all', met: isExpected },
    {
      name: 'accepted while overloaded, beside the rate',
      measured: `${(served.count / (overloadMs / 1_000) / capacity || 0).toFixed(2)} x`,
    },
    atMost('until pages are as before', recoveryMs / 1_000, 3, `${recoveryMs / 1_000} s`, ' s'),
  ]
}

/** The local service beyond its capacity. */
export const overload: Question = {
  id: 'overload',
  asks: 'What becomes of three times the requests that the local service can answer?',
  method: `The local gateway with its functions in a process of its own with ${connections} connections to the database, and one process that puts load on it: first ${inFlight} requests in flight, whose rate is the capacity; then requests at half of that rate, whether or not earlier ones were answered; then at ${overloadFactor} times the rate for ${overloadMs / 1_000} s; then half of it again in steps of ${windowMs / 1_000} s until p99 is at most twice what it was. Latency counts from the sending.`,
  measure: async (bench) => {
    const caller = token()
    bench.report('starting the servers')
    const server = start('gateway', ['limited'], environment(bench, connections))
    const closedLoad = start('http-load', [], {})
    const openLoad = start('open-load', [], {})
    try {
      const port = await nextMessage<number>(server)
      const request = requestText(indexedRequest, caller)
      return await measure({
        drive: (milliseconds) => putLoad(closedLoad, { port, requests: [request], inFlight, milliseconds }),
        offer: (perSecond, milliseconds) =>
          askProcess(openLoad, { port, request, perSecond, milliseconds } satisfies OpenLoad),
      })
    } finally {
      for (const child of [server, closedLoad, openLoad]) child.disconnect()
    }
  },
}
