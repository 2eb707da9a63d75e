import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Starts a file of processes/; it ends when it is disconnected. */
export const startProcess = (
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcess => fork(fileURLToPath(new URL(`./processes/${name}.bench.ts`, import.meta.url)), args, { env })

/** Sends a message to the process, and resolves with the one that answers it. */
export function askProcess<Answer>(child: ChildProcess, message: object): Promise<Answer> {
  child.send(message)
  return nextMessage(child)
}

/** Resolves with the next message of the process. */
export async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const [message] = await once(child, 'message')
  return message as T
}

/** Runs a script in a process of its own, with `flags` of Node, and returns the JSON that it prints. */
export async function runScript<Result>(
  script: URL,
  args: readonly string[],
  { env, flags = [] }: { readonly env?: Readonly<Record<string, string>>; readonly flags?: readonly string[] } = {},
): Promise<Result> {
  const { stdout } = await run(process.execPath, [...flags, fileURLToPath(script), ...args], {
    env,
    maxBuffer: 64 * 2 ** 20,
  })
  return JSON.parse(stdout)
}
