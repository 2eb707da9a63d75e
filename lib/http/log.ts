import { RequestError } from '../errors/request-error.ts'

interface FailedRequest {
  readonly requestId: string
  readonly route: string
}

/**
 * Logs a failure that is not the client's. Error messages stay out, because a driver's holds SQL and parameter values:
 * class, database code and the places in the code say what happened.
 */
export function logFailure(thrown: unknown, { requestId, route }: FailedRequest): void {
  if (thrown instanceof RequestError && thrown.status < 500) return
  const causes = [thrown, thrown instanceof Error ? thrown.cause : undefined].filter((error) => error instanceof Error)
  const entry = {
    level: 'error',
    request_id: requestId,
    route,
    errors: causes.map((error) => ({ name: error.name, code: Reflect.get(error, 'code'), at: framesOf(error) })),
  }
  console.error(JSON.stringify(entry))
}

const mostFrames = 8

const framesOf = (error: Error): readonly string[] =>
  (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, mostFrames)
    .map((line) => line.trim())
