import * as z from 'zod/mini'
import { isSharedTimeZone } from './i18n/time-zone.ts'

// zod/mini brings no texts of its own along, and its list of English ones is larger than this file.
z.config({
  localeError: ({ input, code, values }) =>
    input === undefined ? 'missing' : code === 'invalid_value' ? `one of ${values.join(', ')}` : 'not of this form',
})

/** A link can be extended up to this age, as long as its job is kept. The bucket removes older files by itself. */
export const maxFileDays = 90

/** Stands for `SERVICE_SECRET` in a function that is given none: it signs nothing, and names no caller in its log. */
export const noServiceSecret = 'this function is given no secret and signs nothing'

const list = z.pipe(
  z.string(),
  z.transform((text: string) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
)

const wholeNumber = (min: number, max: number) => {
  const message = `a whole number from ${min} to ${max}`
  const number = z.pipe(z.string().check(z.regex(/^\d{1,9}$/, message)), z.transform(Number))
  return z.pipe(number, z.int().check(z.gte(min, message), z.lte(max, message)))
}

const whole = (fallback: number, max: number, min = 1) => z._default(wholeNumber(min, max), fallback)

/** A limit that is off unless it is set. Nothing can be done with a limit of zero, so none is accepted. */
const limit = (max: number, min = 1) => {
  const message = `a whole number from ${min} to ${max}, or "off"`
  const bounds = z.int(message).check(z.gte(min, message), z.lte(max, message))
  const read = (written: string) => (written === 'off' ? undefined : Number(written))
  return z.optional(z.pipe(z.pipe(z.string(), z.transform(read)), z.optional(bounds)))
}

const text = (pattern: RegExp, message: string) => z.string().check(z.regex(pattern, message))

const guardName = text(/^[a-z][a-z0-9-]*$/, 'a guard is lower-case letters, digits and hyphens, such as "api"')
const guardNames = z.pipe(
  list,
  z.array(guardName).check(
    z.minLength(1, 'at least one guard, such as "api"'),
    z.refine((guards) => new Set(guards).size === guards.length, 'a guard is named twice'),
  ),
)

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text && !text.includes('*')
const origins = z.pipe(
  list,
  z.array(z.string()).check(
    z.refine(
      (entries) => entries.every((entry) => entry === '*' || isOrigin(entry)),
      'each entry is one origin such as "https://app.example.com", without a path and without "*" in it, because listed origins get credentials',
    ),
    z.refine(
      (entries) => entries.length === 1 || !entries.includes('*'),
      '"*" stands alone, for any origin without credentials; list origins one by one to allow credentials',
    ),
  ),
)

const timeZone = z.string().check(z.refine(isSharedTimeZone, 'not an IANA time zone in full, such as "Asia/Riyadh"'))
const databaseUrl = text(/^postgres(ql)?:\/\//, 'a URL such as "postgres://user:password@host:5432/name"')
const url = z.url('a URL such as "https://tables.example.com"')

const environment = z
  .object({
    SERVICE_NAME: z._default(text(/^[a-z][a-z0-9_-]*$/, 'lower-case letters, digits, "_" and "-"'), 'table_control'),
    GUARDS: z._default(guardNames, ['api', 'web']),
    PUBLIC_URL: z.optional(
      z.pipe(
        url,
        z.transform((address: string) => address.replace(/\/+$/, '')),
      ),
    ),
    ACTION_URLS: z._default(z.enum(['absolute', 'relative']), 'absolute'),
    ITEM_ACTIONS: z._default(z.enum(['both', 'row', 'actions']), 'both'),
    ADVANCED_FILTERS: z._default(z.enum(['repeated', 'separate']), 'repeated'),
    TIME_ZONE: z._default(timeZone, 'UTC'),
    ALLOWED_ORIGINS: z._default(origins, []),
    ALLOWED_HEADERS: z._default(list, []),
    EXPLORER: z._default(z.enum(['on', 'off']), 'off'),
    EXPLORER_DEMO_USERS: z.optional(url),
    UPLOAD_ORIGINS: z._default(list, []),
    SERVICE_SECRET: text(/^.{32,}$/s, 'at least 32 characters, such as the output of `openssl rand -hex 32`'),
    REQUEST_DEADLINE_MS: whole(25_000, 29_000),

    LOG_LEVEL: z._default(z.enum(['info', 'warn', 'error', 'silent']), 'info'),
    LOG_MESSAGES: z._default(z.enum(['safe', 'all']), 'safe'),
    METRICS_NAMESPACE: z._default(text(/^[\w./#:-]{1,255}$/, 'letters, digits and ._/#:-'), 'TableControl'),

    QUEUE_URL: z.optional(url),
    REQUESTS_PER_CALLER: limit(1_000_000),
    EXPORTS_PER_CALLER: limit(1_000_000),
    // One request may name ten recipients.
    MAILS_PER_CALLER: limit(1_000_000, 10),
    SOCKETS_PER_CALLER: limit(10_000),
    JOBS_PER_CALLER: whole(100, 10_000),
    RUNNING_JOBS_PER_CALLER: limit(1_000),
    AUDIT_DAYS: whole(400, 3_650, 30),
    HISTORY_DAYS: z.optional(wholeNumber(1, 3_650)),
    JOB_DAYS: whole(90, 365),
    NOTIFICATION_DAYS: whole(90, 365),
    REPORT_BUCKET: z.optional(z.string()),
    STORAGE_PATH_STYLE: z._default(z.enum(['on', 'off']), 'off'),
    DOWNLOAD_MINUTES: whole(15, 1_440),
    MAIL: z._default(z.enum(['on', 'off']), 'on'),
    MAIL_SENDER: z.optional(
      text(/^(.*<[\w.'+-]+@[\w.-]+>|[\w.'+-]+@[\w.-]+)\s*$/, 'an ASCII address such as "Name <a@example.com>"'),
    ),
    MAIL_CONFIGURATION_SET: z.optional(z.string()),
    MAIL_DOMAINS: z._default(list, []),
    MAIL_ADDRESSES: z._default(list, []),
    MAIL_LINK_DAYS: whole(7, maxFileDays),
    SOCKET_ENDPOINT: z.optional(url),
    SOCKET_URL: z.optional(z.string()),

    DATABASE_URL: databaseUrl,
    DATABASE_SERVICE_URL: z.optional(databaseUrl),
    DATABASE_CONNECTIONS: whole(1, 100),
    DATABASE_CONNECT_TIMEOUT_MS: whole(5_000, 25_000),
    DATABASE_STATEMENT_TIMEOUT_MS: whole(8_000, 25_000),
    DATABASE_DEADLINE_MS: whole(10_000, 28_000),
    DATABASE_TIMEOUTS: z._default(z.enum(['login', 'role']), 'login'),
    DATABASE_ROW_SECURITY: z._default(z.enum(['on', 'off']), 'off'),
    DATABASE_TLS: z._default(z.enum(['verify', 'off']), 'verify'),
    DATABASE_TLS_CA: z.optional(z.string()),

    JWT_ISSUER: z.optional(z.string()),
    JWT_AUDIENCE: z.optional(list),
    JWT_TOKEN_USE: z.optional(z.string()),
    JWKS_URL: z.optional(url),
    COGNITO_USER_POOL_ID: z.optional(z.string()),
    COGNITO_CLIENT_ID: z.optional(list),
    COGNITO_TOKEN_USE: z._default(z.enum(['access', 'id']), 'access'),
  })
  .check(
    z.refine((env) => env.COGNITO_USER_POOL_ID !== undefined || (env.JWT_ISSUER && env.JWT_AUDIENCE && env.JWKS_URL), {
      error: 'either COGNITO_USER_POOL_ID and COGNITO_CLIENT_ID, or JWT_ISSUER, JWT_AUDIENCE and JWKS_URL',
      path: ['JWT_ISSUER'],
    }),
    z.refine((env) => env.COGNITO_USER_POOL_ID === undefined || env.COGNITO_CLIENT_ID !== undefined, {
      error: 'needed beside COGNITO_USER_POOL_ID',
      path: ['COGNITO_CLIENT_ID'],
    }),
    z.refine((env) => env.MAIL_SENDER === undefined || env.ACTION_URLS === 'absolute' || env.PUBLIC_URL !== undefined, {
      error: 'needed beside MAIL_SENDER and ACTION_URLS=relative, for the links in mails',
      path: ['PUBLIC_URL'],
    }),
  )

/** The settings of one deployment, named as the environment variables are. All `_MS` values are milliseconds. */
export type Config = z.infer<typeof environment>

/** Reads the environment once. Throws one message that names every wrong or missing variable. */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const parsed = environment.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')))
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`Settings are missing or wrong:\n${faults.join('\n')}`)
}
