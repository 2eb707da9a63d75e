import type { IncomingHttpHeaders } from 'node:http'
import type { CorsPolicy } from '../../../lib/http/cors.ts'

/** Response headers as node:http takes them flat: name, value, name, value. */
export type FlatHeaders = readonly string[]

export interface Cors {
  /** The response's headers for a preflight, or undefined if the request is not a preflight. */
  readonly preflight: (method: string, headers: IncomingHttpHeaders) => FlatHeaders | undefined
  /** Returns the CORS headers of a response to this origin. */
  readonly createHeaders: (origin: string | undefined) => FlatHeaders
}

const none: FlatHeaders = []

/**
 * CORS as API Gateway does it once a policy is set: it answers preflights itself, adds the headers to each response of
 * a function and ignores the function's own. An origin that is not allowed gets a response without CORS headers.
 */
export function compileCors(policy: CorsPolicy | undefined): Cors | undefined {
  if (policy === undefined || policy.allowOrigins.length === 0) return undefined
  const exposed = policy.exposeHeaders.join(',')
  const createHeaders = (origin: string | undefined): FlatHeaders => {
    const allowed = allowedOriginHeader(policy, origin)
    if (allowed === undefined) return none
    return [
      'access-control-allow-origin',
      allowed,
      ...(policy.allowCredentials ? ['access-control-allow-credentials', 'true'] : none),
      ...(exposed === '' ? none : ['access-control-expose-headers', exposed]),
    ]
  }
  const permissions: FlatHeaders = [
    ['access-control-allow-methods', policy.allowMethods.join(',')],
    ['access-control-allow-headers', policy.allowHeaders.join(',')],
    ['access-control-max-age', String(policy.maxAge)],
  ].flat()
  return {
    createHeaders,
    preflight: (method, headers) => {
      if (method !== 'OPTIONS' || headers.origin === undefined) return undefined
      if (headers['access-control-request-method'] === undefined) return undefined
      const granted = createHeaders(headers.origin)
      return granted.length === 0 ? none : [...granted, ...permissions]
    },
  }
}

function allowedOriginHeader({ allowOrigins }: CorsPolicy, origin: string | undefined): string | undefined {
  if (origin === undefined) return undefined
  if (allowOrigins.includes('*')) return '*'
  return allowOrigins.includes(origin) ? origin : undefined
}
