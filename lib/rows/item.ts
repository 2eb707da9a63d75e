import { translate } from '../i18n/language.ts'
import { actionPaths } from '../routes.ts'
import { type ActionContext, actionContext, actionUrls, rowActionEntry } from '../table/action-entry.ts'
import type { ColumnType } from '../table/column-definition.ts'
import type { CompiledColumn, RowAction } from '../table/compiled-table.ts'
import type { AnyRow, ResponseContext } from '../table/context.ts'
import { findObstacle } from '../table/find-obstacle.ts'
import { withQuery } from '../table/params-query.ts'
import type { TableView } from '../table/view.ts'
import type { CellValue } from '../wire/vocabulary.ts'
import { authorRow, noRow } from './author-row.ts'
import { createCellFormat, isLink, safeLinkCell } from './cell.ts'
import { type JsonText, jsonText } from './json-text.ts'
import { encodePathId, hasNumberIds } from './row-id.ts'
import { safeUrl } from './safe-url.ts'

/** An item but for its actions: `id` and a key for each column. */
type Cells = Record<string, unknown>

type DatabaseRow = readonly unknown[]
type CellReader = (values: DatabaseRow, row: AnyRow, context: ResponseContext) => CellValue

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
  context: ResponseContext,
  form: CellForm = 'wire',
): Promise<readonly JsonText[]> {
  const formatter = formatters.get(view) ?? createFormatter(view)
  formatters.set(view, formatter)
  const wholeRows = rows.map((values) => authorRow(view.selection, values))
  const cells = rows.map((values, index) => formatCells(formatter, view, values, wholeRows[index] ?? noRow, context))
  if (formatter.loaded.length > 0) await loadCells(formatter, cells, wholeRows, context)
  if (formatter.rendered.length > 0 && form === 'wire') await renderCells(formatter.rendered, cells)
  const writeActions = createRowActions(view, context)
  return cells.map((item, index) => {
    const members = view.writeMembers?.(rows[index] ?? [])
    return createItem(item, writeActions(String(item['id']), wholeRows[index] ?? noRow), context, members)
  })
}

function createFormatter(view: TableView): Formatter {
  const shown = view.columns.flatMap((column, index) => {
    const read = cellReader(column, view.selection.cells[index])
    // On every endpoint an item's id is its key, of one JSON type: a column of that name does not replace it.
    return read === undefined || column.key === 'id' ? [] : [[column.key, safeReader(column, read)] as const]
  })
  return {
    id: createCellFormat(hasNumberIds(view.table.key) ? 'number' : 'text'),
    cells: shown,
    loaded: view.columns.filter(({ definition }) => 'load' in definition),
    rendered: view.columns.filter(({ type }) => renderers[type] !== undefined),
  }
}

/** Checks the addresses of links from the database, from a format and from a function alike. */
const safeReader = (column: CompiledColumn, read: CellReader): CellReader =>
  isLink(column) ? (values, row, context) => safeLinkCell(read(values, row, context)) : read

function cellReader({ type, definition, source }: CompiledColumn, index: number | undefined): CellReader | undefined {
  if ('value' in definition) return (_, row, context) => definition.value(row, context)
  if (index === undefined || source === undefined) return undefined
  if ('format' in definition && definition.format !== undefined) {
    const { format } = definition
    return (values, row, context) => format(source.decode(values[index]), row, context)
  }
  const cell = createCellFormat(type)
  return (values) => cell(values[index])
}

function formatCells(
  formatter: Formatter,
  view: TableView,
  values: DatabaseRow,
  row: AnyRow,
  context: ResponseContext,
): Cells {
  const cells: Cells = { id: formatter.id(values[view.selection.key]) }
  for (const [key, read] of formatter.cells) cells[key] = read(values, row, context) ?? null
  return cells
}

function createItem(cells: Cells, actions: string, { itemActions }: ResponseContext, members = ''): JsonText {
  const start = `${JSON.stringify(cells).slice(0, -1)}${members}`
  if (itemActions === 'none') return jsonText(`${start}}`)
  if (itemActions === 'keys') {
    const pathId = JSON.stringify(encodePathId(String(cells['id'])))
    return jsonText(`${start},"row":{"actions":${actions},"path_id":${pathId}}}`)
  }
  const inRow = itemActions === 'actions' ? '' : `,"row":{"actions":${actions}}`
  const beside = itemActions === 'row' ? '' : `,"actions":${actions}`
  return jsonText(`${start}${inRow}${beside}}`)
}

async function loadCells(
  { loaded }: Formatter,
  items: readonly Cells[],
  rows: readonly AnyRow[],
  context: ResponseContext,
): Promise<void> {
  const columns = await Promise.all(
    loaded.map(async ({ definition }) => ('load' in definition ? definition.load([...rows], context) : [])),
  )
  for (const [place, column] of loaded.entries()) {
    const safe = isLink(column) ? safeLinkCell : (cell: CellValue) => cell
    for (const [index, item] of items.entries()) item[column.key] = safe(columns[place]?.[index] ?? null)
  }
}

