const isLogLine = (chunk: unknown): chunk is string => typeof chunk === 'string' && /^\{"(level|_aws)"/.test(chunk)

let lines: string[] = []

// Once per process: a worker runs several files, and each of them runs the setup file anew.
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream)
  stream.write = ((...args: Parameters<typeof write>) =>
    isLogLine(args[0]) ? lines.push(args[0]) > 0 : write(...args)) as typeof write
}

/** Returns what the service of this process has logged since the last call, which is printed nowhere else. */
export function takeLog(): string {
  const taken = lines.join('')
  lines = []
  return taken
}
