import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const project = resolve(import.meta.dirname, '../../..')
const refused = [
  "import { and } from 'drizzle-orm'",
  "import { or } from 'drizzle-orm'",
  "import { eq, or as either } from 'drizzle-orm/sql'",
  "import { and } from 'drizzle-orm/sql/expressions'",
  "import { and } from 'drizzle-orm/sql/expressions/conditions'",
]
const accepted = "import { eq } from 'drizzle-orm'\nimport { and } from '#lib'\nexport const x = [eq, and]"

let directory = ''
/** The reports of the linter by the project's rules, each of one table file, and its summary. */
let printed: readonly string[] = []

const fileName = (text: string) => `tables/orders-${[...refused, accepted].indexOf(text)}.ts`
const findReports = (text: string) => printed.filter((part) => part.startsWith(`${fileName(text)}:`)).join('')

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'table-control-lint-'))
  for (const file of ['.biome.json', '.gitignore', 'package.json']) await cp(join(project, file), join(directory, file))
  await mkdir(join(directory, 'tables'))
  for (const text of [...refused, accepted]) await writeFile(join(directory, fileName(text)), `${text}\n`)
  const biome = join(project, 'node_modules/.bin/biome')
  const args = ['lint', '--only=style/noRestrictedImports', '--colors=off', 'tables']
  const linted = promisify(execFile)(biome, args, { cwd: directory })
  const { stdout, stderr } = await linted.catch((error: { readonly stdout: string; readonly stderr: string }) => error)
  printed = (stderr + stdout).split(/^(?=tables\/|Checked )/m)
})
afterAll(() => rm(directory, { recursive: true, force: true }))

it.each(refused)('the linter refuses in a table file: %s', (line) => {
  expect(findReports(line)).toContain('import them from #lib, where they select none')
})

it('the linter accepts and/or of #lib beside other conditions of drizzle', () => {
  expect(printed.join('')).toContain('Checked 6 files')
  expect(findReports(accepted)).not.toContain('noRestrictedImports')
})
