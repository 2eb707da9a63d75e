import { afterEach } from 'vitest'

const isLogLine = (chunk: unknown): chunk is string => typeof chunk === 'string' && /^\{"(level|_aws)"/.test(chunk)

/** The lines that the service has logged since the last test began. */
let lines: string[] = []

for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream)
  stream.write = ((...args: Parameters<typeof write>) =>
    isLogLine(args[0]) ? lines.push(args[0]) > 0 : write(...args)) as typeof write
}

// A test that passes is quiet; what the service logged belongs to a failure.
afterEach(({ task }) => {
  if (task.result?.state === 'fail' && lines.length > 0) process.stderr.write(`The service logged:\n${lines.join('')}`)
  lines = []
})
