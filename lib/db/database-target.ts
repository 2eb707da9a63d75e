import { readFileSync } from 'node:fs'
import type { Config } from '../config.ts'

/** Where the database is and who logs in. */
export interface DatabaseTarget {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  /** `undefined` for a plain connection; else the server's name is verified, against `ca` or Node's own roots. */
  readonly tls: { readonly ca: string | undefined } | undefined
}

type TargetConfig = Pick<Config, 'DATABASE_URL' | 'DATABASE_TLS' | 'DATABASE_TLS_CA'>

/**
 * Reads the URL and the authority's certificates (a text, or the path of a file). Query parameters of the URL are ignored:
 * how to connect is said by the other settings alone. No error of it names the URL, which holds a password.
 */
export function databaseTarget(config: TargetConfig): DatabaseTarget {
  const url = URL.parse(config.DATABASE_URL)
  if (url === null) throw new Error('DATABASE_URL is not a URL; are special characters of the password %-encoded?')
  const user = decodeURIComponent(url.username)
  return {
    host: decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1') || 'localhost',
    port: url.port === '' ? 5432 : Number(url.port),
    user,
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)) || user,
    tls: config.DATABASE_TLS === 'off' ? undefined : { ca: certificates(config.DATABASE_TLS_CA) },
  }
}

function certificates(textOrPath: string | undefined): string | undefined {
  if (textOrPath === undefined || textOrPath.includes('-----BEGIN')) return textOrPath
  return readFileSync(textOrPath, 'utf8')
}
