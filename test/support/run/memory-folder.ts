import { readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from './is-alive.ts'

/** The file system that Linux has in memory. Containers may forbid to run programs in it, which some tests copy. */
const folder = '/dev/shm'
const usable = /^\S+ \/dev\/shm tmpfs (?!\S*noexec)/m
const minBytes = 6 * 1024 ** 3

/**
 * Returns a folder in memory for the files of a run, `undefined` where there is none or too little memory. A test file
 * copies and removes a database of 300 files, and a disk takes several times as much of a processor for each.
 */
export function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder)
    const isRoomy = Math.min(bavail * bsize, process.availableMemory()) >= minBytes
    return isRoomy && usable.test(readFileSync('/proc/mounts', 'utf8')) ? folder : undefined
  } catch {
    return undefined
  }
}

const dayMs = 86_400_000

/** Removes what killed runs of this user left in memory. Names start with `prefix` and the process id of the run. */
export function removeOldRuns(prefix: string): void {
  for (const name of readdirSync(folder).filter((one) => one.startsWith(prefix))) {
    const path = join(folder, name)
    const run = statSync(path, { throwIfNoEntry: false })
    if (run === undefined || run.uid !== process.getuid?.()) continue
    // The id of a killed run may belong to another process by now: after a day its folder goes all the same.
    const isOld = Date.now() - run.mtimeMs > dayMs
    if (isOld || hasDied(name.slice(prefix.length))) rmSync(path, { recursive: true, force: true })
  }
}

function hasDied(rest: string): boolean {
  const pid = /^\d+(?=-)/.exec(rest)?.[0]
  return pid !== undefined && !isAlive(Number(pid))
}
