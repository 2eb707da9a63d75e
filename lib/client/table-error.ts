interface TableErrorDetails {
  readonly status?: number
  readonly fields?: Readonly<Record<string, readonly string[]>>
  readonly requestId?: string
  readonly retryAfter?: number
  readonly answer?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/**
 * The only error of the client. `code` is the service's own, or one of the client's: `aborted`, `unreachable`, `bad_answer`
 * (no JSON, as a proxy would answer), `unsupported` (a grid asks for what the server has no equivalent of), `invalid_options`
 * (thrown by `createTableClient`), `no_token`.
 */
export class TableError extends Error {
  override readonly name = 'TableError'
  readonly code: string
  /** 0 where no answer came. */
  readonly status: number
  /** What is wrong, by path in the request's body. */
  readonly fields: Readonly<Record<string, readonly string[]>>
  /** What support asks for. */
  readonly requestId: string | undefined
  /** In seconds. */
  readonly retryAfter: number | undefined
  /** The whole answer, such as the `results` of rows that failed. */
  readonly answer: Readonly<Record<string, unknown>>

  constructor(code: string, message: string, details: TableErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.code = code
    this.status = details.status ?? 0
    this.fields = details.fields ?? {}
    this.requestId = details.requestId
    this.retryAfter = details.retryAfter
    this.answer = details.answer ?? {}
  }
}

/** The error of an answer that is no success, whoever sent it. */
export function errorOfAnswer(response: Response, answer: Readonly<Record<string, unknown>>): TableError {
  const { code, message, fields, request_id } = answer
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new TableError(
    typeof code === 'string' ? code : 'bad_answer',
    typeof message === 'string' ? message : `The service answered ${response.status}`,
    {
      status: response.status,
      answer,
      ...(typeof fields === 'object' && fields !== null && { fields: fields as TableError['fields'] }),
      ...(typeof request_id === 'string' && { requestId: request_id }),
      ...(Number.isFinite(wait) && { retryAfter: wait }),
    },
  )
}
