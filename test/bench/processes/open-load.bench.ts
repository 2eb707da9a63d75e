import { sendAtRate } from '../drive.ts'
import { type HttpConnection, openHttpConnection } from '../http-connection.ts'
import { quantile } from '../rounds.ts'

/** Requests that come at a rate, whether or not earlier ones were answered. */
export interface OpenLoad {
  readonly port: number
  readonly request: string
  readonly perSecond: number
  readonly milliseconds: number
}

/** The responses of one status. */
export interface StatusSample {
  readonly count: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export interface OpenSample {
  /** Requests that were sent in a second. */
  readonly offered: number
  /** The responses by status; 0 is a connection that was closed. */
  readonly statuses: Readonly<Record<string, StatusSample>>
}

/** Opened before the load begins, so that most requests need none. */
const openedBefore = 200

async function offer({ port, request, perSecond, milliseconds }: OpenLoad): Promise<OpenSample> {
  const free: HttpConnection[] = await Promise.all(Array.from({ length: openedBefore }, () => openHttpConnection(port)))
  const latencies = new Map<number, number[]>()
  const ask = async (): Promise<void> => {
    let began = performance.now()
    let status = 0
    try {
      const connection = free.pop() ?? (await openHttpConnection(port))
      began = performance.now()
      status = (await connection.send(request)).status
      free.push(connection)
    } catch {
      // Counted as status 0.
    }
    const known = latencies.get(status) ?? []
    latencies.set(status, known)
    known.push(performance.now() - began)
  }
  const { sent, seconds } = await sendAtRate(ask, perSecond, milliseconds)
  for (const { close } of free) close()
  const statuses = [...latencies].map(([status, times]): [string, StatusSample] => [
    String(status),
    { count: times.length, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) },
  ])
  return { offered: sent / seconds, statuses: Object.fromEntries(statuses) }
}

process.on('message', async (load: OpenLoad) => {
  process.send?.(await offer(load))
})
process.on('disconnect', () => process.exit())
