import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for files that one test file makes for all of the run. */
    sharedDirectory: string
  }
}

/** Runs once around all test files: creates the folder, and removes it in the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'table-control-run-'))
  // Started by root, Postgres may have to run as a user who is not.
  await chmod(directory, 0o711)
  project.provide('sharedDirectory', directory)
  return () => rm(directory, { recursive: true, force: true })
}
