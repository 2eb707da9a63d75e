import * as z from 'zod'
import { isTimeZone } from './i18n/time-zone.ts'

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)

const milliseconds = (fallback: number, most: number) => z.coerce.number().int().min(1).max(most).default(fallback)

const guardNames = list
  .pipe(
    z
      .array(z.string().regex(/^[a-z][a-z0-9-]*$/, 'a guard is lower-case letters, digits and hyphens, such as "api"'))
      .min(1),
  )
  .refine((guards) => new Set(guards).size === guards.length, 'a guard is named twice')

const timeZone = z.string().refine(isTimeZone, 'not an IANA time zone such as "Asia/Riyadh"')

const environment = z
  .object({
    SERVICE_NAME: z
      .string()
      .regex(/^[a-z][a-z0-9_-]*$/)
      .default('table_control'),
    GUARDS: guardNames.default(['api', 'web']),
    PUBLIC_URL: z
      .url()
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    ACTION_URLS: z.enum(['absolute', 'relative']).default('absolute'),
    ITEM_ACTIONS: z.enum(['both', 'row', 'actions']).default('both'),
    TIME_ZONE: timeZone.default('UTC'),
    ALLOWED_ORIGINS: list.default([]),
    ALLOWED_HEADERS: list.default([]),
    CURSOR_SECRET: z.string().min(32, 'at least 32 characters, such as the output of `openssl rand -hex 32`'),
    REQUEST_DEADLINE_MS: milliseconds(25_000, 29_000),

    DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, 'a URL such as "postgres://user:password@host:5432/name"'),
    DATABASE_CONNECTIONS: z.coerce.number().int().min(1).max(100).default(1),
    DATABASE_CONNECT_TIMEOUT_MS: milliseconds(5_000, 25_000),
    DATABASE_STATEMENT_TIMEOUT_MS: milliseconds(8_000, 25_000),
    DATABASE_DEADLINE_MS: milliseconds(10_000, 28_000),
    DATABASE_TLS: z.enum(['verify', 'off']).default('verify'),
    DATABASE_TLS_CA: z.string().optional(),

    JWT_ISSUER: z.string().optional(),
    JWT_AUDIENCE: list.optional(),
    JWT_TOKEN_USE: z.string().optional(),
    JWKS_URL: z.url().optional(),
    COGNITO_USER_POOL_ID: z.string().optional(),
    COGNITO_CLIENT_ID: list.optional(),
    COGNITO_TOKEN_USE: z.enum(['access', 'id']).default('access'),
  })
  .refine((env) => env.COGNITO_USER_POOL_ID !== undefined || (env.JWT_ISSUER && env.JWT_AUDIENCE && env.JWKS_URL), {
    message: 'either COGNITO_USER_POOL_ID and COGNITO_CLIENT_ID, or JWT_ISSUER, JWT_AUDIENCE and JWKS_URL',
    path: ['JWT_ISSUER'],
  })
  .refine((env) => env.COGNITO_USER_POOL_ID === undefined || env.COGNITO_CLIENT_ID !== undefined, {
    message: 'needed beside COGNITO_USER_POOL_ID',
    path: ['COGNITO_CLIENT_ID'],
  })

/** The settings of one deployment, named as the environment variables are. All `_MS` values are milliseconds. */
export type Config = z.infer<typeof environment>

/** Reads the environment once. Throws one message that names every wrong or missing variable. */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const parsed = environment.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')))
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`The environment is not complete:\n${faults.join('\n')}`)
}
