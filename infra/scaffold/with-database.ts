import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import * as z from 'zod'
import { errorMessage } from '../local/error-message.ts'
import { localDirectory } from '../local/local-directory.ts'

/** The option that names the database, for the usage text of a command. */
export const databaseUsage = `  --database <url>  the Postgres to use; default: DATABASE_URL, else that of the running local service`

const stack = z.object({ database_url: z.string() })

/** Connects to the database of the option, of DATABASE_URL or of the local service; read-only by default. */
export async function withDatabase<T>(option: string | undefined, use: (sql: Sql) => Promise<T>): Promise<T> {
  const url = option ?? (process.env['DATABASE_URL'] || localDatabase())
  if (url === undefined)
    throw new Error('There is no database to look at: start one with "npm start", or name one with --database <url>')
  const sql = connect(url)
  try {
    await sql`set default_transaction_read_only = on`.catch((error: unknown) => {
      // A cause would be what is printed, without the place.
      throw new Error(`No database answers at ${databasePlace(url)}: ${errorMessage(error)}`, { cause: undefined })
    })
    return await use(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

function connect(url: string): Sql {
  if (!/^postgres(ql)?:\/\/./.test(url) || !URL.canParse(url))
    throw new Error('The database is named like postgres://user:password@host:5432/name')
  return postgres(url, { max: 1, onnotice: () => undefined, connect_timeout: 10, connection: { TimeZone: 'UTC' } })
}

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
