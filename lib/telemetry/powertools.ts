import { Console } from 'node:console'
import { LogFormatter, Logger, LogItem } from '@aws-lambda-powertools/logger'
import type { LogAttributes, UnformattedAttributes } from '@aws-lambda-powertools/logger/types'

export type Level = 'info' | 'warn' | 'error'

/** Writes a line of this level to stdout, or to stderr where it is a warning or an error. Never throws. */
export type Printer = (level: Level, message: string, fields: Readonly<Record<string, unknown>>) => void

// Powertools takes classes. What it does without them, merging every object anew and asking for every value whether it
// is an Error, makes a line cost three times as much.

class FlatFormatter extends LogFormatter {
  override formatAttributes(
    { logLevel: level, message, timestamp, serviceName: service, xRayTraceId: trace_id }: UnformattedAttributes,
    fields: LogAttributes,
  ): LogItem {
    return new LogItem({
      attributes: { level, message, timestamp: timestamp.toISOString(), service, ...fields, trace_id },
    })
  }
}

class PlainLogger extends Logger {
  // Not the process's own, whose lines Lambda wraps in JSON of its own.
  readonly #console = new Console(process.stdout, process.stderr)

  protected override printLog(_: number, item: LogItem): void {
    const line = item.getAttributes()
    this.#console[line['level'] === 'INFO' ? 'info' : 'error'](JSON.stringify(line))
  }
}

/** A printer of lines as JSON, by the logger of Powertools. */
export function createPrinter(serviceName: string): Printer {
  // Levels are judged before; Lambda's own setting is INFO.
  const logger = new PlainLogger({ serviceName, logLevel: 'INFO', logFormatter: new FlatFormatter() })
  return (level, message, fields) => {
    try {
      logger[level](message, { ...fields })
    } catch {
      logger[level](message, toPrintable(fields))
    }
  }
}

/** The fields that can be printed and the names of the others: a line that says less is worth more than none. */
function toPrintable(fields: Readonly<Record<string, unknown>>): LogAttributes {
  const printable = Object.entries(fields).filter(([, value]) => isPrintable(value))
  const known = Object.fromEntries(printable)
  return { ...known, unprintable: Object.keys(fields).filter((name) => !Object.hasOwn(known, name)) }
}

function isPrintable(value: unknown): boolean {
  try {
    JSON.stringify(value)
    return true
  } catch {
    return false
  }
}
