import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const project = resolve(import.meta.dirname, '../../..')
let directory = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'table-control-lint-'))
  for (const file of ['.biome.json', '.gitignore', 'package.json']) await cp(join(project, file), join(directory, file))
  await mkdir(join(directory, 'tables'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Lints a table file with the project's rules; resolves with what the linter prints. */
async function lint(text: string): Promise<string> {
  await writeFile(join(directory, 'tables/orders.ts'), text)
  const biome = join(project, 'node_modules/.bin/biome')
  const args = ['lint', '--only=style/noRestrictedImports', '--colors=off', 'tables/orders.ts']
  const linted = promisify(execFile)(biome, args, { cwd: directory })
  const { stdout, stderr } = await linted.catch((error: { readonly stdout: string; readonly stderr: string }) => error)
  return stdout + stderr
}

it.each([
  "import { and } from 'drizzle-orm'",
  "import { or } from 'drizzle-orm'",
  "import { eq, or as either } from 'drizzle-orm/sql'",
  "import { and } from 'drizzle-orm/sql/expressions'",
  "import { and } from 'drizzle-orm/sql/expressions/conditions'",
])('the linter refuses in a table file: %s', async (line) => {
  expect(await lint(`${line}\n`)).toContain('import them from #lib, where they select none')
})

it('the linter accepts and/or of #lib beside other conditions of drizzle', async () => {
  const printed = await lint(
    "import { eq } from 'drizzle-orm'\nimport { and } from '#lib'\nexport const x = [eq, and]\n",
  )
  expect(printed).toContain('Checked 1 file')
  expect(printed).not.toContain('noRestrictedImports')
})
