import type { Language } from '../i18n/language.ts'
import type { ColumnType } from '../table/column-definition.ts'
import { booleanLabels, textLabels } from '../table/column-entry.ts'
import type { CompiledColumn } from '../table/compiled-table.ts'
import type { CellValue } from '../wire/vocabulary.ts'
import { disabledLink, safeUrl } from './safe-url.ts'

/** From what the driver returns to what a cell of a column's type holds on the wire. A missing value is always null. */
export function createCellFormat(type: ColumnType): (value: unknown) => CellValue {
  if (type === 'number') return (value) => (typeof value === 'string' ? exactNumber(value) : finite(value))
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
function exactNumber(text: string): number | string | null {
  const value = Number(text)
  if (!Number.isFinite(value)) return null
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  const digits = (whole + fraction.replace(/0+$/, '')).replace(/^0+/, '')
  return digits.length <= digitsOfDouble ? value : String(value) === text ? value : text
}

/** Returns a cell as text for a person. */
export type CellText = string | number | readonly string[]

const missing = '-'

/** Returns a cell as a person reads it in the table: a text, a number or a list of texts; `-` for a missing value. */
export async function cellText(column: CompiledColumn, cell: unknown, language: Language): Promise<CellText> {
  if (cell === null || cell === undefined || cell === '') return missing
  if (typeof cell === 'boolean') return booleanLabels(column.definition, language)[cell ? 0 : 1]
  if (Array.isArray(cell)) return cell.length === 0 ? missing : cell.map((entry) => String(entry ?? missing))
  if (typeof cell === 'object') return linkText(cell)
  if (column.type === 'html') return (await import('../reports/plain-html.ts')).plainHtml(String(cell)) || missing
  if (cell === disabledLink && isLink(column)) return missing
  const label = textLabels(column.definition, language).get(String(cell))
  return label ?? (typeof cell === 'number' ? cell : String(cell))
}

/** A text has no room for a hidden address, so it stands behind the words. */
function linkText(link: object): string {
  if (!('value' in link && 'label' in link)) return JSON.stringify(link)
  const [label, address] = [String(link.label ?? ''), String(link.value ?? '')]
  if (address === '' || address === disabledLink || address === label) return label || missing
  return label === '' ? address : `${label} (${address})`
}
