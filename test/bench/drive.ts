import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from './rounds.ts'

/** The rate and latency of one stretch of load. */
export interface LoadSample {
  /** Responses per second. */
  readonly rate: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU time of this whole process per response, in microseconds. */
  readonly cpuMicros: number
}

/** Keeps `inFlight` calls going for so long; each next one starts when one has ended. */
export async function drive(call: () => Promise<unknown>, inFlight: number, milliseconds: number): Promise<LoadSample> {
  const latencies: number[] = []
  const began = performance.now()
  const cpu = process.cpuUsage()
  const callOn = async (): Promise<void> => {
    for (let now = performance.now(); now - began < milliseconds; ) {
      await call()
      const ended = performance.now()
      latencies.push(ended - now)
      now = ended
    }
  }
  await Promise.all(Array.from({ length: inFlight }, callOn))
  const used = process.cpuUsage(cpu)
  const seconds = (performance.now() - began) / 1000
  return {
    rate: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    cpuMicros: (used.user + used.system) / latencies.length,
  }
}

const tickMs = 2

/** Sends at a rate for so long, whether or not earlier requests were answered. Resolves when all were. */
export async function sendAtRate(
  send: (place: number) => Promise<void>,
  perSecond: number,
  milliseconds: number,
): Promise<{ readonly sent: number; readonly seconds: number }> {
  const pending = new Set<Promise<void>>()
  const began = performance.now()
  let sent = 0
  for (let passed = 0; passed < milliseconds; passed = performance.now() - began) {
    for (; sent < (passed * perSecond) / 1_000; sent += 1) {
      const answered: Promise<void> = send(sent).finally(() => pending.delete(answered))
      pending.add(answered)
    }
    await sleep(tickMs)
  }
  const seconds = (performance.now() - began) / 1_000
  await Promise.all(pending)
  return { sent, seconds }
}
