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
