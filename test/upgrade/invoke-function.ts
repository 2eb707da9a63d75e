import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'

const reply = z.object({ result: z.unknown().optional(), error: z.string().optional() })

export interface FunctionInvoker {
  /** Invokes a function, bundled or from its source. One event at a time. */
  readonly invoke: (file: string, event: unknown) => Promise<unknown>
  readonly stop: () => void
}

/**
 * Runs each function in a process of its own, as Lambda does: it stays for later events, because the load takes up to
 * half a second of a processor. The functions see these variables and no others of the service.
 */
export function startInvoker(environment: Readonly<Record<string, string>>): FunctionInvoker {
  const processes = new Map<string, ChildProcess>()
  const start = (file: string) => {
    const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '', NODE_OPTIONS = '' } = process.env
    const child = fork(fileURLToPath(new URL('function-process.ts', import.meta.url)), {
      env: { PATH, HOME, NODE_COMPILE_CACHE, NODE_OPTIONS, ...environment },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    processes.set(file, child)
    return child
  }
  return {
    invoke: async (file, event) => {
      const child = processes.get(file) ?? start(file)
      const ended = new AbortController()
      const lost = once(child, 'exit', ended).then(([code]) => {
        throw new Error(`the process ended with ${code}`)
      })
      const answered = once(child, 'message', ended)
      child.send({ file, event })
      try {
        const [message] = await Promise.race([answered, lost])
        const { result, error } = reply.parse(message)
        if (error !== undefined) throw new Error(error)
        return result
      } finally {
        ended.abort()
      }
    },
    stop: () => {
      for (const child of processes.values()) child.kill()
    },
  }
}
