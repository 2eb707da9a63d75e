import { readXlsx } from 'hucre'
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../support/database.ts'
import { openDatabase } from '../db/open-database.ts'
import { type Asked, parcelReport, parcelReports, reportBytes } from './parcel-reports.ts'
import { cellAt, dataSheet, sheetsOf, valuesOf } from './workbook.ts'

let database: TestDatabase
let sql: Sql

beforeAll(async () => {
  database = await testDatabase(parcelReports)
  sql = postgres(database.url, { max: 1, onnotice: () => {} })
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})
beforeEach(() => sql`truncate parcels`)

const insert = (...rows: readonly object[]) =>
  sql`insert into parcels select * from json_populate_recordset(null::parcels, ${JSON.stringify(rows)}::text::json)`

const excel = (asked: Asked = {}, options: { rowsPerSheet?: number } = {}) =>
  reportBytes(openDatabase(database.url), parcelReport(asked), options)

describe('a spreadsheet of rows', () => {
  it('holds cell by cell what SQL says, over more than one batch', async () => {
    await sql`insert into parcels (id, name, amount, score, big, fragile, packed, seen, day, tags)
      select n, 'parcel ' || n || ' شحنة', n / 8.0, n / 4.0, n::bigint * 1000000, n % 2 = 0, timestamp '2026-01-01' + n * interval '61 minutes',
        timestamptz '2026-01-01Z' + n * interval '1 hour', date '1990-01-01' + n, array['a' || n, 'b'] from generate_series(1, 4100) n`
    const expected = await sql`select id, name, amount::float8, score, big::float8, fragile,
      to_char(packed, 'YYYY-MM-DD"T"HH24:MI:SS'), to_char(seen at time zone 'Asia/Riyadh', 'YYYY-MM-DD"T"HH24:MI:SS'),
      to_char(day, 'YYYY-MM-DD"T"HH24:MI:SS'), array_to_string(tags, ', ') from parcels order by score desc`.values()
    const columns = ['id', 'name', 'amount', 'score', 'big', 'fragile', 'packed', 'seen', 'day', 'tags']
    const bytes = await excel({ columns, sorts: [{ field: 'score', direction: 'desc' }] })
    expect(valuesOf(await dataSheet(bytes))).toEqual(expected.map((row) => [...row]))
  })

  it('has a frozen bold header, a filter over all rows, number formats of the patterns and text that stays text', async () => {
    await insert({ id: 1, name: 'a', amount: 1.5, packed: '2026-01-01', day: '2026-01-01' }, { id: 2 })
    const sheet = await dataSheet(await excel({ columns: ['id', 'name', 'amount', 'packed', 'day'] }))
    expect(sheet.rows[0]).toEqual(['ID', 'Name', 'Amount', 'Packed', 'Day'])
    expect(sheet.cells?.get('0,0')?.style?.font?.bold).toBe(true)
    expect(sheet.freezePane).toMatchObject({ rows: 1 })
    expect(sheet.autoFilter?.range).toBe('A1:E3')
    const formats = [0, 1, 2, 3, 4].map((column) => cellAt(sheet, 0, column)?.style?.numFmt)
    expect(formats).toEqual(['0', '@', '0.00', 'dd\\/mm\\/yyyy hh:mm:ss', 'yyyy-mm-dd'])
  })

  it('is printed across a page, its header on each, and says from whom it is', async () => {
    await sql`insert into parcels (id) select n from generate_series(1, 25) n`
    const bytes = await excel({ columns: ['id', 'name'] }, { rowsPerSheet: 11 })
    const { properties, sheets } = await readXlsx(bytes)
    expect(properties).toMatchObject({ title: 'Parcels', creator: 'Table Control', lastModifiedBy: 'Table Control' })
    const pages = { orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0 }
    for (const { pageSetup } of sheets.slice(0, 3))
      expect(pageSetup).toMatchObject({ ...pages, printTitlesRow: '$1:$1' })
    expect(sheets[3]?.pageSetup).toMatchObject({ ...pages, orientation: 'portrait' })
    expect(sheets[3]?.pageSetup?.printTitlesRow).toBeUndefined()
  })

  it.each([
    ['en', ['right', 'left', 'right', 'right', 'center']],
    ['ar', ['left', 'right', 'left', 'left', 'center']],
  ] as const)('has its labels in %s on a light ground, aligned as what stands below them', async (language, sides) => {
    await insert({ id: 1, name: 'a', amount: 1.5, day: '2026-01-01', fragile: true })
    const sheet = await dataSheet(await excel({ language, columns: ['id', 'name', 'amount', 'day', 'fragile'] }))
    for (const row of [-1, 0]) {
      const styles = sides.map((_, column) => cellAt(sheet, row, column)?.style)
      expect(styles.map((style) => style?.alignment?.horizontal)).toEqual(sides)
    }
    expect(cellAt(sheet, -1, 1)?.style?.fill).toMatchObject({ pattern: 'solid', fgColor: { rgb: 'E3E9F2' } })
  })

  it('gives capitals the room that they take', async () => {
    const name = 'GEORGE BUSH INTERCONTINENTAL'
    await insert({ id: 1, name, phone: name.toLowerCase() })
    const { columns } = await dataSheet(await excel({ columns: ['name', 'phone'] }))
    const [capitals = 0, small = 0] = (columns ?? []).map(({ width }) => width)
    expect(capitals).toBeGreaterThan(1.2 * name.length)
    expect(small).toBeGreaterThan(name.length)
    expect(capitals).toBeGreaterThan(small)
  })

  it('reads from right to left in Arabic, with labels of that language', async () => {
    await insert({ id: 1, state: 'open' })
    const sheets = await sheetsOf(await excel({ language: 'ar', columns: ['id', 'name', 'state'] }))
    expect(sheets.map(({ name, view }) => [name, view?.rightToLeft])).toEqual([
      ['الطرود', true],
      ['ملخص', true],
    ])
    expect(sheets[0]?.rows).toEqual([
      ['المعرف', 'الاسم', 'State'],
      [1, null, 'مفتوح'],
    ])
    const [english] = await sheetsOf(await excel())
    expect(english?.view?.rightToLeft).not.toBe(true)
  })

  it('shows the columns that the table shows, or those that were chosen in their order', async () => {
    await insert({ id: 7, name: 'x' })
    const header = async (asked: Asked) => (await dataSheet(await excel(asked))).rows[0]
    expect(await header({ table: 'authored' })).not.toContain('Hidden')
    expect(await header({})).not.toContain('Actions')
    expect(await header({ table: 'authored', columns: ['hidden', 'name', 'id'] })).toEqual(['Hidden', 'Name', 'ID'])
    await expect(excel({ columns: ['secret'] })).rejects.toThrow('secret')
  })

  it('has a header and a summary where there are no rows', async () => {
    const [data, summary] = await sheetsOf(await excel({ columns: ['id'] }))
    expect(data?.rows).toEqual([['ID']])
    expect(summary?.rows).toContainEqual(['Rows', 0])
  })

  it('goes on in a next sheet with its header where one is full', async () => {
    await sql`insert into parcels (id) select n from generate_series(1, 25) n`
    const sheets = await sheetsOf(await excel({ columns: ['id'] }, { rowsPerSheet: 11 }))
    expect(sheets.map(({ name }) => name)).toEqual(['Parcels', 'Parcels 2', 'Parcels 3', 'Summary'])
    expect(sheets.slice(0, 3).map(({ rows }) => rows.map(([id]) => id))).toEqual([
      ['ID', ...Array.from({ length: 10 }, (_, index) => index + 1)],
      ['ID', ...Array.from({ length: 10 }, (_, index) => index + 11)],
      ['ID', 21, 22, 23, 24, 25],
    ])
    expect(sheets.slice(0, 3).map(({ autoFilter }) => autoFilter?.range)).toEqual(['A1:A11', 'A1:A11', 'A1:A6'])
    const full = await sheetsOf(await excel({ columns: ['id'] }, { rowsPerSheet: 26 }))
    expect(full).toHaveLength(2)
  })

  it('says in its summary what was asked, in the language of the caller', async () => {
    await insert({ id: 1, name: 'a', state: 'open', fragile: true, phone: '1', score: 2, day: '2026-02-01' })
    const filters = {
      state: 'open',
      name_: 'unknown',
      fragile: true,
      has_phone: 'set',
      day_from: '2026-01-01',
      day_to: '2026-03-01',
    }
    const asked = { filters, sorts: [{ field: 'score', direction: 'desc' }], selected: 3, columns: ['id'] }
    const [, summary] = await sheetsOf(await excel(asked))
    expect(summary?.rows).toEqual([
      ['Table', 'Parcels'],
      ['Filters', 'State is Open'],
      ['', 'Fragile is Yes'],
      ['', 'Phone is Set'],
      ['', 'Day is from 2026-01-01'],
      ['', 'Day is up to 2026-03-01'],
      ['Selected rows', 3],
      ['Order', 'Score, descending'],
      ['Requested at', '2026-11-22 01:30 (Asia/Riyadh)'],
      ['Requested by', 'nora@example.test'],
      ['Rows', 1],
    ])
    const [, arabic] = await sheetsOf(await excel({ ...asked, language: 'ar' }))
    expect(arabic?.rows.slice(0, 2)).toEqual([
      ['الجدول', 'الطرود'],
      ['عوامل التصفية', 'الحالة يساوي مفتوح'],
    ])
  })

  it('shows what functions make: values, formats, lists, links by their words, HTML without its tags', async () => {
    await insert({
      id: 4,
      name: 'box',
      address: 'https://example.test/4',
      markup: '<p>Fish &amp; <b onclick="x()">chips</b></p><script>steal()</script><br>now',
      details: ['one', 'two'],
      tags: ['a', null, 'b, c'],
    })
    const columns = ['shout', 'double', 'anchor', 'markup', 'details', 'tags', 'address']
    const sheet = await dataSheet(await excel({ table: 'authored', columns }))
    expect(valuesOf(sheet)).toEqual([
      ['BOX', 8, 'Go (https://example.test/4)', 'Fish & chips\n\nnow', 'one, two', 'a, b, c', 'https://example.test/4'],
    ])
    expect([...(sheet.cells?.values() ?? [])].filter(({ hyperlink }) => hyperlink !== undefined)).toEqual([])
  })
})
