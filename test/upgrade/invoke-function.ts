import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'

const reply = z.object({ result: z.unknown().optional(), error: z.string().optional() })

/**
 * Invokes a function, bundled or from its source, in a process of its own, with these variables and no others of the
 * service.
 */
export function invokeFunction(
  file: string,
  event: unknown,
  environment: Readonly<Record<string, string>>,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '', NODE_OPTIONS = '' } = process.env
    const child = fork(fileURLToPath(new URL('function-process.ts', import.meta.url)), {
      env: { PATH, HOME, NODE_COMPILE_CACHE, NODE_OPTIONS, ...environment },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    child.once('message', (message) => {
      const { result, error } = reply.parse(message)
      if (error === undefined) resolve(result)
      else reject(new Error(error))
    })
    child.once('exit', (code) => reject(new Error(`the process ended with ${code}`)))
    child.send({ file, event })
  })
}
