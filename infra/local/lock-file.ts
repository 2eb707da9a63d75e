import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from './error-message.ts'
import { processStart } from './process-start.ts'
import { tryReadFile } from './try-read-file.ts'

/**
 * Locks a file for this process: waits for the process that has the lock, unless it is gone. Returns what frees it
 * again.
 */
export async function lockFile(file: string, signal?: AbortSignal): Promise<() => void> {
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 })
  for (;;) {
    if (takeFile(file)) return () => rmSync(file, { force: true })
    if (isHeld(file)) await sleep(100, undefined, { signal })
    else await removeUnheld(file, signal)
  }
}

/** Removes a lock whose process is gone, in one process at a time: a later one would remove the lock of the first. */
async function removeUnheld(file: string, signal?: AbortSignal): Promise<void> {
  const unlock = await lockFile(`${file}.removal`, signal)
  try {
    if (!isHeld(file)) rmSync(file, { force: true })
  } finally {
    unlock()
  }
}

/** Returns whether the file is now this process's. It appears with its content: a full disk leaves no empty lock. */
function takeFile(file: string): boolean {
  const draft = `${file}.${process.pid}`
  try {
    writeFileSync(draft, `${process.pid} ${processStart(process.pid)}`)
    linkSync(draft, file)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Returns whether the process that took the file still runs: another program may have its id by now. */
function isHeld(file: string): boolean {
  const holder = tryReadFile(file)
  // Freed a moment ago; who removes it now may remove the lock of the next process.
  if (holder === undefined) return true
  const [pid, ...start] = holder.split(' ')
  return pid !== '' && processStart(Number(pid)) === start.join(' ')
}
