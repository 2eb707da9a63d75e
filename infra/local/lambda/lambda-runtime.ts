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

/** One event for the thread. */
export interface RuntimeEvent {
  readonly event: unknown
  readonly awsRequestId: string
  readonly deadline: number
}

/** The messages of the thread: ready, the result of an event as JSON, or the text of an error. */
export type RuntimeMessage = { readonly ready: true } | { readonly result: string } | { readonly error: string }

delete env['NODE_COMPILE_CACHE']
const { name, file, handler: exported, memoryMb }: RuntimeData = workerData
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

try {
  const handler = await load()
  parentPort?.on('message', ({ event, awsRequestId, deadline }: RuntimeEvent) => {
    const context = { ...lambdaContext(name, awsRequestId, deadline), memoryLimitInMB: String(memoryMb) }
    Promise.resolve()
      .then(() => handler(event, context))
      .then((result) => say({ result: JSON.stringify(result) ?? 'null' }))
      .catch((error: unknown) => say({ error: errorText(error) }))
  })
  say({ ready: true })
} catch (error) {
  say({ error: errorText(error) })
}
