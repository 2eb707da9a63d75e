import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { editSheet, findCell, startImportApi } from '../support/fixtures/import-api.ts'
import { editParts, replaceText } from './refused-files.ts'

const pages = pgTable('pages', { id: integer().primaryKey(), title: text().notNull(), note: text() })
const columns = { title: { label: 'Title' }, note: { label: 'Note', editable: true } } as const
const ofPages = { from: pages, key: 'id', scope: () => everyRow() } as const

const pagesTable = defineFixture({
  ...ofPages,
  name: 'pages',
  matchImportsBy: 'title',
  columns: {
    ...columns,
    link: { label: 'Link', type: 'link', value: ({ title }) => ({ value: 'https://example.test/', label: title }) },
  },
})

const linkColumns = Array.from({ length: 66 }, (_, index) => `link${index}`)
const linkedTable = defineFixture({
  ...ofPages,
  name: 'linked',
  columns: {
    ...columns,
    ...Object.fromEntries(
      linkColumns.map((label) => [label, { label, type: 'link', value: () => ({ value: 'https://a.test/', label }) }]),
    ),
  },
})

const linedTable = defineFixture({
  ...ofPages,
  name: 'lined',
  columns: { note: { label: 'A long\r\nnote ', editable: true } },
})

const work = await startImportApi(createRegistry([pagesTable, linkedTable, linedTable], { claims: fixtureClaims }))
await work.sql.unsafe(`
  create table pages (id integer primary key, title text, note text); grant all on pages to public;
  insert into pages values (1, E'Line_x000D_\\nline', 'Note_x0041_'), (2, E'Bell\\u0007', E'Bell\\u0007'),
    (3, repeat(E'line\\n', 300), repeat('x', 32767)), (4, 'Plain', null)`)

describe('a text of a workbook', () => {
  it('is neither changed nor refused if nobody edited it, whatever a cell cannot hold of it', async () => {
    const file = await work.exportRows({}, { table: 'pages' })
    for (const bytes of [file, await editSheet(file, () => {})]) {
      const { json } = await work.send(bytes, { table: 'pages' })
      expect(json.plan.cells, JSON.stringify(json)).toEqual([])
      expect(json.plan.rows).toBe(4)
    }
  })

  it('is no conflict where the row has changed since the export and the file has not', async () => {
    const file = await work.exportRows({}, { table: 'pages' })
    await work.sql`update pages set note = 'Changed' where id = 1`
    expect((await work.send(file, { table: 'pages' })).json.plan.cells).toEqual([])
  })

  it('is the one that the file has after an edit, with the escapes that were typed', async () => {
    const edited = await editSheet(await work.exportRows({}, { table: 'pages' }), (sheet) => {
      findCell(sheet, 'Note', 5).value = 'New_x005F_x000D_'
    })
    const { json } = await work.send(edited, { table: 'pages' })
    expect(json.plan.cells).toMatchObject([{ kind: 'change', id: 4, field: 'note', file: 'New_x000D_' }])
  })

  it('stays a text where it is typed into a cell that was empty', async () => {
    await editSheet(await work.exportRows({}, { table: 'pages' }), (sheet) => {
      expect(findCell(sheet, 'Note', 5)).toMatchObject({ value: null, numFmt: '@' })
    })
  })

  it('is found below a label with other white space than the file has', async () => {
    const edited = await editSheet(await work.exportRows({}, { table: 'lined' }), (sheet) => {
      sheet.getRow(1).getCell(1).value = 'A long note'
      sheet.getRow(5).getCell(1).value = 'New'
    })
    const { json } = await work.send(edited, { table: 'lined' })
    expect(json.plan.cells).toMatchObject([{ kind: 'change', id: 4, field: 'note', file: 'New' }])
  })

  it('is read without the syllables that programs add to Japanese', async () => {
    await work.sql`update pages set note = 'Tokyo' where id = 2`
    const japanese = '<is><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></is>'
    const edited = await editParts(await work.exportRows({}, { table: 'pages' }), (zip) =>
      replaceText(zip, 'xl/worksheets/sheet1.xml', 't="str"><v>Tokyo</v>', `t="inlineStr">${japanese}`),
    )
    const { json } = await work.send(edited, { table: 'pages' })
    expect(json.plan.cells).toMatchObject([{ kind: 'change', id: 2, field: 'note', file: '東京' }])
  })

  it('is not refused where the sheet has more links than it may have', async () => {
    await work.sql`insert into pages select id, 'Page', null from generate_series(1001, 2000) id`
    const { json } = await work.send(await work.exportRows({}, { table: 'linked' }), { table: 'linked' })
    expect(json.plan, JSON.stringify(json)).toMatchObject({ rows: 1_004, cells: [] })
  })
})

