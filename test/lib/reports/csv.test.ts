import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { anyText } from '../../support/requests/any-text.ts'
import { openDatabase } from '../db/open-database.ts'
import { readCsv } from './csv-reader.ts'
import { parcelReport, type ReportRequest, reportBytes, startParcelDatabase } from './parcel-reports.ts'

const { url, sql, insert, empty, stop } = await startParcelDatabase()
afterAll(stop)
beforeEach(empty)

const csvText = async (asked: ReportRequest = {}, store = openDatabase(url)) =>
  (await reportBytes(store, parcelReport({ format: 'csv', ...asked }))).toString()

/** The rows without byte order mark and header. */
async function csvRows(asked: ReportRequest = {}, store = openDatabase(url)) {
  const text = await csvText(asked, store)
  return readCsv(text.slice(1)).slice(1)
}

describe('a CSV file', () => {
  it('begins with a byte order mark and the labels in the language of the caller', async () => {
    expect(await csvText({ language: 'ar', columns: ['id', 'name'] })).toBe('\ufeffالمعرف,الاسم\r\n')
  })

  it('holds cell by cell what the table shows, over more than one batch', async () => {
    await sql`insert into parcels (id, name, state, amount, score, big, fragile, packed, seen, day, tags)
      select n, 'parcel ' || n, case n % 3 when 0 then 'open' when 1 then 'done' end, n / 8.0, n / 4.0, n::bigint * 9007199254740,
        n % 2 = 0, timestamp '2026-01-01' + n * interval '61 minutes', timestamptz '2026-01-01Z' + n * interval '1 hour',
        date '1890-01-01' + n, array['a' || n, 'b'] from generate_series(1, 4100) n`
    const expected =
      await sql`select id::text, name, case state when 'open' then 'Open, "new"' when 'done' then 'Done' else '' end,
      amount::text, score::text, big::text, case when fragile then 'On' else 'Off' end, to_char(packed, 'DD/MM/YYYY HH24:MI:SS'),
      to_char(seen at time zone 'Asia/Riyadh', 'YYYY-MM-DD HH24:MI'), day::text, array_to_string(tags, ', ')
      from parcels order by parcels.id desc`.values()
    const columns = ['id', 'name', 'state', 'amount', 'score', 'big', 'fragile', 'packed', 'seen', 'day', 'tags']
    const rows = await csvRows({ columns, sorts: [{ field: 'score', direction: 'desc' }] })
    expect(rows).toEqual(expected.map((row) => [...row]))
  })

  it.each(['plain', 'authored'] as const)(
    'distinguishes a missing value from an empty text in %s columns',
    async (table) => {
      await insert([{ id: 1, name: '', phone: null }])
      const columns = ['id', 'name', 'phone', ...(table === 'authored' ? ['shout'] : [])]
      expect((await csvText({ table, columns })).split('\r\n')[1]).toBe(`1,"",${table === 'authored' ? ',""' : ''}`)
      expect((await csvText({ table, columns: ['phone'] })).split('\r\n')[1]).toBe('""')
    },
  )

  const cell = fc.option(
    fc.oneof(
      anyText().map((text) => text.replaceAll('\u0000', '')),
      fc.constantFrom(
        '=1',
        '+966',
        '-5',
        '-5 C',
        '-1e-7',
        '-1-2',
        '-1,',
        '-1"',
        '@x',
        '\t=',
        '\r',
        '\n',
        '"',
        '""',
        '\\',
        '\\"',
        ',',
        ' a ',
        '(a)',
        '-',
      ),
      fc
        .array(fc.constantFrom('"', '\\', ',', ';', '\r\n', '\n', '\r', '=', '-', ' ', 'a', '1', 'ش'), { maxLength: 8 })
        .map((parts) => parts.join('')),
    ),
  )

  it.each(['plain', 'authored'] as const)(
    'is read back unchanged with %s columns, and no cell is a formula',
    async (table) => {
      const rowsOfCells = fc.array(fc.record({ name: cell, phone: cell, address: cell }), {
        minLength: 1,
        maxLength: 20,
      })
      const store = openDatabase(url)
      await fc.assert(
        fc.asyncProperty(rowsOfCells, async (rows) => {
          await sql`delete from parcels`
          await insert(rows.map((row, id) => ({ id, ...row })))
          const columns = ['id', 'name', 'phone', 'address', ...(table === 'authored' ? ['double'] : [])]
          const read = await csvRows({ table, columns }, store)
          const texts = ({ name, phone, address }: (typeof rows)[number]) =>
            [name, phone, address].map((text) => withoutGuard(text ?? ''))
          expect(read.map((row) => row.slice(1, 4).map(withoutGuard))).toEqual(rows.map(texts))
          for (const text of read.flat()) {
            expect(text).not.toMatch(/^\s*([=+@＝＋－＠]|-(?!\d+(\.\d+)?(e[+-]?\d+)?$))/i)
            for (const part of text.split(/[;\t|\r\n]/).slice(1))
              expect(part).not.toMatch(/^["\s]*([=+@＝＋－＠]|-(?!\d+(\.\d+)?(e[+-]?\d+)?(["']|\s*$)))/i)
          }
        }),
        { numRuns: 60 },
      )
    },
  )

  /** Without the quotes that keep formulas from running, and without any others, which look alike. */
  const withoutGuard = (text: string): string => text.replaceAll("'", '')

  it('leaves numbers numbers, and writes none that is not one', async () => {
    await sql`insert into parcels (id, amount, score, big) values (-1, 'NaN', 'NaN', null), (2, -1.50, 'Infinity', -5), (3, null, -0.25, 7)`
    expect(await csvRows({ columns: ['id', 'amount', 'score', 'big'] })).toEqual([
      ['-1', '', '', ''],
      ['2', '-1.50', '', '-5'],
      ['3', '', '-0.25', '7'],
    ])
  })

  it('shows what functions make', async () => {
    await insert([
      { id: 4, name: 'box', address: 'https://example.test/4', markup: '<b>a</b>&lt;', details: ['x', 'y'] },
      { id: 5, details: { value: 'https://example.test/5', label: 'https://example.test/5' } },
      { id: 6, details: { value: '', label: 'Words' } },
    ])
    const columns = ['shout', 'double', 'anchor', 'markup', 'details']
    expect(await csvRows({ table: 'authored', columns })).toEqual([
      ['BOX', '8', 'Go (https://example.test/4)', 'a<', 'x, y'],
      ['', '10', '', '', 'https://example.test/5'],
      ['', '12', '', '', 'Words'],
    ])
  })
})
