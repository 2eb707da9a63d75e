import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Postgres, startPostgres } from '../../infra/local/database/postgres.ts'

let directory: string
let server: Postgres | undefined
const pidFile = () => join(directory, 'cluster/postmaster.pid')
const start = () => startPostgres({ directory, ephemeral: true })

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'table-control-restart-'))
})
afterAll(async () => {
  await server?.stop()
  await rm(directory, { recursive: true, force: true })
})

async function responses(): Promise<unknown> {
  const sql = postgres(server?.url() ?? '', { max: 1 })
  try {
    return (await sql`select 1 as one`)[0]?.['one']
  } finally {
    await sql.end()
  }
}

describe('a Postgres that was killed', () => {
  it('starts again where the id in its file is that of another program by now', async () => {
    server = await start()
    const left = await readFile(pidFile(), 'utf8')
    await server.stop()
    await writeFile(pidFile(), left.replace(/^\d+/, String(process.pid)))
    server = await start()
    expect(await responses()).toBe(1)
  })

  it('starts again at once, while its backends still end', async () => {
    server ??= await start()
    const sql = postgres(server.url(), { max: 3, onnotice: () => {} })
    const running = [1, 2, 3].map(() => sql`select pg_sleep(30)`.catch(() => undefined))
    const { pid } = server
    process.kill(pid, 'SIGKILL')
    server = await start()
    expect(await responses()).toBe(1)
    await Promise.all([...running, sql.end({ timeout: 1 })])
  })
})

it.each([
  ['password', /password is empty; put the password of table_control into it, or delete .* with all rows/],
  [
    'cluster/PG_VERSION',
    /^Postgres did not start: .*PG_VERSION.*\nTo go on, delete .* with all rows, and the next start/s,
  ],
])('a Postgres whose file %s was emptied says how to go on', async (name, message) => {
  server ??= await start()
  await server.stop()
  const file = join(directory, name)
  const before = await readFile(file, 'utf8')
  await writeFile(file, '')
  await expect(start()).rejects.toThrow(message)
  await writeFile(file, before)
})
