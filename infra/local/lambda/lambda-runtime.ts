import { createRequire } from 'node:module'
import { env } from 'node:process'
import { pathToFileURL } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { type LambdaHandler, lambdaContext } from './local-function.ts'

/** The data with which the thread is started. */
export interface RuntimeData {
  readonly name: string
  readonly file: string
  /** The exports of the file. */
  readonly handler: string
  readonly memoryMb: number
}

/** The data with which the thread is started, and the number of events that it was given. */
export interface ThreadData extends RuntimeData {
  readonly given: Int32Array
}

/** One event for the thread. */
export interface RuntimeEvent {
  readonly event: unknown
  readonly awsRequestId: string
  readonly deadline: number
}

/** The messages of the thread: ready, the result of an event as JSON, or the text of an error. */
export type RuntimeMessage = { readonly ready: true } | { readonly result: string } | { readonly error: string }

delete env['NODE_COMPILE_CACHE']
const { name, file, handler: exported, memoryMb, given }: ThreadData = workerData
const say = (message: RuntimeMessage) => parentPort?.postMessage(message)
const errorText = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error))

async function load(): Promise<LambdaHandler<unknown>> {
  // As Lambda does: an ES module is imported, all else is required.
  const isModule = file.endsWith('.mjs')
  const module: Readonly<Record<string, unknown>> = isModule
    ? await import(pathToFileURL(file).href)
    : createRequire(import.meta.url)(file)
  const handler = module[exported]
  if (typeof handler !== 'function') throw new Error(`${name}: ${file} exports no function "${exported}"`)
  return handler as LambdaHandler<unknown>
}

/**
 * Stands still until the next event, as Lambda freezes a function that has answered: what it has not awaited does not
 * go on. Its lines are written before.
 */
function freeze(taken: number): void {
  if (process.stdout.writableLength + process.stderr.writableLength > 0) setTimeout(freeze, 1, taken)
  else Atomics.wait(given, 0, taken)
}

try {
  const handler = await load()
  let taken = 0
  parentPort?.on('message', ({ event, awsRequestId, deadline }: RuntimeEvent) => {
    taken += 1
    const context = { ...lambdaContext(name, awsRequestId, deadline), memoryLimitInMB: String(memoryMb) }
    Promise.resolve()
      .then(() => handler(event, context))
      .then((result) => say({ result: JSON.stringify(result) ?? 'null' }))
      .catch((error: unknown) => say({ error: errorText(error) }))
      .finally(() => freeze(taken))
  })
  say({ ready: true })
} catch (error) {
  say({ error: errorText(error) })
}
