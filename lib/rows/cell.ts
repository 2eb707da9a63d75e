import type { ColumnType } from '../table/column-definition.ts'
import type { CellValue } from '../wire/vocabulary.ts'

/** From what the driver returns to what a cell of a column's type holds on the wire. A missing value is always null. */
export function cellOf(type: ColumnType): (value: unknown) => CellValue {
  if (type === 'number') return (value) => (typeof value === 'string' ? exactNumber(value) : finite(value))
  if (type === 'datalist')
    return (value) => (Array.isArray(value) ? value.filter((entry) => entry !== null).map(String) : null)
  if (type === 'boolean') return (value) => (typeof value === 'boolean' ? value : null)
  return (value) => (typeof value === 'object' ? textOfObject(value) : finite(value))
}

const finite = (value: unknown): CellValue =>
  (typeof value === 'number' && !Number.isFinite(value)) || value === undefined ? null : (value as CellValue)

const textOfObject = (value: object | null): CellValue => (value === null ? null : JSON.stringify(value))

const digitsOfDouble = 15

/** A decimal as a JSON number where a double holds all of its digits, else as the text that Postgres wrote. */
function exactNumber(text: string): number | string | null {
  const value = Number(text)
  if (!Number.isFinite(value)) return null
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  const digits = (whole + fraction.replace(/0+$/, '')).replace(/^0+/, '')
  return digits.length <= digitsOfDouble ? value : String(value) === text ? value : text
}
