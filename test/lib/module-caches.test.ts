import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const declaration = /^(?:export )?const (\w+)(?:: (?!Readonly)[^=\n]+)? = new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\)/gm

const listFiles = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))

/** Maps and sets that begin empty and live as long as the process. */
const found = ['lib', 'infra/local'].flatMap((folder) =>
  listFiles(folder).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(declaration)].map(([, name]) => `\`${file}\`: \`${name}\``),
  ),
)

const section = /^## Memory of a process\n([\s\S]*?)(?=^## )/m.exec(
  readFileSync(join(root, 'lib/README.md'), 'utf8'),
)?.[1]
const listed = [...(section ?? '').matchAll(/^\| (`[\w./-]+`: `\w+`) +\|/gm)].map(([, place]) => place)

it('lists every map that lives as long as a process, with its bound, in the README', () => {
  expect(found.length).toBeGreaterThan(20)
  expect(found.filter((place) => !listed.includes(place))).toEqual([])
})

it('lists no map in the README that is gone', () => {
  const places = new Set(found)
  expect(listed.filter((place) => place === undefined || !places.has(place))).toEqual([])
})
