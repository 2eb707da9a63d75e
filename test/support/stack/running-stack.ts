import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { StackFacts } from '../../../infra/local/stack-facts.ts'
import { runHere } from '../infra/command-here.ts'

const project = resolve(import.meta.dirname, '../../..')
const run = promisify(execFile)

export interface StackCommand {
  /** Everything that was printed so far. */
  readonly output: () => string
  /** Resolves when a line holds this text; rejects when the command ends before. */
  readonly printed: (text: string) => Promise<void>
  /** The content of stack.json, once it is there; rejects when the command ends before. */
  readonly ready: () => Promise<StackFacts>
  /** Sends SIGINT to npm and to all processes that it started, as Ctrl-C in a terminal does. */
  readonly interrupt: () => void
  /** Closes the pipes that the command prints to, as a closed terminal does that sends no signal. */
  readonly closeOutput: () => void
  readonly exitCode: Promise<number | null>
}

type Start = (port: number, ...args: readonly string[]) => StackCommand

export interface StackWorkspace {
  readonly directory: string
  /** Starts a stack by `npm start`. */
  readonly start: Start
  /** Starts it by the script behind `npm start`, without npm, which takes a third of a second of a processor. */
  readonly startDirectly: Start
  /** Returns what `npm run --silent token` prints for these arguments. */
  readonly token: (...args: readonly string[]) => Promise<string>
  readonly shell: (line: string) => Promise<string>
  /** The processes that still work on the directory, as `ps` shows them. */
  readonly leftOvers: () => Promise<readonly string[]>
  readonly remove: () => Promise<void>
}

/**
 * A place for a stack of its own, to be started by the very commands of the README; with `variables` set, if need be.
 */
export async function stackWorkspace(variables: Readonly<Record<string, string>> = {}): Promise<StackWorkspace> {
  const directory = await mkdtemp(join(tmpdir(), 'table-control-e2e-'))
  const { DATABASE_URL: _, ...inherited } = process.env
  const env = { ...inherited, ...variables, LOCAL_DIRECTORY: directory }
  const started: ChildProcess[] = []
  const leftOvers = async () => {
    const { stdout } = await run('ps', ['-eo', 'pid,args'])
    return stdout.split('\n').filter((line) => line.includes(directory))
  }
  const startBy = (file: string, args: readonly string[], port: number) => {
    const child = spawn(file, args, { cwd: project, env: { ...env, PORT: String(port) }, detached: true })
    started.push(child)
    return watchCommand(child, directory)
  }
  return {
    directory,
    start: (port, ...args) => startBy('npm', ['start', ...(args.length > 0 ? ['--', ...args] : [])], port),
    startDirectly: (port, ...args) => startBy(process.execPath, ['infra/local/start.ts', ...args], port),
    token: async (...args) => {
      const environment = { LOCAL_DIRECTORY: directory }
      const { exitCode, stdout, stderr } = await runHere('infra/local/token.ts', args, { environment })
      if (exitCode !== 0) throw new Error(stderr)
      return stdout.trim()
    },
    shell: async (line) => (await run('sh', ['-c', line], { cwd: project, env })).stdout,
    leftOvers,
    remove: async () => {
      for (const child of started) signalGroup(child, 'SIGKILL')
      while ((await leftOvers()).length > 0) await sleep(50)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function watchCommand(child: ChildProcess, directory: string): StackCommand {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const until = async (met: () => boolean) => {
    while (!met()) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`npm start has ended:\n${output}`)
      await sleep(20)
    }
  }
  const file = join(directory, 'stack.json')
  return {
    output: () => output,
    printed: (text) => until(() => output.includes(text)),
    ready: async () => {
      await until(() => existsSync(file))
      return JSON.parse(readFileSync(file, 'utf8'))
    },
    interrupt: () => signalGroup(child, 'SIGINT'),
    closeOutput: () => {
      child.stdout?.destroy()
      child.stderr?.destroy()
    },
    exitCode: new Promise((exited) => {
      child.once('close', (code) => exited(code))
    }),
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // It has just ended.
  }
}
