import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'

/** A folder of migrations that holds these files, by name and in this order; it is removed after the test. */
export function migrationFolder(files: Readonly<Record<string, string>>, made: readonly number[] = []): URL {
  const directory = mkdtempSync(join(tmpdir(), 'table-control-migrations-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  mkdirSync(join(directory, 'meta'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  const entries = Object.keys(files).map((name, index) => ({
    tag: name.replace('.sql', ''),
    when: made[index] ?? 1_000 + index,
  }))
  writeFileSync(join(directory, 'meta/_journal.json'), JSON.stringify({ entries }))
  return pathToFileURL(`${directory}/`)
}
