import { pathToFileURL } from 'node:url'

interface Invocation {
  readonly file: string
  readonly event: unknown
}

type Handler = (event: unknown, context: object) => Promise<unknown>

/** A bundle is CommonJS, whose exports may only be known as its default one; a source is a module. */
interface LoadedFunction {
  readonly handler?: Handler
  readonly default?: { readonly handler: Handler }
}

/** Loads a function with the first event, and sends back what it returns for each: one event after the other. */
process.on('message', ({ file, event }: Invocation) => {
  respond(file, event).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.stack : String(error) }),
  )
})

process.once('disconnect', () => process.exit())

async function respond(file: string, event: unknown): Promise<unknown> {
  const loaded: LoadedFunction = await import(pathToFileURL(file).href)
  const handler = loaded.handler ?? loaded.default?.handler
  if (handler === undefined) throw new Error(`${file} exports no handler`)
  return handler(event, { getRemainingTimeInMillis: () => 60_000, awsRequestId: crypto.randomUUID() })
}
