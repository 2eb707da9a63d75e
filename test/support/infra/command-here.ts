import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'
import type { CommandResult } from '../stack/run-command.ts'

const project = resolve(import.meta.dirname, '../../..')

export interface CommandOptions {
  /** The working directory; default the project. */
  readonly directory?: string
  /** All variables that the command sees, beside PATH and the folder of temporary files. */
  readonly environment?: Readonly<Record<string, string>>
}

let runs = 0
let last: Promise<unknown> = Promise.resolve()

/**
 * Runs a script of the project as `node <file> <args>` does, but in this process, which has loaded most of its modules
 * already: a process of its own takes a second of a processor. One at a time, because a script sees the whole process.
 */
export function runHere(file: string, args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const run = last.then(() => evaluate(join(project, file), args, options))
  last = run.catch(() => undefined)
  return run
}

async function evaluate(file: string, args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const { directory = project, environment = {} } = options
  const { argv: ownArgv, env, exitCode } = process
  const { log, error } = console
  const before = process.cwd()
  const printed = { out: '', err: '' }
  const { PATH = '', TMPDIR = '' } = env
  const argv = [process.execPath, file, ...args]
  Object.assign(process, { argv, env: { PATH, TMPDIR, ...environment }, exitCode: 0 })
  console.log = (...parts) => {
    printed.out += `${format(...parts)}\n`
  }
  console.error = (...parts) => {
    printed.err += `${format(...parts)}\n`
  }
  try {
    process.chdir(directory)
    runs += 1
    // A module runs once for each address that it is imported by.
    await import(/* @vite-ignore */ `${pathToFileURL(file).href}?run=${runs}`)
    return { exitCode: Number(process.exitCode), stdout: printed.out, stderr: printed.err }
  } finally {
    process.chdir(before)
    Object.assign(process, { argv: ownArgv, env, exitCode })
    Object.assign(console, { log, error })
  }
}
