import { vi } from 'vitest'

export interface RecordedLog {
  readonly text: () => string
  // biome-ignore lint/suspicious/noExplicitAny: tests read into lines whose shape is what they assert
  readonly lines: () => readonly any[]
  /** Forgets what was written, and tells it. */
  readonly take: () => string
  readonly restore: () => void
}

/** Records what is written to stdout and stderr, in place of both, until they are restored. Loads no logger. */
export function recordStreams(): RecordedLog {
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
    take: () => {
      const taken = text()
      written = []
      return taken
    },
    restore: () => {
      for (const spy of spies) spy.mockRestore()
    },
  }
}
