interface Told {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly fields?: Readonly<Record<string, readonly string[]>>
  readonly requestId?: string
}

/** Why a request did not succeed. Status 0: nobody answered. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly status: number
  readonly code: string
  readonly fields: Readonly<Record<string, readonly string[]>>
  readonly requestId: string | undefined

  constructor({ status, code, message, fields, requestId }: Told) {
    super(message)
    this.status = status
    this.code = code
    this.fields = fields ?? {}
    this.requestId = requestId
  }

  /** Whether the same request may well succeed a little later. */
  get passes(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503
  }
}

export const isAborted = (thrown: unknown): boolean => thrown instanceof DOMException && thrown.name === 'AbortError'

export const toFailure = (thrown: unknown): Failure =>
  thrown instanceof Failure ? thrown : new Failure({ status: 0, code: 'unexpected', message: String(thrown) })
