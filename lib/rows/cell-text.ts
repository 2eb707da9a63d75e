import type { Language } from '../i18n/language.ts'
import { booleanLabels, textLabels } from '../table/column-entry.ts'
import type { CompiledColumn } from '../table/compiled-table.ts'
import { isLink } from './cell.ts'
import { disabledLink } from './safe-url.ts'

/** A cell as a person reads it; a list where it has several texts. */
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
  const label = String(link.label ?? '')
  const address = String(link.value ?? '')
  if (address === '' || address === disabledLink || address === label) return label || missing
  return label === '' ? address : `${label} (${address})`
}
