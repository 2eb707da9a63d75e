import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage } from './error-message.ts'
import { lockFile } from './lock-file.ts'
import { processCommand } from './process-command.ts'
import { tryReadFile } from './try-read-file.ts'

/**
 * The process of a stack that runs on this directory now; undefined when there is none, or only what a killed one left.
 */
export function runningStack(directory: string): number | undefined {
  const pid = Number(tryReadFile(join(directory, 'start.lock')))
  const command = processCommand(pid)
  return pid !== process.pid && command?.some((part) => part.endsWith('infra/local/start.ts')) ? pid : undefined
}

/** Marks the directory as this process's. Throws when another stack runs on it. Returns what frees it again. */
export async function lockDirectory(directory: string): Promise<() => void> {
  const lock = join(directory, 'start.lock')
  // The second of two simultaneous starts finds the first.
  const unlock = await lockFile(join(directory, 'starting.lock')).catch((cause: unknown) => {
    const fix = 'set LOCAL_DIRECTORY to a folder that can be written'
    throw new Error(`${directory} cannot be written: ${errorMessage(cause)}; ${fix}`, { cause })
  })
  try {
    const other = runningStack(directory)
    if (other !== undefined)
      throw new Error(`Table Control is already running on ${directory} (process ${other}); Ctrl-C there stops it.`)
    writeFileSync(lock, String(process.pid))
  } finally {
    unlock()
  }
  return () => rmSync(lock, { force: true })
}
