import { readXlsx } from 'hucre'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../db/open-database.ts'
import { parcelReport, type ReportRequest, reportBytes, startParcelDatabase } from './parcel-reports.ts'
import { cellAt, dataSheet, listSheets, listValues, sheetXml } from './workbook.ts'

const parcels = await startParcelDatabase()
const { url, sql } = parcels
afterAll(parcels.stop)
beforeEach(parcels.empty)

const insert = (...rows: readonly object[]) => parcels.insert(rows)

const excel = (asked: ReportRequest = {}, options: { rowsPerSheet?: number; readonly bytesPerSheet?: number } = {}) =>
  reportBytes(openDatabase(url), parcelReport(asked), options)

describe('a spreadsheet of rows', () => {
  it('holds cell by cell what SQL says, over more than one batch', async () => {
    await sql`insert into parcels (id, name, amount, score, big, fragile, packed, seen, day, tags)
      select n, 'parcel ' || n || ' شحنة', n / 8.0, n / 4.0, n::bigint * 1000000, n % 2 = 0, timestamp '2026-01-01' + n * interval '61 minutes',
        timestamptz '2026-01-01Z' + n * interval '1 hour', date '1990-01-01' + n, array['a' || n, 'b'] from generate_series(1, 4100) n`
    const expected =
      await sql`select id, name, amount::float8, score, big::float8, case when fragile then 'On' else 'Off' end,
      to_char(packed, 'YYYY-MM-DD"T"HH24:MI:SS'), to_char(seen at time zone 'Asia/Riyadh', 'YYYY-MM-DD"T"HH24:MI:SS'),
      to_char(day, 'YYYY-MM-DD"T"HH24:MI:SS'), array_to_string(tags, ', ') from parcels order by score desc`.values()
    const columns = ['id', 'name', 'amount', 'score', 'big', 'fragile', 'packed', 'seen', 'day', 'tags']
    const bytes = await excel({ columns, sorts: [{ field: 'score', direction: 'desc' }] })
    expect(listValues(await dataSheet(bytes))).toEqual(expected.map((row) => [...row]))
  })

  it('has a frozen bold header, a filter over all rows, number formats of the patterns and text that stays text', async () => {
    await insert({ id: 1, name: 'a', amount: 1.5, packed: '2026-01-01', day: '2026-01-01' }, { id: 2 })
    const sheet = await dataSheet(await excel({ columns: ['id', 'name', 'amount', 'packed', 'day'] }))
    expect(sheet.rows[0]).toEqual(['ID', 'Name', 'Amount', 'Packed', 'Day'])
    expect(sheet.cells?.get('0,0')?.style?.font?.bold).toBe(true)
    expect(sheet.freezePane).toMatchObject({ rows: 1 })
    expect(sheet.autoFilter?.range).toBe('A1:E3')
    const formats = [0, 1, 2, 3, 4].map((column) => cellAt(sheet, 0, column)?.style?.numFmt)
    expect(formats).toEqual(['0', '@', '#,##0.00', 'dd\\/mm\\/yyyy hh:mm:ss', 'yyyy-mm-dd'])
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

  it('is printed legibly where it is too wide for a page: over several, each with the first column', async () => {
    const wide = 'x'.repeat(60)
    await insert({ id: 1, name: wide, phone: wide, state: wide, address: wide, tags: [wide] })
    const bytes = await excel({ columns: ['id', 'name', 'phone', 'state', 'address', 'tags'] })
    const { sheets } = await readXlsx(bytes)
    expect(sheets[0]?.pageSetup).toMatchObject({
      orientation: 'landscape',
      scale: 75,
      printTitlesRow: '$1:$1',
      printTitlesColumn: '$A:$A',
    })
    expect(sheetXml(bytes)).not.toContain('fitToPage')
  })

  it('writes each width of a column, also that which its library takes for a default', async () => {
    await insert({ id: 1 })
    const xml = sheetXml(await excel({ table: 'authored', columns: ['no', 'big'] }))
    const widths = [...xml.matchAll(/<col [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width))
    expect(widths).toHaveLength(2)
    expect(widths[0]).toBeCloseTo(9, 0)
  })

  it.each([
    ['en', undefined],
    ['ar', 'rtl'],
  ] as const)('wraps lines and long texts, and in %s lays Arabic out from right to left', async (language, order) => {
    await insert({ id: 1, name: 'one\ntwo', phone: 'x'.repeat(61), state: 'ABC شحنة', address: '+20 10' })
    const sheet = await dataSheet(await excel({ language, columns: ['name', 'phone', 'state', 'address', 'id'] }))
    const alignments = [0, 1, 2, 3].map((column) => cellAt(sheet, 0, column)?.style?.alignment)
    expect(alignments.map((alignment) => alignment?.wrapText === true)).toEqual([true, true, false, false])
    expect(alignments.map((alignment) => alignment?.readingOrder)).toEqual([undefined, undefined, order, undefined])
  })

  it.each([
    ['that begins in Arabic', 'وصلت الشحنة.', 'rtl'],
    ['that begins with a digit and goes on in Arabic', '3 شحنات', 'rtl'],
    ['with Arabic behind a Latin word', 'ABC شحنة', undefined],
    ['without Arabic', '+20 10', undefined],
  ])('lays a text %s out in an English sheet as its reader would', async (_which, name, order) => {
    await insert({ id: 1, name })
    const sheet = await dataSheet(await excel({ columns: ['name', 'id'] }))
    expect(cellAt(sheet, 0, 0)?.style?.alignment?.readingOrder).toBe(order)
  })

  const heights = async (columns: readonly string[]) =>
    [...sheetXml(await excel({ columns })).matchAll(/<row r="(?!1")\d+"( ht="(\d+)")?/g)].map(([, , height]) => height)

  it.each([
    ['one line', 'x'.repeat(60), undefined],
    ['two lines', 'x'.repeat(61), '30'],
    ['wide letters', 'W'.repeat(60), '30'],
    ['letters of full width', '机'.repeat(60), '30'],
    ['line feeds', 'one\ntwo\nthree', '45'],
    ['more than a row can show', 'x'.repeat(3_000), '409'],
  ])('makes a row as high as its text: %s', async (_what, name, height) => {
    await insert({ id: 1, name })
    expect(await heights(['name', 'id'])).toEqual([height])
  })

  it.each(['en', 'ar'] as const)('wraps a link that is wider than its column in a sheet in %s', async (language) => {
    await insert({ id: 1, address: `https://example.test/${'x'.repeat(100)}` }, { id: 2, address: 'https://a.test/' })
    const bytes = await excel({ language, columns: ['address', 'id'] })
    const sheet = await dataSheet(bytes)
    const styles = [0, 1].map((row) => cellAt(sheet, row, 0)?.style)
    expect(styles.map((style) => style?.alignment?.wrapText === true)).toEqual([true, false])
    expect(styles.map((style) => style?.font?.underline)).toEqual([true, true])
    expect(sheetXml(bytes)).toContain('<row r="2" ht="45" customHeight="1">')
  })

  it('wraps a text that is wider than its column, whose width is that of the first rows', async () => {
    await sql`insert into parcels (id, name) select n, 'short' from generate_series(1, 300) n`
    await insert({ id: 301, name: 'a text that is much longer' })
    const rows = await heights(['name', 'id'])
    expect([rows.length, rows.at(0), rows.at(-1)]).toEqual([301, undefined, '45'])
  })

  it('shows no mark of a mistake at numbers that are texts', async () => {
    await insert({ id: 1, phone: '00123' })
    const xml = sheetXml(await excel({ columns: ['id', 'phone'] }))
    expect(xml).toMatch(
      /<\/headerFooter><ignoredErrors><ignoredError sqref="A1:B2" numberStoredAsText="1"\/><\/ignoredErrors><\/worksheet>$/,
    )
  })

  it('begins a new sheet where the XML of one has become too large', async () => {
    await sql`insert into parcels (id, name) select n, repeat('x', 1000) from generate_series(1, 400) n`
    const sheets = await listSheets(await excel({ columns: ['id', 'name'] }, { bytesPerSheet: 100_000 }))
    expect(sheets.length).toBeGreaterThan(4)
    const ids = sheets.slice(0, -1).flatMap(({ rows }) => rows.slice(1).map(([id]) => id))
    expect(ids).toHaveLength(400)
    for (const { rows } of sheets.slice(0, -1)) expect(rows[0]).toEqual(['ID', 'Name'])
  })

  it('has room for any number of a column, also where the first rows are empty', async () => {
    await sql`insert into parcels (id) select n from generate_series(1, 300) n`
    await sql`update parcels set big = -999999999999999, amount = -1234567890123.25, packed = '2026-12-31' where id = 300`
    const { columns } = await dataSheet(await excel({ columns: ['id', 'big', 'amount', 'packed', 'score'] }))
    const widths = (columns ?? []).map(({ width = 0 }) => Math.round(width))
    expect(widths[0]).toBe('-2147483648'.length)
    expect(widths[1]).toBe('-999,999,999,999,999'.length)
    expect(widths[2]).toBe('-1,234,567,890,123.25'.length)
    expect(widths[3]).toBeGreaterThanOrEqual('31/12/2026 00:00:00'.length)
    // A float is shortened by the spreadsheet.
    expect(widths[4]).toBeLessThan(15)
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
    const sheets = await listSheets(await excel({ language: 'ar', columns: ['id', 'name', 'state'] }))
    expect(sheets.map(({ name, view }) => [name, view?.rightToLeft])).toEqual([
      ['الطرود', true],
      ['ملخص', true],
    ])
    expect(sheets[0]?.rows).toEqual([
      ['المعرف', 'الاسم', 'State'],
      [1, null, 'مفتوح'],
    ])
    const [english] = await listSheets(await excel())
    expect(english?.view?.rightToLeft).not.toBe(true)
  })

  it('shows the columns that the table shows, or those that were chosen in their order', async () => {
    await insert({ id: 7, name: 'x' })
    const header = async (asked: ReportRequest) => (await dataSheet(await excel(asked))).rows[0]
    expect(await header({ table: 'authored' })).not.toContain('Hidden')
    expect(await header({})).not.toContain('Actions')
    expect(await header({ table: 'authored', columns: ['hidden', 'name', 'id'] })).toEqual(['Hidden', 'Name', 'ID'])
    await expect(excel({ columns: ['secret'] })).rejects.toThrow('secret')
  })

  it('has a header and a summary where there are no rows', async () => {
    const [data, summary] = await listSheets(await excel({ columns: ['id'] }))
    expect(data?.rows).toEqual([['ID']])
    expect(summary?.rows).toContainEqual(['Rows', 0])
  })

  it('goes on in a next sheet with its header where one is full', async () => {
    await sql`insert into parcels (id) select n from generate_series(1, 25) n`
    const sheets = await listSheets(await excel({ columns: ['id'] }, { rowsPerSheet: 11 }))
    expect(sheets.map(({ name }) => name)).toEqual(['Parcels', 'Parcels 2', 'Parcels 3', 'Summary'])
    expect(sheets.slice(0, 3).map(({ rows }) => rows.map(([id]) => id))).toEqual([
      ['ID', ...Array.from({ length: 10 }, (_, index) => index + 1)],
      ['ID', ...Array.from({ length: 10 }, (_, index) => index + 11)],
      ['ID', 21, 22, 23, 24, 25],
    ])
    expect(sheets.slice(0, 3).map(({ autoFilter }) => autoFilter?.range)).toEqual(['A1:A11', 'A1:A11', 'A1:A6'])
    const full = await listSheets(await excel({ columns: ['id'] }, { rowsPerSheet: 26 }))
    expect(full).toHaveLength(2)
  })

  it('gives the summary another name than the sheets of a table that is called so', async () => {
    await sql`insert into parcels (id) select n from generate_series(1, 25) n`
    const request = parcelReport({ columns: ['id'] })
    const definition = { ...request.view.table.definition, label: { en: 'summary', ar: 'ملخص' } }
    const view = { ...request.view, table: { ...request.view.table, definition } }
    const sheets = await listSheets(await reportBytes(openDatabase(url), { ...request, view }, { rowsPerSheet: 11 }))
    expect(sheets.map(({ name }) => name)).toEqual(['summary', 'summary 2', 'summary 3', 'Summary 4'])
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
    const sorts = [{ field: 'score', direction: 'desc', nulls: 'first' }]
    const asked = { filters, sorts, selected: 3, columns: ['id'] }
    const [, summary] = await listSheets(await excel(asked))
    expect(summary?.rows).toEqual([
      ['Table', 'Parcels'],
      ['Filters', 'State is Open'],
      ['', 'Fragile is Yes'],
      ['', 'Phone is Set'],
      ['', 'Day is from 2026-01-01'],
      ['', 'Day is up to 2026-03-01'],
      ['Selected rows', 3],
      ['Order', 'Score, descending, empty values first'],
      ['Requested at', '2026-11-22 01:30 (Asia/Riyadh)'],
      ['Requested by', 'nora@example.test'],
      ['Rows', 1],
    ])
    const [, arabic] = await listSheets(await excel({ ...asked, language: 'ar' }))
    expect(arabic?.rows.slice(0, 2)).toEqual([
      ['الجدول', 'الطرود'],
      ['عوامل التصفية', 'الحالة: مفتوح'],
    ])
    expect(arabic?.rows.map(([, value]) => value)).toContain('اليوم: ابتداءً من \u200e2026-01-01')
    expect(arabic?.rows.find(([name]) => name === 'الترتيب')?.[1]).toMatch(/، تنازليًا، القيم الفارغة أولًا$/)
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
    expect(listValues(sheet)).toEqual([
      ['BOX', 8, 'Go', 'Fish & chips\n\nnow', 'one, two', 'a, b, c', 'https://example.test/4'],
    ])
    const links = [...(sheet.cells?.values() ?? [])].flatMap(({ hyperlink }) => hyperlink?.target ?? [])
    expect(links).toEqual(['https://example.test/4', 'https://example.test/4'])
  })
})
