import postgres from 'postgres'
import { serviceDdl } from './service-ddl.ts'
import type { DatabaseTemplate } from './test-database.ts'

/** A database that holds the service's own tables, all empty, and no others. */
export const serviceSchema: DatabaseTemplate = {
  name: 'service_schema',
  build: async (url) => {
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    try {
      await sql.unsafe(await serviceDdl())
    } finally {
      await sql.end({ timeout: 5 })
    }
  },
}
