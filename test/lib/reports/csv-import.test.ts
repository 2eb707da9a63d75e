import { expect, it } from 'vitest'
import type { FileRow } from '../../../lib/reports/file-rows.ts'
import { readCsv } from '../../../lib/reports/read-csv.ts'

const readAll = async (text: string) => {
  const [sheet] = readCsv(Buffer.from(text)).sheets
  const rows: FileRow[] = []
  for await (const row of sheet?.rows() ?? []) rows.push(row)
  return rows
}

it('reads as many columns of a CSV file as a sheet of a workbook has, and refuses more', async () => {
  const [row] = await readAll(`${'x,'.repeat(16_383)}x\n`)
  expect(row?.cells.size).toBe(16_384)
  await expect(readAll(`${'x,'.repeat(16_384)}x\n`)).rejects.toMatchObject({ code: 'import_unreadable' })
})

it('reads text behind the closing quote of a cell as part of the cell, as spreadsheet programs do', async () => {
  const [row] = await readAll('"Big" Joe,"a""b"c,"d" ,"e"\n')
  expect([...(row?.cells.values() ?? [])].map(({ value }) => value)).toEqual(['Big Joe', 'a"bc', 'd', 'e'])
})
