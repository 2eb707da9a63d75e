import { isFloat } from '../query/compare.ts'
import type { CompiledColumn } from '../table/compiled-table.ts'
import type { Source } from '../table/source.ts'

/** Spreadsheets keep 15 digits of a number and show zeros for the others. */
const maxDigits = 15
const firstInexact = 10 ** maxDigits

/**
 * Returns a number that a spreadsheet keeps with every digit, or its text. `value` is what the server sent, `cell` what was read
 * of it. A float has no more digits than a spreadsheet keeps, so it stays a number.
 */
export function exactNumber<Cell>(value: unknown, cell: Cell, source: Source | undefined): Cell | string {
  if (typeof cell !== 'number' || (source !== undefined && isFloat(source))) return cell
  if (typeof value === 'string') return digitCount(value) > maxDigits ? value : cell
  return Number.isSafeInteger(cell) && Math.abs(cell) >= firstInexact ? String(cell) : cell
}

const digitCount = (text: string): number => {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  return (whole + fraction.replace(/0+$/, '')).replace(/^0+/, '').length
}

const ungrouped = '0'
const grouped = '#,##0'

/** Returns how a spreadsheet shows the numbers of a column: with thousands separators where a number is an amount. */
export function numberFormat({ definition, source }: CompiledColumn, isKey: boolean): string {
  const isNumber = definition.type === 'number'
  const whole = isKey || (isNumber && definition.grouping === false) ? ungrouped : grouped
  const decimals = (isNumber ? definition.decimals : undefined) ?? declaredScale(source)
  if (decimals !== undefined) return decimals === 0 ? whole : `${whole}.${'0'.repeat(Math.min(decimals, maxDigits))}`
  if (source?.kind === 'integer') return whole
  // A float can be too small or too large for a fixed number of places.
  return source?.kind === 'decimal' && !isFloat(source) ? `${whole}.0#########` : 'General'
}

/** The places of a column such as `numeric(10, 2)`. */
function declaredScale(source: Source | undefined): number | undefined {
  const scale = /^(?:numeric|decimal)\(\d+,\s*(\d+)\)/.exec(source?.sqlType ?? '')?.[1]
  return scale === undefined ? undefined : Number(scale)
}
