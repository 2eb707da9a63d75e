import type { CellValue } from '../table/column-definition.ts'
import type { AnyRow, CompiledColumn } from '../table/compiled-table.ts'
import type { RequestContext } from '../table/request-context.ts'
import type { TableView } from '../table/view.ts'
import { cellOf } from './cell.ts'
import { renderCells, rendererOf } from './rendered-cell.ts'
import { type RowActions, rowActionsOf } from './row-actions.ts'

/** A row as the wire has it: `id`, a key for each column, and the actions that apply to it (wire contract 4). */
export type Item = Readonly<Record<string, unknown>>

type DatabaseRow = readonly unknown[]
type CellReader = (values: DatabaseRow, row: AnyRow, context: RequestContext) => CellValue

interface Formatter {
  readonly id: (value: unknown) => CellValue
  readonly cells: readonly (readonly [key: string, read: CellReader])[]
  readonly loaded: readonly CompiledColumn[]
  /** Columns whose cells a library writes, such as pictures of barcodes. */
  readonly rendered: readonly CompiledColumn[]
}

const formatters = new WeakMap<TableView, Formatter>()

/** Formats a page's rows through the columns that the view has. Columns that `load` do so once for the whole page. */
export async function formatRows(
  view: TableView,
  rows: readonly DatabaseRow[],
  context: RequestContext,
): Promise<readonly Item[]> {
  const formatter = formatters.get(view) ?? formatterOf(view)
  formatters.set(view, formatter)
  const actionsOf = rowActionsOf(view, context)
  const wholeRows = rows.map((values) => rowOf(view, values))
  const items = rows.map((values, index) =>
    itemOf(formatter, values, wholeRows[index] ?? noRow, context, actionsOf, view),
  )
  if (formatter.loaded.length > 0) await loadCells(formatter, items, wholeRows, context)
  if (formatter.rendered.length > 0) await renderCells(formatter.rendered, items)
  return items
}

const noRow: AnyRow = Object.freeze(Object.create(null))

function formatterOf(view: TableView): Formatter {
  const shown = view.columns.flatMap((column, index) => {
    const read = cellReader(column, view.selection.cells[index])
    // An item's id is its key on every endpoint, of one JSON type, whatever a column of that name would make of it.
    return read === undefined || column.key === 'id' ? [] : [[column.key, read] as const]
  })
  return {
    id: cellOf(view.table.key.kind === 'integer' && !isBig(view.table.key.sqlType) ? 'number' : 'text'),
    cells: shown,
    loaded: view.columns.filter(({ definition }) => 'load' in definition),
    rendered: view.columns.filter(({ type }) => rendererOf(type) !== undefined),
  }
}

const isBig = (sqlType: string): boolean => sqlType.startsWith('big')

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

function rowOf(view: TableView, values: DatabaseRow): AnyRow {
  const { row } = view.selection
  if (row === undefined) return noRow
  return Object.fromEntries(row.map(({ source, index }) => [source.key, source.decode(values[index])]))
}

function itemOf(
  formatter: Formatter,
  values: DatabaseRow,
  row: AnyRow,
  context: RequestContext,
  actionsOf: (id: string, row: AnyRow) => RowActions,
  view: TableView,
): Record<string, unknown> {
  const id = formatter.id(values[view.selection.key])
  const item: Record<string, unknown> = { id }
  for (const [key, read] of formatter.cells) item[key] = read(values, row, context)
  const actions = actionsOf(String(id), row)
  if (context.itemActions !== 'actions') item['row'] = { actions }
  if (context.itemActions !== 'row') item['actions'] = actions
  return item
}

async function loadCells(
  { loaded }: Formatter,
  items: readonly Record<string, unknown>[],
  rows: readonly AnyRow[],
  context: RequestContext,
): Promise<void> {
  const columns = await Promise.all(
    loaded.map(({ definition }) => ('load' in definition ? definition.load(rows, context) : [])),
  )
  for (const [place, { key }] of loaded.entries()) {
    for (const [index, item] of items.entries()) item[key] = columns[place]?.[index] ?? null
  }
}
