import { Client } from 'pg'
import { createDatabase } from '../../../lib/db/database.ts'
import { compareTimes, type Question } from '../figure.ts'
import { enableTls } from '../flights-database.ts'
import { settings } from '../installation.ts'
import { interleave, measure } from '../rounds.ts'

const rounds = 41
const statement = 'select name from airports where iata = $1'

async function viaPg(url: string, ca: string): Promise<void> {
  const client = new Client({ connectionString: url, ssl: { ca } })
  await client.connect()
  await client.query(statement, ['SFO'])
  void client.end()
}

async function viaDatabase(url: string, ca: string): Promise<void> {
  const config = settings({ databaseUrl: url, jwksUrl: 'https://localhost/' }, 1)
  const database = createDatabase({ ...config, DATABASE_TLS: 'verify', DATABASE_TLS_CA: ca })
  await database.read(statement, ['SFO'])
  void database.close()
}

/** The first statement of a process, log-in included. */
export const coldConnection: Question = {
  id: 'cold-connection',
  asks: 'What does the first statement on a new TLS connection cost?',
  method: `TLS of Postgres itself with a self-signed certificate that is verified, SCRAM log-in, one statement with a parameter; ${rounds} rounds alternating with node-postgres in one warm process.`,
  measure: async ({ databaseUrl }) => {
    const { url, ca } = await enableTls(databaseUrl)
    const { database, pg: other } = await interleave(rounds, {
      database: () => measure(() => viaDatabase(url, ca)),
      pg: () => measure(() => viaPg(url, ca)),
    })
    return [compareTimes('cold TLS connection and first statement', database, ['node-postgres', other], { most: 1.15 })]
  },
}
