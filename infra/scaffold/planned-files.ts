import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'

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
  return formatFiles(files)
}

/** Formats all files by one start of the formatter, in a folder of their own. */
function formatFiles(files: readonly PlannedFile[]): readonly PlannedFile[] {
  const folder = mkdtempSync(join(tmpdir(), 'table-control-format-'))
  try {
    const settings = { extends: [join(own, '.biome.json')], vcs: { enabled: false }, linter: { enabled: false } }
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(settings))
    writeFiles(folder, files)
    const args = ['check', '--write', '--colors=off', folder]
    const result = spawnSync(findFormatter(), args, { cwd: folder, encoding: 'utf8' })
    if (result.status !== 0)
      throw new Error(`The files could not be formatted: ${result.stderr || result.error?.message}`)
    return files.map((file) => ({ ...file, text: readFileSync(join(folder, file.path), 'utf8') }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the formatter's own program: the script that npm puts before it starts a second Node. */
function findFormatter(): string {
  const modules = join(own, 'node_modules')
  const program = join(modules, `@biomejs/cli-${process.platform}-${process.arch}/biome`)
  return existsSync(program) ? program : join(modules, '.bin/biome')
}

/** Writes all files or none: each is written beside its place first, where a full disk does no harm. */
export function writeFiles(project: string, files: readonly PlannedFile[]): void {
  const placed = files.map(({ path, text }) => ({ file: join(project, path), text }))
  try {
    for (const { file, text } of placed) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(draftPath(file), text)
    }
    for (const { file } of placed) renameSync(draftPath(file), file)
  } finally {
    for (const { file } of placed) rmSync(draftPath(file), { force: true })
  }
}

const draftPath = (file: string): string => join(dirname(file), `.${basename(file)}.draft`)
