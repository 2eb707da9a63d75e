import { setTimeout as sleep } from 'node:timers/promises'
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

const tickMs = 2
/** Opened before the load begins, so that most requests need none. */
const openedBefore = 200

async function offer({ port, request, perSecond, milliseconds }: OpenLoad): Promise<OpenSample> {
  const free: HttpConnection[] = await Promise.all(Array.from({ length: openedBefore }, () => openHttpConnection(port)))
  const latencies = new Map<number, number[]>()
  const pending = new Set<Promise<void>>()
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
  const began = performance.now()
  let sent = 0
  for (let passed = 0; passed < milliseconds; passed = performance.now() - began) {
    for (; sent < (passed * perSecond) / 1_000; sent += 1) {
      const asked: Promise<void> = ask().finally(() => pending.delete(asked))
      pending.add(asked)
    }
    await sleep(tickMs)
  }
  const seconds = (performance.now() - began) / 1_000
  await Promise.all(pending)
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
