import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import * as z from 'zod'
import { databaseTls } from '../local/database/database-tls.ts'
import { type Connection, openConnection } from '../local/database/open-connection.ts'
import { errorMessage } from '../local/error-message.ts'
import { localDirectory } from '../local/local-directory.ts'
import { rdsRoots } from '../stack/database/rds-roots.ts'

/** The option that names the database, for the usage text of a command. */
export const databaseUsage = `  --database <url>  the Postgres to use; default: DATABASE_URL, else that of the running local service;
                    TLS is verified, except for a host on this machine; sslmode=require in the URL asks for TLS
                    without verification, as for a tunnel, and sslmode=disable for none`

const stack = z.object({ database_url: z.string() })

/** Connects to the database of the option, of DATABASE_URL or of the local service; read-only by default. */
export async function withDatabase<T>(option: string | undefined, use: (sql: Sql) => Promise<T>): Promise<T> {
  const url = option ?? (process.env['DATABASE_URL'] || localDatabase())
  if (url === undefined)
    throw new Error('There is no database to look at: start one with "npm start", or name one with --database <url>')
  const { sql, ready, end } = connect(url)
  try {
    await ready().catch((error: unknown) => {
      // A cause would be what is printed, without the place.
      throw new Error(connectMessage(url, sql, error), { cause: undefined })
    })
    await sql`set default_transaction_read_only = on`
    return await use(sql)
  } finally {
    await end()
  }
}

function connect(url: string): Connection {
  if (!/^postgres(ql)?:\/\/./.test(url) || !URL.canParse(url))
    throw new Error('The database is named like postgres://user:password@host:5432/name')
  return openConnection(url, { connection: { TimeZone: 'UTC' }, ...tlsOptions(url) })
}

/** The driver itself reads the modes that verify nothing from the URL. */
function tlsOptions(url: string) {
  const { hostname, searchParams } = new URL(url)
  const mode = searchParams.get('sslmode')
  if (mode !== null && !mode.startsWith('verify')) return {}
  const ssl = mode === null ? databaseTls(url) : {}
  const region = /\.([^.]+)\.rds\.amazonaws\.com$/.exec(hostname)?.[1]
  return { ssl: ssl && region !== undefined ? { ca: rdsRoots(region), ...ssl } : ssl }
}

function connectMessage(url: string, sql: Sql, error: unknown): string {
  const place = databasePlace(url)
  // A server that lets in nobody without TLS says so by this code.
  if (error instanceof postgres.PostgresError && error.code !== '28000')
    return `The database at ${place} refuses the login: ${error.message}`
  // A server that has said its parameters has let the login in.
  const advice = Object.keys(sql.parameters).length === 0 ? tlsAdvice(sql) : ''
  return `No database answers at ${place}: ${errorMessage(error)}${advice}`
}

const tlsAdvice = ({ options: { ssl } }: Sql): string =>
  ssl === false
    ? '; if it takes TLS alone, add ?sslmode=require to the URL'
    : '; if it has no TLS, add ?sslmode=disable to the URL'

/** Without the password. */
function databasePlace(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

function localDatabase(): string | undefined {
  try {
    return stack.parse(JSON.parse(readFileSync(join(localDirectory(), 'stack.json'), 'utf8'))).database_url
  } catch {
    return undefined
  }
}