it('a cell of a CSV file is refused if it may be the present text as a program has rewritten it', async () => {
  await work.sql`insert into pages values (5, 'Code', '00123'), (6, 'Name', 'أحمد'), (7, 'Other', '00123')`
  const file = Buffer.from('Title,Note\r\nCode,123\r\nName,????\r\nOther,124\r\n')
  const { json } = await work.send(file, { table: 'pages' })
  const errors = [expect.stringContaining('such as 123 for 00123'), expect.stringContaining('مثل 123')]
  expect(json.plan.cells, JSON.stringify(json)).toMatchObject([
    { kind: 'refused', code: 'rewritten', place: 'B2', id: 5, file: '123', now: '00123', errors },
    { kind: 'refused', code: 'rewritten', place: 'B3', id: 6, file: '????', now: 'أحمد', errors },
    { kind: 'change', place: 'B4', id: 7, file: '124' },
  ])
})

it('a row of a CSV file that has more cells than the header is refused if it changes something', async () => {
  await work.sql`insert into pages values (8, 'Moved', 'Salt'), (9, 'Longer', 'Salt')`
  const file = Buffer.from('Title,Note\r\nMoved,Salt, pepper\r\nMoved,Salt and, pepper\r\nLonger,Pepper,,\r\n')
  const { json } = await work.send(file, { table: 'pages' })
  const errors = [expect.stringContaining('separators in quotes'), expect.stringContaining('علامات اقتباس')]
  expect(json.plan.cells, JSON.stringify(json)).toMatchObject([
    { kind: 'refused', code: 'extra_cells', place: '3', errors },
    { kind: 'change', place: 'B4', id: 9, file: 'Pepper' },
  ])
})

it('a row of a CSV file is found by its name between spaces and invisible marks', async () => {
  await work.sql`insert into pages values (10, 'Marked', null), (11, ' Spaced', null), (12, 'Spaced', null)`
  const file = Buffer.from('Title,Note\r\n\u200fMarked\u200b ,1\r\n Spaced,2\r\n\u00a0Spaced,3\r\n')
  const { json } = await work.send(file, { table: 'pages' })
  expect(json.plan.cells.map(({ kind, id }: Record<string, unknown>) => [kind, id])).toEqual([
    ['change', 10],
    ['change', 11],
    ['change', 12],
  ])
})

it('a number of a workbook is refused in a column of texts if it may be the present text without its zeros', async () => {
  await work.sql`delete from pages where id > 4`
  await work.sql`update pages set note = '00123' where id in (1, 2, 4)`
  const edited = await editSheet(await work.exportRows({}, { table: 'pages' }), (sheet) => {
    findCell(sheet, 'Note', 2).value = 123
    findCell(sheet, 'Note', 3).value = 124
    findCell(sheet, 'Note', 5).value = '123'
  })
  const { json } = await work.send(edited, { table: 'pages' })
  expect(json.plan.cells, JSON.stringify(json)).toMatchObject([
    { kind: 'refused', code: 'rewritten', id: 1 },
    { kind: 'change', id: 2, file: '124' },
    { kind: 'change', id: 4, file: '123' },
  ])
})
