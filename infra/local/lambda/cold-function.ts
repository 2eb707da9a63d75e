import { fork } from 'node:child_process'
import * as z from 'zod'
import type { LocalFunction } from './local-function.ts'

/** The message that starts a process of cold-invocation.ts. */
export interface ColdRequest {
  /** The URL of the function's module. */
  readonly file: string
  readonly name: string
  readonly event: unknown
  readonly awsRequestId: string
  readonly deadline: number
}

const reply = z.object({ result: z.unknown().optional(), error: z.string().optional() })

/**
 * A function that starts a fresh Node process for every event, as Lambda does for the first one: nothing that an
 * earlier request loaded, cached or connected is there. `signal` ends the processes that still run.
 */
export const coldFunction = <Event>(name: string, file: string, signal: AbortSignal): LocalFunction<Event> => ({
  name,
  handler: (event, context) =>
    new Promise((resolve, reject) => {
      const { awsRequestId } = context
      const timeout = context.getRemainingTimeInMillis()
      const child = fork(new URL('./cold-invocation.ts', import.meta.url), { signal, timeout, killSignal: 'SIGKILL' })
      child.once('message', (message) => {
        const { result, error } = reply.parse(message)
        if (error === undefined) resolve(result)
        else reject(new Error(error))
      })
      child.once('error', reject)
      child.once('exit', (code, killed) =>
        reject(new Error(`the process ended without a response (${killed ?? code})`)),
      )
      const request: ColdRequest = { file, name, event, awsRequestId, deadline: Date.now() + timeout }
      child.send(request)
    }),
})
