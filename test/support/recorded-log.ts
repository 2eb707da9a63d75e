import { setImmediate } from 'node:timers/promises'
import { vi } from 'vitest'
import { beginLog, logSettings } from '../../lib/telemetry/log.ts'

// Otherwise lines are written as soon as the logger is loaded, which may be when a test is over.
beginLog(logSettings())
await import('../../lib/telemetry/powertools.ts')
await setImmediate()

export interface RecordedLog {
  readonly text: () => string
  // biome-ignore lint/suspicious/noExplicitAny: tests read into lines whose shape is what they assert
  readonly lines: () => readonly any[]
  /** Forgets what was written, and tells it. */
  readonly taken: () => string
  readonly restore: () => void
}

/** Records what the service writes to its log, in place of stdout and stderr, until it is restored. */
export function recordLog(): RecordedLog {
  let written: string[] = []
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((chunk: unknown) => written.push(String(chunk)) > 0),
  )
  const text = () => written.join('')
  return {
    text,
    lines: () =>
      text()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line)),
    taken: () => {
      const taken = text()
      written = []
      return taken
    },
    restore: () => {
      for (const spy of spies) spy.mockRestore()
    },
  }
}
