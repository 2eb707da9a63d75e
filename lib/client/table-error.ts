interface TableErrorDetails {
  readonly status?: number
  readonly fields?: Readonly<Record<string, readonly string[]>>
  readonly requestId?: string
  readonly retryAfter?: number
  readonly response?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/**
 * The only error of the client. `code` is that of the service, or `aborted`, `unreachable`, `bad_response`, `unsupported`,
 * `upload_failed`, `invalid_options` or `no_token`. A response without JSON, as from a proxy, is a `bad_response`. A grid's request for which the
 * service has no equivalent is `unsupported`.
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

/** Creates the error of a response without success, from the service or from a proxy. */
export function createResponseError(response: Response, body: Readonly<Record<string, unknown>>): TableError {
  const { code, message, fields, request_id } = body
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new TableError(
    typeof code === 'string' ? code : 'bad_response',
    typeof message === 'string' ? message : `HTTP status ${response.status}`,
    {
      status: response.status,
      response: body,
      ...(typeof fields === 'object' && fields !== null && { fields: fields as TableError['fields'] }),
      ...(typeof request_id === 'string' && { requestId: request_id }),
      ...(Number.isFinite(wait) && { retryAfter: wait }),
    },
  )
}
