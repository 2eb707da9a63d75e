import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { memoryFolder, removeOldRuns } from './memory-folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for files that one test file makes for all of the run. */
    sharedDirectory: string
  }
}

const prefix = 'table-control-run-'

/** Runs once around all test files: creates the folder of all temporary files, and removes it in the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const memory = memoryFolder()
  if (memory !== undefined) removeOldRuns(prefix)
  const directory = await mkdtemp(join(memory ?? tmpdir(), `${prefix}${process.pid}-`))
  // Started by root, Postgres may have to run as a user who is not.
  await chmod(directory, 0o711)
  // The workers and the processes that they start inherit it.
  process.env['TMPDIR'] = directory
  project.provide('sharedDirectory', directory)
  return () => rm(directory, { recursive: true, force: true })
}
