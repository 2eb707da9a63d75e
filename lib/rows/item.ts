import type { AnyRow, CompiledColumn } from '../table/compiled-table.ts'
import type { RequestContext } from '../table/request-context.ts'
import type { TableView } from '../table/view.ts'
import type { CellValue } from '../wire/vocabulary.ts'
import { authorRow, noRow } from './author-row.ts'
import { cellOf, isLink, safeLinkCell } from './cell.ts'
import { type JsonText, jsonText } from './json-text.ts'
import { renderCells, rendererOf } from './rendered-cell.ts'
import { rowActionsOf } from './row-actions.ts'
import { hasNumberIds } from './row-id.ts'

/** An item but for its actions: `id` and a key for each column. */
type Cells = Record<string, unknown>

type DatabaseRow = readonly unknown[]
type CellReader = (values: DatabaseRow, row: AnyRow, context: RequestContext) => CellValue

interface Formatter {
  readonly id: (value: unknown) => CellValue
  readonly cells: readonly (readonly [key: string, read: CellReader])[]
  readonly loaded: readonly CompiledColumn[]
  /** Columns whose cells a library writes, such as pictures of barcodes. */
  readonly rendered: readonly CompiledColumn[]
}

/** `text` leaves HTML and the texts of barcodes as the table has them, instead of what clients draw. */
export type CellForm = 'wire' | 'text'

const formatters = new WeakMap<TableView, Formatter>()

/**
 * Rows as the wire has them: `id`, a key for each column that the view has, and the actions that apply.
 * Columns that `load` do so once for all rows.
 */
export async function formatRows(
  view: TableView,
  rows: readonly DatabaseRow[],
  context: RequestContext,
  form: CellForm = 'wire',
): Promise<readonly JsonText[]> {
  const formatter = formatters.get(view) ?? formatterOf(view)
  formatters.set(view, formatter)
  const wholeRows = rows.map((values) => authorRow(view.selection, values))
  const cells = rows.map((values, index) => cellsOf(formatter, view, values, wholeRows[index] ?? noRow, context))
  if (formatter.loaded.length > 0) await loadCells(formatter, cells, wholeRows, context)
  if (formatter.rendered.length > 0 && form === 'wire') await renderCells(formatter.rendered, cells)
  const actionsOf = rowActionsOf(view, context)
  return cells.map((item, index) => itemOf(item, actionsOf(String(item['id']), wholeRows[index] ?? noRow), context))
}

function formatterOf(view: TableView): Formatter {
  const shown = view.columns.flatMap((column, index) => {
    const read = cellReader(column, view.selection.cells[index])
    // An item's id is its key on every endpoint, of one JSON type, whatever a column of that name would make of it.
    return read === undefined || column.key === 'id' ? [] : [[column.key, safeReader(column, read)] as const]
  })
  return {
    id: cellOf(hasNumberIds(view.table.key) ? 'number' : 'text'),
    cells: shown,
    loaded: view.columns.filter(({ definition }) => 'load' in definition),
    rendered: view.columns.filter(({ type }) => rendererOf(type) !== undefined),
  }
}

/** Addresses are checked whoever made them: the database, a format or a function. */
const safeReader = (column: CompiledColumn, read: CellReader): CellReader =>
  isLink(column) ? (values, row, context) => safeLinkCell(read(values, row, context)) : read

function cellReader({ type, definition, source }: CompiledColumn, index: number | undefined): CellReader | undefined {
  if ('value' in definition) return (_, row, context) => definition.value(row, context)
  if (index === undefined || source === undefined) return undefined
  if ('format' in definition && definition.format !== undefined) {
    const { format } = definition
    return (values, row, context) => format(source.decode(values[index]), row, context)
  }
  const cell = cellOf(type)
  return (values) => cell(values[index])
}

function cellsOf(
  formatter: Formatter,
  view: TableView,
  values: DatabaseRow,
  row: AnyRow,
  context: RequestContext,
): Cells {
  const cells: Cells = { id: formatter.id(values[view.selection.key]) }
  for (const [key, read] of formatter.cells) cells[key] = read(values, row, context)
  return cells
}

function itemOf(cells: Cells, actions: string, { itemActions }: RequestContext): JsonText {
  const inRow = itemActions === 'actions' ? '' : `,"row":{"actions":${actions}}`
  const beside = itemActions === 'row' ? '' : `,"actions":${actions}`
  return jsonText(`${JSON.stringify(cells).slice(0, -1)}${inRow}${beside}}`)
}

async function loadCells(
  { loaded }: Formatter,
  items: readonly Cells[],
  rows: readonly AnyRow[],
  context: RequestContext,
): Promise<void> {
  const columns = await Promise.all(
    loaded.map(({ definition }) => ('load' in definition ? definition.load(rows, context) : [])),
  )
  for (const [place, column] of loaded.entries()) {
    const safe = isLink(column) ? safeLinkCell : (cell: CellValue) => cell
    for (const [index, item] of items.entries()) item[column.key] = safe(columns[place]?.[index] ?? null)
  }
}
