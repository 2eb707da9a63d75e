import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processCommand } from '../process-command.ts'
import { tryReadFile } from '../try-read-file.ts'

/**
 * Stops a server that a killed run left on this cluster, since Postgres allows one server per cluster, and removes the
 * file that names it. Only a process that really is a Postgres on this very cluster is signalled. Throws when it does
 * not stop within 10 seconds.
 */
export async function stopOrphan(cluster: string): Promise<void> {
  const pid = readOrphanPid(cluster)
  if (pid !== undefined) await stopServer(cluster, pid)
  // Postgres refuses to start while any process has the id in this file, which may be another program's by now.
  rmSync(join(cluster, 'postmaster.pid'), { force: true })
}

async function stopServer(cluster: string, pid: number): Promise<void> {
  process.kill(pid, 'SIGINT')
  for (let waited = 0; waited < 10_000; waited += 50) {
    if (!isServerProcess(cluster, pid)) return
    await sleep(50)
  }
  throw new Error(
    `A Postgres of a former run (process ${pid}) still uses ${cluster} and does not stop; end it by kill -QUIT ${pid}.`,
  )
}

function readOrphanPid(cluster: string): number | undefined {
  const pid = Number(tryReadFile(join(cluster, 'postmaster.pid'))?.split('\n')[0])
  return isServerProcess(cluster, pid) ? pid : undefined
}

function isServerProcess(cluster: string, pid: number): boolean {
  const command = processCommand(pid)
  return command !== undefined && basename(command[0] ?? '') === 'postgres' && command.includes(cluster)
}
