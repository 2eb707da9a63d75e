import { readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The file system that Linux has in memory. Containers may forbid to run programs in it, which some tests copy. */
const folder = '/dev/shm'
const usable = /^\S+ \/dev\/shm tmpfs (?!\S*noexec)/m
const minBytes = 6 * 1024 ** 3

/**
 * Returns a folder in memory for the files of a run, `undefined` where there is none or too little memory. A test file copies and
 * removes a database of 300 files, and a disk takes several times as much of a processor for each.
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

/** Removes what runs of the days before left in memory, because they were killed. Names start with `prefix`. */
export function removeOldRuns(prefix: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (name.startsWith(prefix) && Date.now() - statSync(path).mtimeMs > dayMs)
      rmSync(path, { recursive: true, force: true })
  }
}
