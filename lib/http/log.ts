import { isServerError } from '../db/database-error.ts'
import { RequestError } from '../errors/request-error.ts'

interface FailedRequest {
  readonly requestId: string
  readonly route: string
  /** The table that the request named, where it named one. */
  readonly table?: string
}

/**
 * Logs a failure that is not the client's: class, database code and the places in the code say what happened. A message
 * is told only where it speaks of the code and never of values, as a driver's or a parser's would.
 */
export function logFailure(thrown: unknown, { requestId, route, table }: FailedRequest): void {
  if (thrown instanceof RequestError && thrown.status < 500) return
  const causes = [thrown, thrown instanceof Error ? thrown.cause : undefined].filter((error) => error instanceof Error)
  const entry = {
    level: 'error',
    request_id: requestId,
    route,
    ...(table !== undefined && { table }),
    errors: causes.map((error) => ({
      name: error.name,
      code: Reflect.get(error, 'code'),
      ...(speaksOfCode(error) && { message: error.message }),
      at: framesOf(error),
    })),
  }
  console.error(JSON.stringify(entry))
}

/** SQLSTATE 42 is wrong SQL: syntax and undefined names. Node's own TypeErrors have a code and quote the argument. */
function speaksOfCode(error: Error): boolean {
  if (isServerError(error)) return error.code.startsWith('42')
  if (error instanceof TypeError || error instanceof ReferenceError) return !('code' in error)
  return (
    error.name === 'Error' &&
    /^The (scope of the table ".*" did not return SQL|setting [A-Z_]+ is missing|message is not one of this service)$/s.test(
      error.message,
    )
  )
}

const mostFrames = 8

const framesOf = (error: Error): readonly string[] =>
  (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, mostFrames)
    .map((line) => line.trim())
