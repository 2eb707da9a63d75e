import type { ChildProcess } from 'node:child_process'
import type { LoadSample } from './drive.ts'
import { askProcess } from './process.ts'
import { readProcess } from './process-figures.ts'
import type { HttpLoad } from './processes/http-load.bench.ts'

/** Lets the process of `http-load` put load on a server. */
export const putLoad = (load: ChildProcess, work: HttpLoad): Promise<LoadSample> => askProcess(load, work)

/** The load of a server, with the processor time of its process for each response. */
export interface ServerSample extends LoadSample {
  readonly serverCpuMicros: number
}

/** Puts load on a server and reads the processor time of its process. */
export async function measureServer(pid: number, load: ChildProcess, work: HttpLoad): Promise<ServerSample> {
  const before = readProcess(pid).cpuMs
  const sample = await putLoad(load, work)
  const usedMs = readProcess(pid).cpuMs - before
  return { ...sample, serverCpuMicros: (usedMs * 1_000) / ((sample.rate * work.milliseconds) / 1_000) }
}
