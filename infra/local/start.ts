import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'
import { postgresBinaries } from './database/postgres-binaries.ts'
import { errorMessage } from './error-message.ts'
import { isFreePort } from './free-port.ts'
import { createLifecycle } from './lifecycle.ts'
import { localDirectory } from './local-directory.ts'
import { runningStack } from './start-lock.ts'
import { readStartOptions, type StartOptions, startUsage } from './start-options.ts'
import { tryNext } from './try-next.ts'

function refuse(line: string): never {
  console.error(line)
  process.exit(1)
}

function readOptions(): StartOptions {
  try {
    const options = readStartOptions(process.argv.slice(2), process.env)
    if (options !== undefined) return options
    console.log(startUsage)
    process.exit(0)
  } catch (error) {
    return refuse(`${errorMessage(error)}\n\n${startUsage}`)
  }
}

async function run(options: StartOptions, directory: string): Promise<void> {
  const began = performance.now()
  const report = (line: string) =>
    console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${line}`)
  const { onStop, stop, starting } = createLifecycle()
  let ready = false
  // A program that waits for the stack must not go on if the stack never became ready.
  const exitCode = () => (ready ? 0 : 130)
  // A terminal sends Ctrl-C to npm and to this process, and npm passes it on: the second one changes nothing.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(exitCode()))
  // Otherwise a line to a closed output is an uncaught exception, which prints a line, and so on without end.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => stop(exitCode()))

  process.on('uncaughtException', (error) => {
    // Lambda would replace the one environment that crashed; here the others live in the same process.
    if (ready) console.error('A function crashed:', error)
    else stop(1, `Table Control could not start: ${errorMessage(error)}`)
  })
  try {
    if (!process.env['DATABASE_URL']) postgresBinaries()
    // A start that is refused goes without all that the stack consists of.
    const { startStack } = await import('./stack.ts')
    const stack = startStack(options, { directory, report, onStop, onLoss: (reason) => stop(1, reason) })
    starting(stack)
    const facts = await stack
    report('ready')
    console.log(tryNext(facts))
    ready = true
  } catch (error) {
    stop(1, `Table Control could not start: ${errorMessage(error)}`)
  }
}

// Half of a start is the compilation of modules, which do not change between starts.
enableCompileCache(resolve(import.meta.dirname, '../../node_modules/.cache/compile'))
const options = readOptions()
const directory = localDirectory()
const other = runningStack(directory)
if (other !== undefined)
  refuse(`Table Control is already running on ${directory} (process ${other}); Ctrl-C there stops it.`)
if (!(await isFreePort(options.port))) {
  refuse(`Port ${options.port} is taken. Choose another one: PORT=${Math.min(options.port + 1, 65_535)} npm start`)
}
await run(options, directory)
