import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Starts a file of processes/; it ends when it is disconnected. */
export const startProcess = (
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcess => fork(fileURLToPath(new URL(`./processes/${name}.bench.ts`, import.meta.url)), args, { env })

/** What the process says next. */
export async function told<T>(child: ChildProcess): Promise<T> {
  const [message] = await once(child, 'message')
  return message as T
}
