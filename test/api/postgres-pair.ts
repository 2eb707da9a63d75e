import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { type Postgres, startPostgres } from '../../infra/local/database/postgres.ts'

/** A primary and its synchronous standby: a commit is acknowledged when both have it. */
export interface PostgresPair {
  readonly primary: Postgres
  readonly standby: Postgres
  /** Makes the standby the primary; resolves when it takes writes. */
  readonly promote: () => Promise<void>
  /** Makes the primary's commits wait for the standby of this name: `standby`, or one that does not exist. */
  readonly waitFor: (name: string) => Promise<void>
  readonly stop: () => Promise<void>
}

const replicating = ['wal_level=replica', 'max_wal_senders=4', 'hot_standby=on', 'synchronous_commit=on']

/** Starts a primary, lets `fill` write to it, and starts a standby from a copy of its stopped data directory. */
export async function startPostgresPair(fill: (server: Postgres) => Promise<void>): Promise<PostgresPair> {
  const directory = await mkdtemp(join(tmpdir(), 'table-control-pair-'))
  const first = join(directory, 'first')
  const second = join(directory, 'second')
  const filled = await startPostgres({ directory: first, ephemeral: true, settings: replicating })
  await fill(filled)
  await filled.stop()
  copyStopped(first, second)
  await writeFile(join(second, 'cluster', 'standby.signal'), '')
  const primary = await startPostgres({ directory: first, ephemeral: true, settings: replicating })
  const settings = [...replicating, `primary_conninfo=${connectionInfo(primary.url())}`]
  const standby = await startPostgres({ directory: second, ephemeral: true, settings })
  await waitForStandby(primary.url(), 'standby')
  await run(primary.url(), async (sql) => {
    while ((await sql`select from pg_stat_replication where sync_state = 'sync'`).length === 0)
      await sql`select pg_sleep(0.05)`
  })
  return {
    primary,
    standby,
    waitFor: (name) => waitForStandby(primary.url(), name),
    promote: () => run(standby.url(), (sql) => sql`select pg_promote(true, 60)`),
    stop: async () => {
      await Promise.all([primary.stop(), standby.stop()])
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function copyStopped(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

function connectionInfo(url: string): string {
  const { hostname, port, username, password } = new URL(url)
  return `host=${hostname} port=${port} user=${username} password=${password} application_name=standby`
}

/**
 * Sets the standby at run time and not at the start, so that the promoted copy waits for no standby. Resolves when the
 * process that sends to the standby knows it, which is some time after the reload was asked for.
 */
const waitForStandby = (url: string, name: string): Promise<void> =>
  run(url, async (sql) => {
    await sql.unsafe(`alter system set synchronous_standby_names = '${name}'`)
    await sql`select pg_reload_conf()`
    const isStandby = name === 'standby'
    while ((await sql`select from pg_stat_replication where (sync_priority > 0) = ${isStandby}`).length === 0)
      await sql`select pg_sleep(0.05)`
  })

async function run(url: string, task: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await task(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
