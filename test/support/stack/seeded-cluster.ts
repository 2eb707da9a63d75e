import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { createDatabase, prepareDatabase } from '../../../infra/local/database/database.ts'
import { startPostgres } from '../../../infra/local/database/postgres.ts'
import { loadSigningKey } from '../../../infra/local/identity/signing-key.ts'

const run = promisify(execFile)

/**
 * Gives a stack that has never started what its first start would make: a copy of a cluster with the rows of the demo,
 * and a signing key. To make them takes five seconds of a processor, the copy a tenth of one.
 */
export async function copySeededCluster(directory: string): Promise<void> {
  const seeded = await findSeededDirectory()
  // It keeps the owner: for root, the cluster may belong to another user.
  await run('cp', ['-Rp', join(seeded, 'postgres'), join(seeded, 'signing-key.pem'), directory])
}

/** The first test file of the run that asks makes it, the others wait. */
async function findSeededDirectory(): Promise<string> {
  const shared = inject('sharedDirectory')
  const finished = join(shared, 'seeded')
  const claim = join(shared, 'seeding')
  while (!existsSync(finished)) {
    const isFirst = await mkdir(claim).then(
      () => true,
      () => false,
    )
    if (isFirst) await seed(claim, finished).finally(() => rm(claim, { recursive: true, force: true }))
    else await sleep(50)
  }
  return finished
}

async function seed(draft: string, finished: string): Promise<void> {
  if (existsSync(finished)) return
  const server = await startPostgres({ directory: join(draft, 'postgres'), ephemeral: true })
  try {
    await createDatabase(server.url(), 'table_control')
    const { signal } = new AbortController()
    const url = server.url('table_control')
    await prepareDatabase({ url, flights: '200k', report: () => {}, signal })
  } finally {
    await server.stop()
  }
  loadSigningKey(draft)
  await rename(draft, finished)
}
