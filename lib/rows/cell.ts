import type { ColumnType } from '../table/column-definition.ts'
import type { CellValue } from '../wire/vocabulary.ts'
import { countDigits } from './decimal-text.ts'
import { safeUrl } from './safe-url.ts'

/**
 * Creates the function that turns a value of the driver into a cell of a column's type. A missing value is always null.
 */
export function createCellFormat(type: ColumnType): (value: unknown) => CellValue {
  if (type === 'number') return (value) => (typeof value === 'string' ? jsonNumber(value) : finite(value))
  if (type === 'datalist')
    return (value) => (Array.isArray(value) ? value.filter((entry) => entry !== null).map(String) : null)
  if (type === 'boolean') return (value) => (typeof value === 'boolean' ? value : null)
  return (value) => (typeof value === 'object' ? textOfObject(value) : finite(value))
}

/** Whether the cells of a column are addresses. */
export const isLink = ({ type }: { readonly type: ColumnType }): boolean => type === 'link' || type === 'image'

/** Disables an address that could run a script in the client's page. */
export function safeLinkCell(cell: CellValue): CellValue {
  if (typeof cell === 'string') return safeUrl(cell)
  if (cell === null || typeof cell !== 'object' || !('value' in cell) || typeof cell.value !== 'string') return cell
  return { ...cell, value: safeUrl(cell.value) }
}

const finite = (value: unknown): CellValue =>
  (typeof value === 'number' && !Number.isFinite(value)) || value === undefined ? null : (value as CellValue)

const textOfObject = (value: object | null): CellValue => (value === null ? null : JSON.stringify(value))

const digitsOfDouble = 15

/** A decimal as a JSON number where a double holds all of its digits, else as the text that Postgres wrote. */
function jsonNumber(text: string): number | string | null {
  const value = Number(text)
  if (Number.isNaN(value) || text.endsWith('Infinity')) return null
  const digits = countDigits(text)
  const isInRange = Number.isFinite(value) && (value !== 0 || digits === 0)
  return (isInRange && digits <= digitsOfDouble) || String(value) === text ? value : text
}
