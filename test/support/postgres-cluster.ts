import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../infra/local/postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The maintenance database of the run's own Postgres, as a user who may create databases. */
    postgresUrl: string
  }
}

/** Runs once around all test files: one throwaway Postgres for every worker. The result stops it and removes its files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'table-control-test-'))
  const postgres = await startPostgres({ directory, ephemeral: true })
  project.provide('postgresUrl', postgres.url('postgres'))
  return async () => {
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
  }
}
