import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import postgres from 'postgres'
import { createDatabase, prepareDatabase } from '../../infra/local/database/database.ts'
import { startPostgres } from '../../infra/local/database/postgres.ts'
import { postgresAccount } from '../../infra/local/database/postgres-account.ts'
import type { FlightSample } from '../../infra/local/database/seed.ts'
import { createTlsIdentity } from '../support/network/tls-identity.ts'
import type { Bench } from './figure.ts'
import { benchDirectory, startKeys } from './installation.ts'

/** Progress goes to stderr, so that what is printed is the report alone. */
const report = (line: string): void => console.error(`  ${line}`)

/** Runs `use` on the benchmark's own Postgres, which the first run fills, beside the keys of its callers. */
export async function withBench<T>(flights: FlightSample, use: (bench: Bench) => Promise<T>): Promise<T> {
  const directory = join(benchDirectory, flights === 'all' ? 'postgres' : `postgres-${flights}`)
  const server = await startPostgres({ directory })
  await createDatabase(server.url(), 'bench')
  const url = server.url('bench')
  // Never aborted: Ctrl-C ends the process, and a load that did not finish leaves nothing behind.
  const { signal } = new AbortController()
  const keys = await startKeys()
  try {
    await prepareDatabase({ url, flights, report, signal })
    await readOnce(url)
    return await use({ databaseUrl: url, jwksUrl: keys.jwksUrl, report })
  } finally {
    await keys.stop()
    await server.stop()
  }
}

/**
 * Brings the table and its widest index back into memory, which a machine may have used for something else meanwhile.
 */
async function readOnce(url: string): Promise<void> {
  const sql = postgres(url, { max: 1 })
  await sql`select sum(delay) from flights`
  await sql`select count(*) from (select date, id from flights order by date, id offset 0) walked`
  await sql.end()
}

/** Lets the benchmark's server offer TLS; `url` names it as its self-signed certificate does, which `ca` is. */
export async function enableTls(url: string): Promise<{ readonly url: string; readonly ca: string }> {
  const { key, cert } = createTlsIdentity('localhost')
  const sql = postgres(url, { max: 1 })
  const [{ cluster } = { cluster: '' }] = await sql<
    { cluster: string }[]
  >`select current_setting('data_directory') as cluster`
  const account = postgresAccount(dirname(cluster))
  for (const [name, content] of [
    ['server.key', key],
    ['server.crt', cert],
  ] as const) {
    const path = join(cluster, name)
    writeFileSync(path, content, { mode: 0o600 })
    account.own(path)
  }
  await sql`alter system set ssl = on`
  await sql`select pg_reload_conf()`
  await sql.end()
  const named = new URL(url)
  named.hostname = 'localhost'
  return { url: named.href, ca: cert }
}
