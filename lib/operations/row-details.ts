import { translate } from '../i18n/language.ts'
import { type CellText, cellText, isLink } from '../rows/cell.ts'
import { columnValueType } from '../table/column-entry.ts'
import type { CompiledColumn } from '../table/compiled-table.ts'
import type { Payload, TableRequest } from './table-request.ts'

/** Returns every cell of a row with its label, as the table shows it. */
export async function rowDetails(
  { view, language }: Pick<TableRequest, 'view' | 'language'>,
  cells: Readonly<Record<string, unknown>>,
): Promise<Payload> {
  const shown = view.columns.filter(({ type, key }) => type !== 'actions' && Object.hasOwn(cells, key))
  const entries = shown.map(async (column) => {
    const value = await cellText(column, cells[column.key], language)
    const label = translate(column.definition.label, language)
    return [column.key, { label, value, ...detailType(column, cells[column.key], value) }] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** Only a cell that is nothing but its address is still a link as text. */
function detailType(column: CompiledColumn, cell: unknown, value: CellText) {
  if (typeof value === 'number') return { type: 'text', value_type: 'number' }
  if (typeof value !== 'string') return { type: 'datalist', value_type: 'list' }
  if (isLink(column) && value === cell) return { type: 'link', value_type: columnValueType(column) }
  return { type: 'text', value_type: 'text' }
}
