import type { ColdRequest } from './cold-function.ts'
import { type FunctionModule, lambdaContext } from './local-function.ts'

/** The process of one cold invocation: it loads the function anew, answers one event and ends. */
process.once('message', (request: ColdRequest) => {
  respond(request).then(
    (result) => process.send?.({ result }, () => process.exit(0)),
    (error: unknown) =>
      process.send?.({ error: error instanceof Error ? error.stack : String(error) }, () => process.exit(1)),
  )
})

async function respond({ file, name, event, awsRequestId, deadline }: ColdRequest): Promise<unknown> {
  const { handler }: FunctionModule<unknown> = await import(file)
  return handler(event, lambdaContext(name, awsRequestId, deadline))
}
