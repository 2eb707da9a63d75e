import { spawnSync } from 'node:child_process'
import postgres, { type Sql } from 'postgres'

/** Ends sessions of the database that `condition` holds for, and waits until they are gone. */
export async function terminate(url: string, condition = 'true'): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} })
  await terminateOthers(admin, condition)
  await admin.end({ timeout: 5 })
}

/** Does the same by a client of one connection, whose own session goes on. */
export async function terminateOthers(admin: Sql, condition = 'true'): Promise<void> {
  const others = `pid <> pg_backend_pid() and datname = current_database() and (${condition})`
  let sessions = await admin.unsafe(`select pid, pg_terminate_backend(pid) from pg_stat_activity where ${others}`)
  const pids = sessions.map(({ pid }) => pid)
  while (sessions.length > 0) sessions = await admin`select pid from pg_stat_activity where pid = any(${pids}::int[])`
}

/** Waits until the server has ended a session by itself. */
export async function awaitEnd(url: string, pid: number): Promise<void> {
  const admin = postgres(url, { max: 1 })
  while ((await admin`select from pg_stat_activity where pid = ${pid}`).length > 0);
  await admin.end({ timeout: 5 })
}

/**
 * Ends sessions while this process stands still, as a function does whose environment is frozen between two requests.
 */
export function terminateWhileFrozen(url: string, condition = 'true'): void {
  runFrozen(`await terminate('${url}', ${JSON.stringify(condition)})`)
}

/** Waits for that while this process stands still. */
export const awaitEndWhileFrozen = (url: string, pid: number): void => runFrozen(`await awaitEnd('${url}', ${pid})`)

function runFrozen(statement: string): void {
  const module = import.meta.resolve('./terminate.ts')
  const script = `import { awaitEnd, terminate } from '${module}'; ${statement}`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
}
