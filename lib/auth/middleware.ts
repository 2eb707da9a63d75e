import type { Identity } from './identity.ts'
import type { TokenVerifier, VerifiedToken } from './token-verifier.ts'

/** The part of a request that access control reads before the caller is known. Header names are lower case. */
export interface IncomingRequest {
  readonly tableName: string
  readonly endpoint: string
  readonly guard: string
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly sourceIp: string
}

/**
 * A step of the service's own list, run before any table code. It rejects by throwing; a token that it returns becomes
 * the request's identity. A request that leaves the list without an identity is answered 401.
 */
export type DefaultMiddleware = (
  request: IncomingRequest,
  verifier: TokenVerifier,
) => VerifiedToken | void | Promise<VerifiedToken | void>

export interface AccessRequest<Claims> extends IncomingRequest {
  readonly identity: Identity<Claims>
}

/** A step of one table. It rejects by throwing, best by `forbidden()`; what it returns is ignored. */
export type Middleware<Claims> = (request: AccessRequest<Claims>) => void | Promise<void>
