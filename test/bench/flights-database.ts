import { resolve } from 'node:path'
import { createDatabase, prepareDatabase } from '../../infra/local/database.ts'
import { type Postgres, startPostgres } from '../../infra/local/postgres.ts'

/** Where the benchmark keeps its database between runs, so that it is seeded once. */
export const benchDirectory = resolve(import.meta.dirname, '../../.local/bench')

/** Starts the benchmark's own Postgres; the first run fills it with all 3,000,000 flights. */
export async function startFlightsDatabase(report: (line: string) => void): Promise<Postgres & { readonly databaseUrl: string }> {
  const postgres = await startPostgres({ directory: resolve(benchDirectory, 'postgres') })
  await createDatabase(postgres.url(), 'bench')
  const databaseUrl = postgres.url('bench')
  await prepareDatabase({ url: databaseUrl, tls: false, flights: 'all', report })
  return { ...postgres, databaseUrl }
}
