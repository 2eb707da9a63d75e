import { runScript } from './process.ts'

/** The output of `cold-start.mjs`: times since its process began, and the files of the module that it read. */
export interface ColdStart {
  /** When the module was loaded. */
  readonly readyMs: number
  /** Processor time until then, and until the response. */
  readonly cpuMs: number
  readonly totalCpuMs: number
  readonly responseMs: number
  /** The time of a request from a client that holds the response; with `REVALIDATE` alone. */
  readonly againMs?: number
  /** How many modules of Node itself were loaded. */
  readonly loaded: number
  readonly files: readonly string[]
  readonly bytes: number
  readonly status: number
  /** Empty without `PRINT_BODY`. */
  readonly body: string
}

/**
 * Loads the module of a function in a process of its own, and passes it `event`. Without an event it only loads,
 * without a module it does nothing.
 */
export const startCold = (
  env: Readonly<Record<string, string>>,
  file?: string,
  event?: object,
  authority?: string,
): Promise<ColdStart> => {
  const args = [file, event && JSON.stringify(event), authority].filter((argument) => argument !== undefined)
  return runScript(new URL('./cold-start.mjs', import.meta.url), args, { env })
}
