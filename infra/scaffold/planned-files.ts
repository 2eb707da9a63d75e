import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** A file that is about to be written. */
export interface PlannedFile {
  /** Relative to the project. */
  readonly path: string
  readonly text: string
  /** A change of a file that is there; any other must not be there. */
  readonly changes: boolean
}

const own = resolve(import.meta.dirname, '../..')

/** The files as the formatter of the project writes them. Throws where one that is new is there already. */
export function readyToWrite(project: string, files: readonly PlannedFile[]): readonly PlannedFile[] {
  for (const { path, changes } of files) {
    if (!changes && existsSync(join(project, path)))
      throw new Error(`${path} is there already, and nothing is overwritten: move it away first`)
  }
  return files.map((file) => ({ ...file, text: formatFile(file) }))
}

function formatFile({ path, text }: PlannedFile): string {
  const args = ['check', '--write', '--linter-enabled=false', '--vcs-enabled=false', `--stdin-file-path=${path}`]
  const result = spawnSync(join(own, 'node_modules/.bin/biome'), args, { cwd: own, input: text, encoding: 'utf8' })
  if (result.status !== 0) throw new Error(`${path} could not be formatted: ${result.stderr || result.error?.message}`)
  return result.stdout
}

export function writeFiles(project: string, files: readonly PlannedFile[]): void {
  for (const { path, text, changes } of files) {
    const file = join(project, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text, { flag: changes ? 'w' : 'wx' })
  }
}
