import { createServer } from 'node:net'
import { localDirectory } from './local-directory.ts'
import { flightSamples } from './seed.ts'
import { startStack } from './stack.ts'
import { runningStack } from './start-lock.ts'
import { readStartOptions, type StartOptions, startUsage } from './start-options.ts'
import { tryNext } from './try-next.ts'

const began = performance.now()
const directory = localDirectory()
const ends: (() => Promise<void> | void)[] = []
let stopping: Promise<void> | undefined

const report = (line: string) =>
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${line}`)

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

async function endAll(): Promise<void> {
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
    try {
      await end()
    } catch (error) {
      console.error(messageOf(error))
    }
  }
}

/** Ends everything once, however often it is called, and then the process. */
function stop(exitCode: number, line?: string): void {
  if (stopping !== undefined) return
  if (line !== undefined) console.error(line)
  stopping = endAll().then(() => process.exit(exitCode))
}

function onStop(end: () => Promise<void> | void): void {
  ends.push(end)
  if (stopping === undefined) return
  // A part that had just been starting when the stop came.
  void endAll()
  throw new Error('stopped while starting')
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })

function optionsOrExit(): StartOptions {
  try {
    return readStartOptions(process.argv.slice(2), process.env['PORT'] || undefined)
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${startUsage}`)
    return process.exit(1)
  }
}

const options = optionsOrExit()
const other = runningStack(directory)
if (other !== undefined) {
  console.error(`Table Control is already running on ${directory} (process ${other}): stop it with Ctrl-C there first.`)
  process.exit(1)
}
if (!(await isFree(options.port))) {
  console.error(`Port ${options.port} is taken: choose another one, such as PORT=${options.port + 1} npm start`)
  process.exit(1)
}
