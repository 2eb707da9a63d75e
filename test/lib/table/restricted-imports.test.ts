import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const project = resolve(import.meta.dirname, '../../..')
const withoutGuard = [
  "import { and } from 'drizzle-orm'",
  "import { or } from 'drizzle-orm'",
  "import { eq, or as either } from 'drizzle-orm/sql'",
  "import { and } from 'drizzle-orm/sql/expressions'",
  "import { and } from 'drizzle-orm/sql/expressions/conditions'",
].map((line, index) => [`tables/orders-${index}.ts`, line, 'import them from #lib, where they select none'] as const)

const folders = ['infra', 'infra/stack', 'infra/local', 'infra/preflight', 'infra/smoke', 'test/infra']
const wholeCdk = folders.map(
  (folder) => [`${folder}/parts.ts`, "import { App } from 'aws-cdk-lib'", 'Import aws-cdk-lib/core'] as const,
)

const refused = [...withoutGuard, ...wholeCdk]
const accepted = [
  ['tables/orders.ts', "import { eq } from 'drizzle-orm'\nimport { and } from '#lib'\nexport const x = [eq, and]"],
  ['infra/stack/key.ts', "import { App } from 'aws-cdk-lib/core'\nimport { Key } from 'aws-cdk-lib/aws-kms'"],
] as const

let directory = ''
/** The reports of the linter by the project's rules, each of one file, and its summary. */
let printed: readonly string[] = []

const findReports = (file: string) => printed.filter((part) => part.startsWith(`${file}:`)).join('')

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'table-control-lint-'))
  for (const file of ['.biome.json', '.gitignore', 'package.json']) await cp(join(project, file), join(directory, file))
  for (const [file, text] of [...refused, ...accepted]) {
    await mkdir(join(directory, dirname(file)), { recursive: true })
    await writeFile(join(directory, file), `${text}\n`)
  }
  const biome = join(project, 'node_modules/.bin/biome')
  const args = ['lint', '--only=style/noRestrictedImports', '--colors=off', 'tables', 'infra', 'test']
  const linted = promisify(execFile)(biome, args, { cwd: directory })
  const { stdout, stderr } = await linted.catch((error: { readonly stdout: string; readonly stderr: string }) => error)
  printed = (stderr + stdout).split(/^(?=tables\/|infra\/|test\/|Checked )/m)
})
afterAll(() => rm(directory, { recursive: true, force: true }))

it.each(refused)('the linter refuses in %s: %s', (file, _, message) => {
  expect(findReports(file)).toContain(message)
})

it('the linter accepts and/or of #lib beside other conditions of drizzle, and single modules of the CDK', () => {
  expect(printed.join('')).toContain(`Checked ${refused.length + accepted.length} files`)
  for (const [file] of accepted) expect(findReports(file)).not.toContain('noRestrictedImports')
})
