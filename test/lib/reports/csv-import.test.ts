import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { FileRow } from '../../../lib/reports/file-rows.ts'
import { readCsv } from '../../../lib/reports/read-csv.ts'

const readRows = (text: string) => readCsv(Buffer.from(text)).sheets[0]?.rows() ?? []

const readAll = async (text: string) => {
  const rows: FileRow[] = []
  for await (const row of readRows(text)) rows.push(row)
  return rows
}

it('reads as many columns of a CSV file as a sheet of a workbook has, and refuses more', async () => {
  const [row] = await readAll(`${'x,'.repeat(16_383)}x\n`)
  expect(row?.cells.size).toBe(16_384)
  await expect(readAll(`${'x,'.repeat(16_384)}x\n`)).rejects.toMatchObject({ code: 'import_unreadable' })
})

it('refuses a CSV file with more lines than a sheet of a workbook has, even if they are empty', async () => {
  let rows = 0
  const reading = async () => {
    for await (const { number } of readRows('\n'.repeat(1_048_577))) rows = number
  }
  await expect(reading()).rejects.toMatchObject({ code: 'import_too_large' })
  expect(rows).toBe(1_048_576)
})

const withoutEmptyEnds = (rows: readonly (readonly unknown[])[]) =>
  rows.map((row) => row.slice(0, row.findLastIndex((value) => value !== '') + 1)).filter((row) => row.length > 0)

it('reads each cell of a file, for any separator, any quotes and any end of its last line', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\t', '\n', '\r', ' ', '\u2028'), maxLength: 6 })
  const lines = fc.array(fc.array(cell, { minLength: 3, maxLength: 5 }), { minLength: 1, maxLength: 5 })
  const separator = fc.constantFrom(',', ';', '\t')
  const newline = fc.constantFrom('\n', '\r\n', '\r')
  await fc.assert(
    fc.asyncProperty(lines, separator, newline, fc.boolean(), async (rows, between, end, endsLastLine) => {
      const all = [['id', 'name', 'note'], ...rows]
      const quote = (text: string) => (/["\r\n,;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
      const written = all.map((row) => row.map(quote).join(between)).join(end)
      const found = await readAll(endsLastLine ? written + end : written)
      const read = found.map(({ cells }) => Array.from({ length: 5 }, (_, index) => cells.get(index)?.value ?? ''))
      expect(withoutEmptyEnds(read)).toEqual(withoutEmptyEnds(all))
    }),
  )
})
