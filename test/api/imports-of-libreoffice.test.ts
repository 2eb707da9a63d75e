import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { startImportApi } from '../support/fixtures/import-api.ts'

const work = await startImportApi()
beforeEach(() => work.reset())

const { EXPORTED_WORKBOOKS: folder } = process.env

if (folder !== undefined) {
  it('writes the exports from which the workbooks are made', async () => {
    await writeFile(resolve(folder, 'exported.xlsx'), await work.exportRows())
    const arabic = await work.exportRows({}, { headers: { 'accept-language': 'ar' } })
    await writeFile(resolve(folder, 'exported-ar.xlsx'), arabic)
  })
}

const send = async (name: string) =>
  work.send(await readFile(resolve(import.meta.dirname, 'workbooks', `${name}.xlsx`)))

it.each<[string, string, readonly object[]]>([
  ['without edits', 'untouched', []],
  ['with sorted rows', 'sorted', [{ kind: 'change', id: 9, field: 'title', file: 'Sorted', now: 'Order 9' }]],
  ['with moved columns', 'moved-columns', [{ kind: 'change', id: 1, field: 'amount', base: '1.50', file: '42.75' }]],
  [
    'with deleted and added rows',
    'rows',
    [
      { kind: 'change', id: 4, field: 'title', file: 'Below the deleted ones' },
      { kind: 'refused', code: 'added_row' },
    ],
  ],
  [
    'with changed types',
    'types',
    [
      { kind: 'change', id: 1, field: 'amount', file: '17.5' },
      { kind: 'change', id: 2, field: 'runs', file: 7 },
      { kind: 'change', id: 3, field: 'title', file: '2026' },
      { kind: 'refused', id: 4, field: 'amount', code: 'formula' },
    ],
  ],
  [
    'with changed dates',
    'dates',
    [
      { kind: 'change', id: 1, field: 'due', file: '2026-05-01T10:30:00' },
      { kind: 'change', id: 2, field: 'due', file: '2026-05-02T11:45:00' },
      { kind: 'change', id: 3, field: 'due', file: null },
    ],
  ],
  [
    'in Arabic',
    'arabic',
    [
      { kind: 'change', id: 1, field: 'title', file: 'طلب «جديد» رقم ١' },
      { kind: 'change', id: 2, field: 'state', file: 'done' },
      { kind: 'change', id: 3, field: 'amount', file: '7.25' },
      { kind: 'change', id: 4, field: 'flagged', file: true },
    ],
  ],
])('plans the edits of a workbook %s', async (_, name, expected) => {
  const sent = await send(name)
  expect(sent.json.plan?.cells, sent.text).toMatchObject(expected)
  const changes = expected.filter((cell) => 'kind' in cell && cell.kind === 'change').length
  expect((await work.apply(sent)).json.cells).toEqual({ changed: changes, refused: 0 })
})
