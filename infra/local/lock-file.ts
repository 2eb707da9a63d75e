import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processCommand } from './process-command.ts'

/**
 * Locks a file for this process: waits for the process that has the lock, unless it is gone. Returns what frees it
 * again.
 */
export async function lockFile(file: string, signal?: AbortSignal): Promise<() => void> {
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 })
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
    const holder = readHolder(file)
    if (holder !== undefined && processCommand(holder) === undefined) rmSync(file, { force: true })
    else await sleep(100, undefined, { signal })
  }
}

function readHolder(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined
  } catch {
    return undefined
  }
}
