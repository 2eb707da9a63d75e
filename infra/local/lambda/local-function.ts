import { randomUUID } from 'node:crypto'
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'

/** A function's handler as Lambda calls it. Its caller checks what it returns. */
export type LambdaHandler<Event = APIGatewayProxyEventV2> = (event: Event, context: Context) => unknown

/** A function behind a gateway, a queue or a schedule. */
export interface LocalFunction<Event = APIGatewayProxyEventV2> {
  readonly name: string
  readonly handler: LambdaHandler<Event>
  /** Whether it would refuse one more event. Default: never. */
  readonly isBusy?: () => boolean
}

/** The module of a function. */
export interface FunctionModule<Event = APIGatewayProxyEventV2> {
  readonly handler: LambdaHandler<Event>
}

/** Receives an error that a function threw, for the log. */
export type FailureReport = (functionName: string, error: unknown) => void

/** The error of a function that has more events at once than it takes. The caller may repeat the call. */
export class TooManyRequests extends Error {
  constructor(functionName: string) {
    super(`${functionName} is given more events at once than its reserved concurrency takes`)
    this.name = 'TooManyRequestsException'
  }
}

/**
 * Calls a function once and resolves with what it returned. Rejects with what it threw, and after `timeoutMs`; the
 * function itself runs on then, since nothing here could end it.
 */
export function invoke<Event>(target: LocalFunction<Event>, event: Event, timeoutMs: number): Promise<unknown> {
  const context = lambdaContext(target.name, randomUUID(), Date.now() + timeoutMs)
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`))
    const timeout = setTimeout(fail, timeoutMs)
    const run = async () => target.handler(event, context)
    run()
      .then(resolve, reject)
      .finally(() => clearTimeout(timeout))
  })
}

/** The second argument of a handler. `deadline` is in milliseconds since 1970. */
export const lambdaContext = (name: string, awsRequestId: string, deadline: number): Context => ({
  functionName: name,
  functionVersion: '$LATEST',
  invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${name}`,
  memoryLimitInMB: '1024',
  awsRequestId,
  logGroupName: `/aws/lambda/${name}`,
  logStreamName: 'local',
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  done: ignoreCallback,
  fail: ignoreCallback,
  succeed: ignoreCallback,
})

/** The callback style is older than async handlers, and no function here uses it. */
const ignoreCallback = () => undefined
