import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import { type Postgres, startPostgres } from '../../../infra/local/database/postgres.ts'
import { postgresMajor } from '../../../infra/local/database/postgres-binaries.ts'

/** A server that archives its WAL, as Aurora does all the time. */
export interface ArchivingServer {
  readonly server: Postgres
  readonly sql: Sql
  /** Copies the running server's files: where every restore begins. */
  readonly takeBaseBackup: () => Promise<void>
  /**
   * Ends the server, and starts one from the base backup and the archive, as of this time. It takes writes when this
   * resolves.
   */
  readonly restoreTo: (time: string) => Promise<Postgres>
  readonly stop: () => Promise<void>
}

const archiving = ['wal_level=replica', 'archive_mode=on', 'archive_timeout=0', 'hot_standby=off']

export async function startArchivingServer(): Promise<ArchivingServer> {
  const directory = await mkdtemp(join(tmpdir(), 'table-control-restore-'))
  const [first, second, archive] = ['first', 'second', 'archive'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ]
  await chmod(directory, 0o755)
  await mkdir(archive)
  // Postgres may run as another user than this process.
  await chmod(archive, 0o777)
  const settings = [...archiving, `archive_command=cp %p ${archive}/%f`]
  const server = await startPostgres({ directory: first, settings })
  const sql = postgres(server.url(), { max: 4, onnotice: () => {} })
  let restored: Postgres | undefined
  return {
    server,
    sql,
    takeBaseBackup: () => takeBaseBackup(sql, first, second),
    restoreTo: async (time) => {
      await archiveAll(sql)
      await sql.end({ timeout: 5 })
      await server.stop()
      await writeFile(join(second, 'cluster', 'recovery.signal'), '')
      const recovery = [`restore_command=cp ${archive}/%f %p`, `recovery_target_time=${time}`]
      restored = await startPostgres({
        directory: second,
        settings: [...archiving, ...recovery, 'recovery_target_action=promote'],
      })
      const check = postgres(restored.url(), { max: 1, onnotice: () => {} })
      while ((await check`select from pg_settings where pg_is_in_recovery() limit 1`).length > 0) await sleep(50)
      await check.end()
      return restored
    },
    stop: async () => {
      await sql.end({ timeout: 1 })
      await Promise.all([server.stop(), restored?.stop()])
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Both calls belong to one session, which is open while the files are copied. */
async function takeBaseBackup(sql: Sql, from: string, to: string): Promise<void> {
  const [start, stop] =
    postgresMajor() < 15
      ? ["pg_start_backup('restore', true, false)", 'pg_stop_backup(false)']
      : ["pg_backup_start('restore', true)", 'pg_backup_stop(false)']
  const session = await sql.reserve()
  try {
    await session.unsafe(`select ${start}`)
    const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    const [backup] = await session.unsafe(`select labelfile from ${stop}`)
    await writeFile(join(to, 'cluster', 'backup_label'), String(backup?.['labelfile']))
  } finally {
    session.release()
  }
  await rm(join(to, 'cluster', 'postmaster.pid'), { force: true })
  // The copied part was written during the copy; the whole comes from the archive.
  const wal = join(to, 'cluster', 'pg_wal')
  for (const name of await readdir(wal)) if (/^[0-9A-F]{24}$/.test(name)) await rm(join(wal, name))
}

/** Waits until the archive holds all that was committed. */
async function archiveAll(sql: Sql): Promise<void> {
  const [last] = await sql`select pg_walfile_name(pg_switch_wal()) as name`
  const isArchived = async () => {
    const [row] = await sql`select last_archived_wal >= ${last?.['name']} as yes from pg_stat_archiver`
    return row?.['yes'] === true
  }
  while (!(await isArchived())) await sleep(50)
}
