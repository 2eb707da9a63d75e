import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { errorCode } from './error-message.ts'

const project = resolve(import.meta.dirname, '../..')

/** The folder of the local stack's data and secrets: LOCAL_DIRECTORY; default `.local` in the project. */
export const localDirectory = (): string => resolve(project, process.env['LOCAL_DIRECTORY'] || '.local')

/** Writes a file that only this user may read, in one step: a reader sees the old content or the new, never a part. */
export function writePrivateFile(path: string, content: string): void {
  const draft = writeDraft(path, content)
  renameSync(draft, path)
}

const isFilled = (content: string): boolean => content.trim() !== ''

/**
 * The content of a file, which is created from `create` when missing; of two processes that create it, both get the
 * first's. Throws, with the fix, where it cannot be read or is not `usable` (default: where it is empty).
 */
export function readOrCreate(
  path: string,
  create: () => string,
  usable: (content: string) => boolean = isFilled,
): string {
  const content = readFile(path) ?? createFile(path, create())
  if (usable(content)) return content
  throw new Error(`${path} is empty or cut off; ${remake}`)
}

const remake = 'delete it, and the next start makes another one'

/** Returns undefined where there is no file. */
function readFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined
    throw new Error(`${path} cannot be read: ${cause instanceof Error ? cause.message : cause}; ${remake}`, { cause })
  }
}

function createFile(path: string, content: string): string {
  const draft = writeDraft(path, content)
  try {
    linkSync(draft, path)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  return readFileSync(path, 'utf8')
}

function writeDraft(path: string, content: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = join(dirname(path), `.${process.pid}.draft`)
  writeFileSync(draft, content, { mode: 0o600 })
  return draft
}
