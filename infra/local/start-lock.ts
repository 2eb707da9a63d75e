import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { processCommand } from './process-command.ts'

/**
 * The process of a stack that runs on this directory now; undefined when there is none, or only what a killed one left.
 */
export function runningStack(directory: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(directory, 'start.lock'), 'utf8'))
    const command = processCommand(pid)
    return pid !== process.pid && command?.some((part) => part.endsWith('infra/local/start.ts')) ? pid : undefined
  } catch {
    return undefined
  }
}

/** Marks the directory as this process's. Throws when another stack runs on it. Returns what frees it again. */
export function lockDirectory(directory: string): () => void {
  const lock = join(directory, 'start.lock')
  const other = runningStack(directory)
  if (other !== undefined)
    throw new Error(`Table Control is already running on ${directory} (process ${other}); Ctrl-C there stops it.`)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  rmSync(lock, { force: true })
  // The second of two simultaneous starts fails here.
  writeFileSync(lock, String(process.pid), { flag: 'wx' })
  return () => rmSync(lock, { force: true })
}
