import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefix = 'table-control-job-'

/** A function ends long before. */
const maxAgeMs = 3_600_000

let removal: Promise<void> | undefined

/**
 * Creates a directory for the files of one attempt at a job. The first call of a process removes the directories of
 * killed workers: their process is gone, or they are older than an hour.
 */
export async function createJobDirectory(): Promise<string> {
  removal ??= removeOrphans()
  await removal
  return mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
}

/** Best effort: a directory that stays takes space and nothing else. */
async function removeOrphans(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => [])
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    const path = join(tmpdir(), name)
    const createdAt = await stat(path).then(({ mtimeMs }) => mtimeMs, Date.now)
    if (isOrphan(Number(/^\d+(?=-)/.exec(name.slice(prefix.length))?.[0]), createdAt)) {
      await rm(path, { recursive: true, force: true }).catch(() => undefined)
    }
  }
}

function isOrphan(pid: number, createdAt: number): boolean {
  if (createdAt < Date.now() - maxAgeMs) return true
  if (!Number.isSafeInteger(pid)) return false
  // Process ids are used again, above all when the environment of a function restarts.
  if (pid === process.pid) return createdAt < Date.now() - process.uptime() * 1_000
  return !isAlive(pid)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