/** Writes a cell from its text by a library. */
type Renderer = (text: string) => Promise<string>

const renderers: Readonly<Partial<Record<ColumnType, Renderer>>> = {
  // Loaded only for tables that show such a column: no other request pays for the libraries.
  html: async (text) => (await import('./sanitise-html.ts')).sanitiseHtml(text),
  barcode: async (text) => (await import('./barcode.ts')).barcodePng(text),
}

/** Replaces the texts of these columns by what clients show: sanitised HTML, or a barcode's picture as base64. */
async function renderCells(
  columns: readonly CompiledColumn[],
  items: readonly Record<string, unknown>[],
): Promise<void> {
  const cells = columns.flatMap(({ key, type }) => items.map((item) => ({ key, item, render: renderers[type] })))
  await Promise.all(
    cells.map(async ({ key, item, render }) => {
      const value = item[key]
      item[key] = render === undefined || value === null || value === undefined ? null : await render(String(value))
    }),
  )
}

/** Returns a text of an author's function; an empty one where the row has none, such as JSON without the key. */
export const actionText = (text: unknown): string => String(text ?? '')

/** A row action's entry as JSON text, cut where the row's id belongs into its URLs. */
interface PreparedAction {
  readonly definition: RowAction['definition']
  readonly start: string
  /** Between the two URLs; absent where there is one. */
  readonly middle: string | undefined
  readonly end: string
}

/**
 * Writes the entries once for all rows. The function that it returns gives the actions that one row offers, with its
 * own URLs, as the JSON text of an object by action key.
 */
function createRowActions(view: TableView, context: ResponseContext): (id: string, row: AnyRow) => string {
  if (context.itemActions === 'keys') return (_, row) => varyingParts(view, row, context)
  const prepared = prepareActions(view, context)
  return (id, row) => {
    const segment = encodePathId(id)
    let members = ''
    for (const { definition, start, middle, end } of prepared) {
      const own = rowValues(definition, row, context)
      if (own === undefined) continue
      const urls = middle === undefined ? segment : `${segment}${middle}${segment}`
      members += `${members === '' ? '' : ','}${start}${urls}${end}${own}}`
    }
    return `{${members}}`
  }
}

/** The actions that a row offers, each with what the structure cannot say of it. */
function varyingParts({ rowActions }: TableView, row: AnyRow, context: ResponseContext): string {
  let members = ''
  for (const { key, definition } of rowActions) {
    const own = rowValues(definition, row, context)
    if (own !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(key)}:{${own.slice(1)}}`
  }
  return `{${members}}`
}

const known = new WeakMap<TableView, Map<string, readonly PreparedAction[]>>()

/** `params`, and without a public URL the request's own host, are a client's own: it can make up any number of them. */
const maxPrepared = 16

function prepareActions(view: TableView, context: ResponseContext): readonly PreparedAction[] {
  if (view.rowActions.length === 0) return []
  const ofView = known.get(view) ?? new Map<string, readonly PreparedAction[]>()
  const shared = actionContext(view, context)
  const key = `${shared.language} ${shared.hasWeb} ${shared.baseUrl} ${shared.query}`
  const prepared = ofView.get(key) ?? view.rowActions.map((action) => prepare(action, shared))
  if (ofView.size >= maxPrepared) ofView.clear()
  known.set(view, ofView.set(key, prepared))
  return prepared
}

function prepare(rowAction: RowAction, shared: ActionContext): PreparedAction {
  const { action: _, ...entry } = rowActionEntry(rowAction, shared)
  const action = actionUrls({ ...shared, query: '' }, actionPaths.row, rowAction.key)
  const open = (url: string) => JSON.stringify(`${url}/`).slice(0, -1)
  const close = JSON.stringify(withQuery('', shared.query)).slice(1)
  return {
    definition: rowAction.definition,
    start: `${JSON.stringify(rowAction.key)}:${JSON.stringify(entry).slice(0, -1)},"action":{"api":${open(action.api)}`,
    middle: action.web === undefined ? undefined : `${close},"web":${open(action.web)}`,
    end: `${close}}`,
  }
}

/** Returns the further members of a row's entry; `undefined` for an action that the row does not offer. */
function rowValues(definition: RowAction['definition'], row: AnyRow, context: ResponseContext): string | undefined {
  const obstacle = findObstacle(definition, row, context)
  if (obstacle === 'hidden') return undefined
  const state =
    obstacle && `,"enabled":false,"reason":${JSON.stringify(actionText(translate(obstacle, context.language)))}`
  if (definition.type === 'toggle') return `,"toggle_current_value":${definition.current(row) === true}${state ?? ''}`
  // The target of a refused action is not for its caller.
  if (state !== undefined) return state
  if (definition.type === 'copy') return `,"copy_value":${JSON.stringify(actionText(definition.copies(row)))}`
  if (definition.type !== 'redirect' && definition.type !== 'external_redirect') return ''
  const target = JSON.stringify(safeUrl(definition.to(row, context)))
  return `,"redirect_routes":{"api":${target},"web":${target}}`
}
