import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { createDatabase, prepareDatabase } from '../../../infra/local/database/database.ts'
import { startPostgres } from '../../../infra/local/database/postgres.ts'

const run = promisify(execFile)

/**
 * Gives a stack that has never started the database that its first start would make: a copy of a cluster with the rows
 * of the demo. Loading them takes five seconds of a processor, the copy a tenth of one.
 */
export async function copySeededCluster(directory: string): Promise<void> {
  // It keeps the owner: for root, the cluster may belong to another user.
  await run('cp', ['-Rp', await findSeededCluster(), join(directory, 'postgres')])
}

/** The first test file of the run that asks makes it, the others wait. */
async function findSeededCluster(): Promise<string> {
  const shared = inject('sharedDirectory')
  const finished = join(shared, 'seeded')
  const claim = join(shared, 'seeding')
  while (!existsSync(finished)) {
    const isFirst = await mkdir(claim).then(
      () => true,
      () => false,
    )
    if (isFirst)
      await seed(join(claim, 'postgres'), finished).finally(() => rm(claim, { recursive: true, force: true }))
    else await sleep(50)
  }
  return finished
}

async function seed(draft: string, finished: string): Promise<void> {
  if (existsSync(finished)) return
  const server = await startPostgres({ directory: draft, ephemeral: true })
  try {
    await createDatabase(server.url(), 'table_control')
    const { signal } = new AbortController()
    const url = server.url('table_control')
    await prepareDatabase({ url, tls: false, flights: '200k', report: () => {}, signal })
  } finally {
    await server.stop()
  }
  await rename(draft, finished)
}
