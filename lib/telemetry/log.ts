import type { Config } from '../config.ts'
import type { Level, Printer } from './powertools.ts'

export type LogSettings = Pick<Config, 'SERVICE_NAME' | 'LOG_LEVEL' | 'LOG_MESSAGES' | 'METRICS_NAMESPACE'>

const ranks = { info: 1, warn: 2, error: 3, silent: 4 } as const satisfies Record<Config['LOG_LEVEL'], number>

/** The settings of a process whose own settings could not be read, so that the log can report it. */
let settings: LogSettings = {
  SERVICE_NAME: 'table_control',
  LOG_LEVEL: 'info',
  LOG_MESSAGES: 'safe',
  METRICS_NAMESPACE: 'TableControl',
}

let print: Printer | undefined
let loading: Promise<void> | undefined
let waiting: Parameters<Printer>[] = []

/**
 * Gives the log of this process its settings and begins to load the logger, which takes some milliseconds: not before
 * the first request has sent off what it waits for.
 */
export function beginLog(given: LogSettings): void {
  settings = given
  if (given.LOG_LEVEL !== 'silent') load()
}

/** The settings of the log of this process. */
export const logSettings = (): LogSettings => settings

/** Whether lines of this level are written at all. */
export const isLogged = (level: Level): boolean => ranks[level] >= ranks[settings.LOG_LEVEL]

/** Writes a line, as soon as the logger is loaded. Fields are written unchanged. Never throws. */
export function log(level: Level, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
  if (!isLogged(level)) return
  if (print === undefined) {
    waiting.push([level, message, fields])
    load()
  } else print(level, message, fields)
}

/** Returns the name of what was thrown, for a field of a line: a message may hold the data of a caller. */
export const errorName = (thrown: unknown): string => (thrown instanceof Error ? thrown.name : typeof thrown)

/**
 * Resolves when every line is written; `undefined` where none waits. A function that has answered may be frozen for
 * ever.
 */
export const flushLog = (): Promise<void> | undefined => (waiting.length === 0 ? undefined : loading)

function load(): void {
  loading ??= import('./powertools.ts')
    .then(({ createPrinter }) => {
      print = createPrinter(settings.SERVICE_NAME)
    })
    .catch((error: unknown) => {
      // The response must not fail because its line cannot be written.
      console.error('The logger could not be loaded', error)
      print = () => {}
    })
    .then(() => {
      const lines = waiting
      waiting = []
      for (const line of lines) print?.(...line)
    })
}
