import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Finds the specifiers of imports and re-exports of values; those of types are erased before a module is loaded. */
const importedValues = /^\s*(?:import|export)\b(?!\s+type\b)(?:[^'"`;=]*?\bfrom)?\s*['"]([^'"]+)['"]/gm

/** Returns a hash of files and, where one is a module, of all that it imports from this project, at any depth. */
export function hashModules(entries: readonly URL[]): string {
  const hash = createHash('sha256')
  const files = new Set(entries.map(({ href }) => href))
  // A set also yields what is added to it meanwhile.
  for (const file of files) {
    const text = readFileSync(new URL(file), 'utf8')
    hash.update(`${file}\0${text}\0`)
    if (!file.endsWith('.ts')) continue
    for (const [, specifier = ''] of text.matchAll(importedValues)) {
      if (specifier.startsWith('.')) files.add(new URL(specifier, file).href)
      else if (specifier.startsWith('#')) files.add(import.meta.resolve(specifier))
    }
  }
  return hash.digest('hex')
}
