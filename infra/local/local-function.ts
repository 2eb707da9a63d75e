import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'

/** A function's handler as Lambda calls it; what it returns is judged by the gateway. */
export type LambdaHandler = (event: APIGatewayProxyEventV2, context: Context) => unknown

/** A function behind the gateway. */
export interface LocalFunction {
  readonly name: string
  readonly handler: LambdaHandler
}

/** The module of a function. */
export interface FunctionModule {
  readonly handler: LambdaHandler
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
  done: ignored,
  fail: ignored,
  succeed: ignored,
})

/** The callback style is older than async handlers, and no function here uses it. */
const ignored = () => undefined
