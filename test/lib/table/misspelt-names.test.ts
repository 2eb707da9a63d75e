import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const parcels = resolve(root, 'test/support/parcels/typed-parcels.ts')

/** One misspelt name on each line. */
const lines = [
  `import { base, defineTable, depot, label, plain } from ${JSON.stringify(parcels)}`,
  'defineTable({ ...base, columns: { weight: { label }, weigth: { label } } })',
  'defineTable({ ...base, columns: { prize: { label, format: () => "" } } })',
  'defineTable({ ...base, relations: { depot }, columns: { depot__citty: { label, type: "text" } } })',
  'defineTable({ ...base, columns: { weight: { label } }, sortables: ["weigth"] })',
  'defineTable({ ...plain, defaultSort: ["send_at", "desc"] })',
  'defineTable({ ...plain, filters: { weigth: { type: "number", label } } })',
  'defineTable({ ...plain, filters: { heavy: { type: "number", label, source: "weigth" } } })',
]

let directory = ''
let errors: ReadonlyMap<number, string> = new Map()

beforeAll(async () => {
  // Inside the project, whose packages it imports.
  directory = await mkdtemp(join(root, 'node_modules/.misspelt-'))
  await writeFile(join(directory, 'tables.ts'), lines.join('\n'))
  const settings = { extends: join(root, 'tsconfig.json'), files: ['tables.ts'], include: [] }
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(settings))
  const compiler = join(root, 'node_modules/.bin/tsc')
  const compiled = promisify(execFile)(process.execPath, [
    compiler,
    '--pretty',
    'false',
    '--singleThreaded',
    '-p',
    directory,
  ])
  const { stdout } = await compiled.catch((error: { readonly stdout: string }) => error)
  const each = stdout.split(/^(?=\S)/m).flatMap((error) => {
    const line = /tables\.ts\((\d+),/.exec(error)?.[1]
    return line === undefined ? [] : [[Number(line), error] as const]
  })
  errors = new Map(each)
})

afterAll(() => rm(directory, { recursive: true, force: true }))

describe('the compiler says of a misspelt', () => {
  it.each([
    ['column', 2, 'no source is called \\"weigth\\"'],
    ['column with a format', 3, 'no source is called \\"prize\\"'],
    ['attribute of a relation', 4, 'no source is called \\"depot__citty\\"'],
    ['sortable', 5, `Type '"weigth"' is not assignable to type '"weight"'`],
    ['default sort', 6, `Did you mean '"sent_at"'?`],
    ['filter', 7, `NoSourceIsCalled<"weigth">`],
    ['source of a filter', 8, `Did you mean '"weight"'?`],
  ])('%s, in its line, which name is wrong', (_what, line, message) => {
    expect(errors.get(line)).toContain(message)
  })

  it('reports no other line', () => {
    expect([...errors.keys()]).toEqual([2, 3, 4, 5, 6, 7, 8])
  })
})
