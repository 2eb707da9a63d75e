import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** The figures of a process that Linux keeps. */
export interface ProcessFigures {
  /** Processor time of the process since its start. */
  readonly cpuMs: number
  /** The same of its children that have ended. */
  readonly endedCpuMs: number
  readonly parent: number
  /** Resident memory that it shares with no other process. */
  readonly megabytes: number
  readonly descriptors: number
}

const tickMs = 10
const none: ProcessFigures = { cpuMs: Number.NaN, endedCpuMs: 0, parent: 0, megabytes: Number.NaN, descriptors: 0 }

/** Whether the system tells such figures: Linux does. */
export const hasProcessFigures = (): boolean => existsSync('/proc/self/stat')

/** Reads the figures of a process that runs. */
export function readProcess(pid: number): ProcessFigures {
  const directory = `/proc/${pid}`
  if (!existsSync(`${directory}/stat`)) return none
  // The name of the process, in brackets, may have spaces.
  const fields = readFileSync(`${directory}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  const ticks = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) * tickMs
  const resident = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`${directory}/status`, 'utf8'))?.[1]
  return {
    cpuMs: ticks(11),
    endedCpuMs: ticks(13),
    parent: Number(fields[1]),
    megabytes: Number(resident ?? 0) / 1_024,
    descriptors: readdirSync(`${directory}/fd`).length,
  }
}
