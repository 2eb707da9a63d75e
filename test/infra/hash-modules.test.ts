import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeEach, expect, it } from 'vitest'
import { hashModules } from '../../infra/local/database/hash-modules.ts'

let directory: string
const write = (file: string, text: string) => writeFileSync(join(directory, file), text)
const hash = () =>
  hashModules([pathToFileURL(join(directory, 'schema/index.ts')), pathToFileURL(join(directory, 'last.json'))])

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'table-control-modules-'))
  for (const folder of ['schema', 'lib']) mkdirSync(join(directory, folder))
  write('schema/index.ts', "export { flights } from './flights.ts'\nexport const a = 'from'\n")
  write(
    'schema/flights.ts',
    "import {\n  moment,\n  text,\n} from '../lib/columns.ts'\nimport type { Id } from './id.ts'\n",
  )
  write('schema/id.ts', 'export type Id = string\n')
  write('lib/columns.ts', "export * from './moments.ts'\nimport '../schema/index.ts'\n")
  write('lib/moments.ts', 'export const moment = 1\n')
  write('last.json', '{}')
  return () => rmSync(directory, { recursive: true })
})

it.each([
  ['schema/flights.ts', 'export const flights = 1\n'],
  ['lib/columns.ts', 'export const moment = 2\n'],
  ['lib/moments.ts', 'export const moment = 2\n'],
  ['last.json', '{"id": 1}'],
])('the hash of modules changes with %s, which they are made of', (file, text) => {
  const before = hash()
  expect(hash()).toBe(before)
  write(file, text)
  expect(hash()).not.toBe(before)
})

it.each(['schema/id.ts', 'lib/other.ts'])('the hash of modules stays as it is when %s changes', (file) => {
  const before = hash()
  write(file, 'export type Id = number\n')
  expect(hash()).toBe(before)
})
