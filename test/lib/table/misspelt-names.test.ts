import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRegistry, everyRow, type Table } from '../../../lib/index.ts'
import { findCompilerErrors } from '../../support/infra/compiler-errors.ts'

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
  const found = await findCompilerErrors(join(directory, 'tsconfig.json'))
  errors = new Map(found.map(({ line, text }) => [line, text]))
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

const depots = pgTable('depots', { id: integer().primaryKey(), city: text() })
const run = () => {}
const label = 'Label'
const city = { label }

describe('a registry is not built with a misspelt', () => {
  it.each<[string, object, string]>([
    [
      'key of a table',
      { defaultsort: ['id', 'asc'] },
      'it has the unknown key "defaultsort"; did you mean "defaultSort"?',
    ],
    [
      'condition of a column',
      { columns: { city: { label, loadif: () => false } } },
      'columns.city has the unknown key "loadif"; did you mean "loadIf"?',
    ],
    [
      'key of a column beside its values',
      { columns: { city: { sotrable: true, label, values: { Riyadh: label } } } },
      'columns.city has the unknown key "sotrable"; did you mean "sortable"?',
    ],
    [
      'key of a filter',
      { filters: { city: { label, type: 'text', foldd: true } } },
      'filters.city has the unknown key "foldd"; did you mean "fold"?',
    ],
    [
      'key of an advanced filter',
      { advancedFilters: { city: { label, type: 'text', operator: ['='] } } },
      'advancedFilters.city has the unknown key "operator"; did you mean "operators"?',
    ],
    [
      'condition of a row action',
      { rowActions: { close: { aplliesTo: () => false, run } } },
      'rowActions.close has the unknown key "aplliesTo"; did you mean "appliesTo"?',
    ],
    [
      'question of a bulk action',
      { bulkActions: { close: { confrim: 'Sure?', run } } },
      'bulkActions.close has the unknown key "confrim"; did you mean "confirm"?',
    ],
    [
      'key of an action on several rows',
      { rowActions: { close: { bulk: { onsuccess: 'reload' }, run } } },
      'rowActions.close.bulk has the unknown key "onsuccess"; did you mean "onSuccess"?',
    ],
    [
      'default action',
      { defaultActions: { show_detail: false } },
      'defaultActions has the unknown key "show_detail"; did you mean "show_details"?',
    ],
    ['key that is like no other', { columns: { city: { label, zzz: 1 } } }, 'has the unknown key "zzz"; remove it'],
  ])('%s', (_what, changes, message) => {
    const definition = { name: 'depots', from: depots, key: 'id', scope: everyRow, columns: { city }, ...changes }
    // The compiler would refuse it as well.
    expect(() => createRegistry([{ definition } as unknown as Table<Record<string, unknown>>])).toThrow(message)
  })
})
