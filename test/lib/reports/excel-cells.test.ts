import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../db/open-database.ts'
import { parcelReport, reportBytes, startParcelDatabase } from './parcel-reports.ts'
import { cellAt, dataSheet, listSheets, listValues, sheetXml } from './workbook.ts'

const parcels = await startParcelDatabase()
const { url, sql } = parcels
afterAll(parcels.stop)
beforeEach(parcels.empty)

const insert = (row: object) => parcels.insert([{ id: 1, ...row }])

/** The only row of a report over one row. */
async function only(columns: readonly string[], table: 'plain' | 'authored' = 'plain') {
  const bytes = await reportBytes(openDatabase(url), parcelReport({ table, columns }))
  const sheet = await dataSheet(bytes)
  return { bytes, sheet, values: listValues(sheet)[0] ?? [] }
}

const formulas = [
  '=1+1',
  '=HYPERLINK("https://evil.example","x")',
  '+1+1',
  '-1+1',
  '@SUM(A1)',
  '\t=1+1',
  '\n=1+1',
  ' =1+1',
  "'=1+1",
  "=cmd|' /C calc'!A0",
  '{=1+1}',
  '＝1+1',
]

describe('a cell', () => {
  it.each(formulas)('is text if it looks like a formula: %j', async (text) => {
    await insert({ name: text })
    const { sheet, values } = await only(['id', 'name'])
    expect(values).toEqual([1, text])
    expect(cellAt(sheet, 0, 1)).toMatchObject({ type: 'string', style: { numFmt: '@' } })
    expect(cellAt(sheet, 0, 1)?.formula).toBeUndefined()
  })

  it.each([
    { formula: '1+1', result: 2 },
    { formula: 'HYPERLINK("https://evil.example")' },
    { sharedFormula: 'A1' },
    { text: 'click', hyperlink: 'https://evil.example' },
    { richText: [{ text: 'rich' }] },
    { error: '#N/A' },
    { checkbox: true },
    { value: { formula: '1+1' }, label: '=1+1' },
  ])('is text if an author returned the object %j', async (details) => {
    await insert({ details })
    const { sheet } = await only(['id', 'details', 'wild'], 'authored')
    for (const column of [1, 2]) {
      const cell = cellAt(sheet, 0, column)
      expect(cell?.type).toBe('string')
      expect(cell?.formula ?? cell?.hyperlink).toBeUndefined()
    }
  })

  it.each([
    ['tel:+966 50 123 4567', 'tel:+966%2050%20123%204567'],
    ['mailto:first last@x.example?subject=<x>"', 'mailto:first%20last@x.example?subject=%3Cx%3E%22'],
    ['https://x.example/%zz/%C3%A9', 'https://x.example/%25zz/%C3%A9'],
    ['https://x.example/a|b^c[d]?q=[1]`', 'https://x.example/a%7Cb%5Ec%5Bd%5D?q=%5B1%5D%60'],
    ['https://[::1]:8080/a#b#c[d]', 'https://[::1]:8080/a#b%23c%5Bd%5D'],
    ['https://x.example/مسار?a=1&b=2', 'https://x.example/%D9%85%D8%B3%D8%A7%D8%B1?a=1&b=2'],
  ])('leads to %s by an address that is a URI', async (address, target) => {
    await insert({ address })
    const { values, sheet } = await only(['address'])
    expect(values).toEqual([address])
    expect(cellAt(sheet, 0, 0)?.hyperlink?.target).toBe(target)
  })

  it.each([
    ['a digit string', '00123456789012345678'],
    ['a phone number', '+966501234567'],
    ['a scientific number', '1e5'],
    ['a date', '2026-01-02'],
    ['TRUE', 'TRUE'],
    ['spaces at its ends', '  a  '],
    ['XML', '<v>&amp;"\'</v>]]>'],
    ['an escape of spreadsheets', '_x000D_ and _X0041_'],
    ['a smiley', '😀 box'],
    ['an Arabic text', 'شحنة ‏هشة'],
    ['lines', 'one\ntwo\tthree'],
    ['only a line feed', '\n'],
  ])('holds %s as it is', async (_, text) => {
    await insert({ phone: text })
    const { values, sheet } = await only(['phone', 'id'])
    expect(values).toEqual([text, 1])
    expect(cellAt(sheet, 0, 0)?.type).toBe('string')
  })

  it.each(['\u2000a', 'a\u200a', '\u200ba', 'a\u2028', '\u2029a'])(
    'has the mark that keeps a space of %j, which programs would trim',
    async (text) => {
      await insert({ phone: text })
      const { values, bytes } = await only(['phone'])
      expect(values).toEqual([text])
      expect(sheetXml(bytes)).toContain(`<t xml:space="preserve">${text}</t>`)
    },
  )

  it.each([
    ['control characters', 'a\u0001b\u0008c\u000bd\u001fe\u007ff', 'abcdef'],
    ['characters that XML has not', 'a\ufffeb\uffffc', 'abc'],
    ['carriage returns', 'a\r\nb\rc', 'a\nb\nc'],
  ])('loses %s', async (_, text, expected) => {
    await insert({ name: text })
    expect((await only(['id', 'name'])).values).toEqual([1, expected])
  })

  it('replaces halves of surrogate pairs, which only an author can make', async () => {
    await insert({ details: null, name: '😀' })
    const bytes = await reportBytes(openDatabase(url), parcelReport({ table: 'authored', columns: ['broken'] }))
    expect(listValues(await dataSheet(bytes))).toEqual([['\ufffd!']])
  })

  it.each([
    [32_767, 'x'.repeat(32_767), false],
    [32_768, 'x'.repeat(32_768), true],
    [40_000, '😀'.repeat(20_000), true],
    ['253 line feeds of', 'y\n'.repeat(253), false],
    ['254 line feeds of', 'y\n'.repeat(254), true],
  ])('fits with %s characters, or is cut with a note and counted', async (_, text, isCut) => {
    await insert({ name: text })
    const { bytes, values } = await only(['id', 'name'])
    const shown = String(values[1])
    expect(shown.length).toBeLessThanOrEqual(32_767)
    expect(shown.split('\n').length - 1).toBeLessThanOrEqual(253)
    expect(shown.isWellFormed()).toBe(true)
    expect(shown === text).toBe(!isCut)
    expect(shown.endsWith('[cut: too long for a cell]')).toBe(isCut)
    const [, summary] = await listSheets(bytes)
    const counted = summary?.rows.find(([label]) => String(label).startsWith('Cells cut'))
    expect(counted?.[1]).toBe(isCut ? 1 : undefined)
  })

  it.each([
    ['score', 'NaN', null],
    ['score', 'Infinity', null],
    ['score', '-Infinity', null],
    ['score', '1e300', 1e300],
    ['score', '0.1', 0.1],
    ['amount', 'NaN', null],
    ['amount', '12.500', 12.5],
    ['amount', '12345678901234567890.123', '12345678901234567890.123'],
    ['amount', '900719925474099.5', '900719925474099.5'],
    ['amount', '99999999999999.5', 99_999_999_999_999.5],
    ['big', '1234567890123456', '1234567890123456'],
    ['big', '-1000000000000000', '-1000000000000000'],
    ['big', '999999999999999', 999_999_999_999_999],
    ['score', '1234567890123456', 1_234_567_890_123_456],
    ['amount', '0.1000000000000000055', '0.1000000000000000055'],
    ['big', '9007199254740993', '9007199254740993'],
    ['big', '-9223372036854775808', '-9223372036854775808'],
    ['big', '123456789012', 123_456_789_012],
  ])('is a number if a spreadsheet keeps every digit: %s holds %s', async (column, value, expected) => {
    await sql`insert into parcels (id, ${sql(column)}) values (1, ${value}::text::numeric)`.catch(
      () => sql`insert into parcels (id, ${sql(column)}) values (1, ${value}::text::double precision)`,
    )
    expect((await only(['id', column])).values).toEqual([1, expected])
  })

  it.each([
    ['1900-03-01 00:00:00', '1900-03-01T00:00:00'],
    ['1900-02-28 23:59:59', '28/02/1900 23:59:59'],
    ['1899-12-31 00:00:00', '31/12/1899 00:00:00'],
    ['0001-01-01 00:00:00', '01/01/0001 00:00:00'],
    ['0044-03-15 12:00:00 BC', '15/03/0044 12:00:00'],
    ['9999-12-31 23:59:59.9', '9999-12-31T23:59:59'],
    ['10000-01-01 00:00:00', '01/01/10000 00:00:00'],
    ['294276-12-31 00:00:00', '31/12/294276 00:00:00'],
    ['2026-02-28 10:00:59.999', '2026-02-28T10:00:59'],
    ['infinity', null],
    ['-infinity', null],
  ])('a cell with the date %s is a date where a spreadsheet knows it', async (value, expected) => {
    await sql`insert into parcels (id, packed) values (1, ${value}::text::timestamp)`
    expect((await only(['id', 'packed'])).values).toEqual([1, expected])
  })

  it('a cell with a date that is text has the text of the table', async () => {
    await sql`insert into parcels (id, packed) select n, timestamp '0001-01-01 BC' + n * interval '37 days 61 minutes 7 seconds' from generate_series(1, 19000) n`
    const expected =
      await sql`select to_char(packed, 'DD/MM/YYYY HH24:MI:SS') from parcels where packed < '1900-03-01' order by id`.values()
    const { sheet } = await only(['packed'])
    expect(listValues(sheet).slice(0, expected.length)).toEqual(expected.map((row) => [...row]))
  })
})
