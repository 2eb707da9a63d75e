interface TableErrorDetails {
  readonly status?: number
  readonly fields?: Readonly<Record<string, readonly string[]>> | null | undefined
  readonly requestId?: string | undefined
  readonly retryAfter?: number | undefined
  readonly response?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/**
 * The only error of the client. `code` is that of the service, or `aborted`, `unreachable`, `bad_response`,
 * `unsupported`, `upload_failed`, `invalid_options` or `no_token`. A response without JSON, as from a proxy, is a
 * `bad_response`. A grid's request for which the service has no equivalent is `unsupported`.
 */
export class TableError extends Error {
  override readonly name = 'TableError'
  readonly code: string
  /** The HTTP status; 0 if no response came. */
  readonly status: number
  /** The faults, by path in the request's body. */
  readonly fields: Readonly<Record<string, readonly string[]>>
  /** Identifies the request in the service's logs. */
  readonly requestId: string | undefined
  /** Seconds to wait before the next attempt. */
  readonly retryAfter: number | undefined
  /** The whole response body, such as the `results` of rows that failed. */
  readonly response: Readonly<Record<string, unknown>>

  constructor(code: string, message: string, details: TableErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.code = code
    this.status = details.status ?? 0
    this.fields = details.fields ?? {}
    this.requestId = details.requestId
    this.retryAfter = details.retryAfter
    this.response = details.response ?? {}
  }
}

/** A timer of a longer time, 2^31 milliseconds, ends at once. */
const maxRetryAfter = 2_000_000

/**
 * Creates the error that the service describes in a response or an event; `bad_response` for what is not of the
 * service.
 */
export function createServiceError(
  response: Readonly<Record<string, unknown>>,
  status = 0,
  retryAfter: unknown = response['retry_after'],
): TableError {
  const { code, message, fields, request_id } = response
  const seconds = Number(retryAfter ?? Number.NaN)
  return new TableError(
    typeof code === 'string' ? code : 'bad_response',
    typeof message === 'string' ? message : `HTTP status ${status}`,
    {
      status,
      response,
      fields: typeof fields === 'object' ? (fields as TableError['fields'] | null) : undefined,
      requestId: typeof request_id === 'string' ? request_id : undefined,
      retryAfter: seconds >= 0 ? Math.min(seconds, maxRetryAfter) : undefined,
    },
  )
}
