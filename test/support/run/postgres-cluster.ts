import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../../infra/local/database/postgres.ts'
import { createServiceRole, type ServiceLogin } from '../../../lib/db/service-role.ts'
import { serviceLogin } from '../database/service-login.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The maintenance database of the run's own Postgres, as a user who may create databases. */
    postgresUrl: string
    /** The seeds of `npm run faults`; none in the suite, where each fault has its own. */
    faultSeeds: readonly number[]
    /** How many callers work on the same rows at once. */
    faultCallers: number
  }
}

const faultSeeds = (): readonly number[] => (process.env['FAULT_SEEDS'] ?? '').split(',').filter(Boolean).map(Number)

/**
 * Starts the Postgres of the run, with the role of the functions. The returned function stops it and removes its files.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'table-control-test-'))
  const server = await startPostgres({ directory, ephemeral: true })
  const sql = postgres(server.url('postgres'), { max: 1, onnotice: () => {} })
  await createServiceRole(sql, serviceLogin)
  const { username: user, password } = new URL(server.url('postgres'))
  await hashOnce(sql, [{ user, password }, serviceLogin])
  await sql.end()
  project.provide('postgresUrl', server.url('postgres'))
  project.provide('faultSeeds', faultSeeds())
  project.provide('faultCallers', Number(process.env['FAULT_CALLERS'] ?? '24'))
  return async () => {
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** Has each log-in hash its password once instead of 4,096 times: a third of what it costs a client. */
async function hashOnce(sql: Sql, logins: readonly ServiceLogin[]): Promise<void> {
  // Before Postgres 16, the number is fixed.
  await sql`select set_config(name, '1', false) from pg_settings where name = 'scram_iterations'`
  for (const { user, password } of logins) await sql.unsafe(`alter role ${user} password '${password}'`)
}
