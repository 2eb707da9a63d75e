import type { Config } from '../config.ts'

/** The gateway's response to browsers on other origins. API Gateway and the local gateway use the same policy. */
export interface CorsPolicy {
  readonly allowOrigins: readonly string[]
  readonly allowHeaders: readonly string[]
  readonly allowMethods: readonly string[]
  readonly allowCredentials: boolean
  readonly exposeHeaders: readonly string[]
  /** How long a browser may remember a preflight's response, in seconds. */
  readonly maxAge: number
}

const ownHeaders = ['authorization', 'content-type', 'accept', 'ln', 'idempotency-key', 'if-match', 'if-none-match']

/**
 * Credentials are allowed for origins that are listed one by one, never together with `*`. No origins: no CORS at all.
 */
export const corsPolicy = ({ ALLOWED_ORIGINS, ALLOWED_HEADERS }: Config): CorsPolicy => ({
  allowOrigins: ALLOWED_ORIGINS,
  allowHeaders: [...new Set([...ownHeaders, ...ALLOWED_HEADERS.map((name) => name.toLowerCase())])],
  allowMethods: ['GET', 'POST', 'PATCH', 'DELETE', 'OPTIONS'],
  allowCredentials: ALLOWED_ORIGINS.length > 0 && !ALLOWED_ORIGINS.includes('*'),
  exposeHeaders: [
    'etag',
    'retry-after',
    'server-timing',
    'apigw-requestid',
    'content-disposition',
    'x-total-rows',
    'idempotency-replayed',
    'ratelimit',
    'ratelimit-policy',
    'deprecation',
    'sunset',
  ],
  maxAge: 7_200,
})

/** Whether pages of this origin may read responses. */
export const allowsOrigin = ({ ALLOWED_ORIGINS: allowed }: Pick<Config, 'ALLOWED_ORIGINS'>, origin: string): boolean =>
  allowed.includes('*') || allowed.includes(origin)
