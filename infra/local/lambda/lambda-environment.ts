import { randomUUID } from 'node:crypto'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { RuntimeData, RuntimeMessage, ThreadData } from './lambda-runtime.ts'

export interface LambdaCode extends RuntimeData {
  readonly timeoutMs: number
  /** All that the function sees of `process.env`. */
  readonly variables: Readonly<Record<string, string>>
}

/** A thread that has loaded a function, or will have, and is given one event at a time. */
export interface ExecutionEnvironment {
  /**
   * Resolves with what the function returned; rejects with what it threw, when its time is over, or when the thread
   * ends.
   */
  readonly invoke: (event: unknown) => Promise<unknown>
  /** False from the moment at which the thread has ended, or should not be used any more. */
  readonly usable: () => boolean
  readonly stop: () => Promise<void>
}

/** Time that Lambda gives a function to load, beside its own timeout. */
const initMs = 10_000

/** Starts a thread with a function's code, its memory and its variables, as Lambda does for a cold start. */
export function startEnvironment({ timeoutMs, variables, ...code }: LambdaCode): ExecutionEnvironment {
  const cache = getCompileCacheDir()
  const given = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const thread = new Worker(new URL('./lambda-runtime.ts', import.meta.url), {
    workerData: { ...code, given } satisfies ThreadData,
    // A thread with an environment of its own has no other way to the cache of this process; it hides the variable.
    env: { ...variables, ...(cache !== undefined && { NODE_COMPILE_CACHE: dirname(cache) }) },
    resourceLimits: { maxOldGenerationSizeMb: code.memoryMb },
  })
  let usable = true
  let heard: ((message: RuntimeMessage) => void) | undefined
  const markLost = (reason: string) => {
    usable = false
    heard?.({ error: `${code.name}: ${reason}` })
  }
  const next = () =>
    new Promise<RuntimeMessage>((resolve) => {
      heard = resolve
    })
  thread.on('message', (message: RuntimeMessage) => heard?.(message))
  thread.on('error', (error) => markLost(`the runtime crashed: ${error instanceof Error ? error.stack : error}`))
  thread.on('exit', (code) => markLost(`the runtime exited with code ${code}`))
  let ready = within(next(), initMs + timeoutMs, () => markLost('loading it took too long'))
  const invoke = async (event: unknown) => {
    const loaded = await ready
    if ('error' in loaded) {
      usable = false
      throw failure(loaded.error)
    }
    ready = Promise.resolve(loaded)
    const response = within(next(), timeoutMs, () =>
      markLost(`Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`),
    )
    thread.postMessage({ event, awsRequestId: randomUUID(), deadline: Date.now() + timeoutMs })
    Atomics.add(given, 0, 1)
    Atomics.notify(given, 0)
    const message = await response
    if ('error' in message) throw failure(message.error)
    return 'result' in message ? (JSON.parse(message.result) as unknown) : undefined
  }
  return {
    invoke,
    usable: () => usable,
    stop: async () => {
      usable = false
      await thread.terminate()
    },
  }
}

/** As it was thrown, with the place in the function. */
function failure(text: string): Error {
  const [first = ''] = text.split('\n', 1)
  return Object.assign(new Error(first), { stack: text })
}

function within<T>(work: Promise<T>, milliseconds: number, late: () => void): Promise<T> {
  const timer = setTimeout(late, milliseconds)
  return work.finally(() => clearTimeout(timer))
}
