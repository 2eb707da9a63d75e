import type { Database } from '../db/database.ts'
import { rowsStatement } from '../query/page-statement.ts'
import type { OpenedTable } from '../table/open-table.ts'
import { type CellForm, formatRows } from './item.ts'
import type { JsonText } from './json-text.ts'
import { keyText } from './key-text.ts'

/**
 * The rows with these ids as query-table would now return them, each at the place of its id, by one statement.
 * `undefined` stands for an id that no row inside the scope has.
 */
export async function readItems(
  database: Pick<Database, 'read'>,
  opened: OpenedTable,
  ids: readonly unknown[],
  form?: CellForm,
): Promise<readonly (JsonText | undefined)[]> {
  const { view, context } = opened
  const { key } = view.table
  const texts = ids.map((id) => keyText(key, id))
  const wanted = [...new Set(texts.filter((text) => text !== undefined))]
  if (wanted.length === 0) return ids.map(() => undefined)
  const query = rowsStatement(opened, wanted)
  const rows = await database.read(query.text, query.parameters)
  const items = await formatRows(view, rows, context, form)
  const byKey = new Map(rows.map((row, index) => [String(row[view.selection.key]), items[index]]))
  return texts.map((text) => (text === undefined ? undefined : byKey.get(text)))
}
