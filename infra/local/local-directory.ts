import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const project = resolve(import.meta.dirname, '../..')

/** The folder of the local stack's data and secrets: LOCAL_DIRECTORY; default `.local` in the project. */
export const localDirectory = (): string => resolve(project, process.env['LOCAL_DIRECTORY'] || '.local')

/** Writes a file that only this user may read, in one step: a reader sees the old content or the new, never a part. */
export function writePrivateFile(path: string, content: string): void {
  const draft = writeDraft(path, content)
  renameSync(draft, path)
}

/**
 * The content of a file, which is created from `create` when missing; of two processes that create it, both get the
 * first's.
 */
export function readOrCreate(path: string, create: () => string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    const draft = writeDraft(path, create())
    try {
      linkSync(draft, path)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    } finally {
      rmSync(draft)
    }
    return readFileSync(path, 'utf8')
  }
}

function writeDraft(path: string, content: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = join(dirname(path), `.${process.pid}.draft`)
  writeFileSync(draft, content, { mode: 0o600 })
  return draft
}
