import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefix = 'table-control-job-'

/** No function works as long on a job. */
const mostAgeMs = 3_600_000

let tidied: Promise<void> | undefined

/**
 * Makes a directory for the files of one attempt at a job. The first one of a process takes away what workers have left behind
 * that were killed: their process is no more, or their directory is older than an hour.
 */
export async function jobDirectory(): Promise<string> {
  tidied ??= removeLeftBehind()
  await tidied
  return mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
}

/** Never rejects: a directory that stays only takes room. */
async function removeLeftBehind(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => [])
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    const path = join(tmpdir(), name)
    const madeAt = await stat(path).then(({ mtimeMs }) => mtimeMs, Date.now)
    if (isLeftBehind(Number(/^\d+(?=-)/.exec(name.slice(prefix.length))?.[0]), madeAt)) {
      await rm(path, { recursive: true, force: true }).catch(() => undefined)
    }
  }
}

function isLeftBehind(pid: number, madeAt: number): boolean {
  if (madeAt < Date.now() - mostAgeMs) return true
  if (!Number.isSafeInteger(pid)) return false
  // Numbers of processes come again, above all in a function's environment that is started anew.
  if (pid === process.pid) return madeAt < Date.now() - process.uptime() * 1_000
  return !isAlive(pid)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of somebody else's may not be asked.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
