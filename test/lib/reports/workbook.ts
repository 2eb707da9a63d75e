import { inflateRawSync } from 'node:zlib'
import { type Cell, type CellValue, readXlsx, type Sheet } from 'hucre'

/** A workbook as a reader that knows nothing of the writer sees it. */
export async function listSheets(bytes: Buffer): Promise<readonly Sheet[]> {
  const { sheets } = await readXlsx(bytes, { readStyles: true })
  return sheets
}

/** The first sheet. */
export async function dataSheet(bytes: Buffer): Promise<Sheet> {
  const [sheet] = await listSheets(bytes)
  if (sheet === undefined) throw new Error('the workbook has no sheet')
  return sheet
}

/** Rows without the header, each cell as text, number, boolean, null, or a date's ISO text. */
export const listValues = ({ rows }: Sheet): readonly (readonly unknown[])[] =>
  rows.slice(1).map((row) => row.map(plain))

const plain = (value: CellValue | undefined): unknown =>
  value instanceof Date ? value.toISOString().slice(0, 19) : (value ?? null)

/** The cell below the header at these places, counted from 0. */
export const cellAt = ({ cells }: Sheet, row: number, column: number): Cell | undefined =>
  cells?.get(`${row + 1},${column}`)

const centralEntry = Buffer.from('PK\x01\x02', 'latin1')

/** The XML of the first sheet, by the ZIP's own directory. */
export function sheetXml(bytes: Buffer): string {
  for (let at = bytes.indexOf(centralEntry); at >= 0; at = bytes.indexOf(centralEntry, at + 1)) {
    const nameLength = bytes.readUInt16LE(at + 28)
    if (bytes.toString('utf8', at + 46, at + 46 + nameLength) !== 'xl/worksheets/sheet1.xml') continue
    const size = bytes.readUInt32LE(at + 20)
    const local = bytes.readUInt32LE(at + 42)
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    return inflateRawSync(bytes.subarray(start, start + size)).toString()
  }
  throw new Error('the workbook has no sheet')
}
