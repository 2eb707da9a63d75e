import { rowActionEntry } from '../table/action-entry.ts'
import type { AnyRow, RowAction } from '../table/compiled-table.ts'
import type { RequestContext } from '../table/request-context.ts'
import type { TableView } from '../table/view.ts'
import { pathOfId } from './row-id.ts'

/** A row action's entry as JSON text, cut where the row's id belongs into its two URLs. */
interface PreparedAction {
  readonly definition: RowAction['definition']
  readonly start: string
  readonly middle: string
}

/**
 * Writes the entries once for all rows. The function that it returns gives the actions that apply to one row, with its own
 * URLs, as the JSON text of an object by action key.
 */
export function rowActionsOf(view: TableView, context: RequestContext): (id: string, row: AnyRow) => string {
  const prepared = preparedActions(view, context)
  return (id, row) => {
    const segment = pathOfId(id)
    let members = ''
    for (const { definition, start, middle } of prepared) {
      if (definition.appliesTo !== undefined && definition.appliesTo(row, context) !== true) continue
      members += `${members === '' ? '' : ','}${start}${segment}${middle}${segment}"}${rowValues(definition, row)}}`
    }
    return `{${members}}`
  }
}

const known = new WeakMap<TableView, Map<string, readonly PreparedAction[]>>()

/** Without a public URL the base is the request's own host, of which a client can make up any number. */
const mostBases = 16

function preparedActions(view: TableView, context: RequestContext): readonly PreparedAction[] {
  const ofView = known.get(view) ?? new Map<string, readonly PreparedAction[]>()
  const key = `${context.language} ${context.baseUrl}`
  const prepared = ofView.get(key) ?? view.rowActions.map((action) => prepare(action, view, context))
  if (ofView.size >= mostBases) ofView.clear()
  known.set(view, ofView.set(key, prepared))
  return prepared
}

function prepare(rowAction: RowAction, view: TableView, { language, baseUrl }: RequestContext): PreparedAction {
  const { action, ...entry } = rowActionEntry(rowAction, { tableName: view.table.name, baseUrl, language })
  const open = (url: string) => JSON.stringify(`${url}/`).slice(0, -1)
  return {
    definition: rowAction.definition,
    start: `${JSON.stringify(rowAction.key)}:${JSON.stringify(entry).slice(0, -1)},"action":{"api":${open(action.api)}`,
    middle: `","web":${open(action.web)}`,
  }
}

/** What the kinds of action other than `normal` tell of a row (wire contract 4), as further members of its entry. */
function rowValues(definition: RowAction['definition'], row: AnyRow): string {
  if (definition.type === 'toggle') return `,"toggle_current_value":${JSON.stringify(definition.current(row))}`
  if (definition.type === 'copy') return `,"copy_value":${JSON.stringify(definition.copies(row))}`
  if (definition.type !== 'redirect' && definition.type !== 'external_redirect') return ''
  const target = JSON.stringify(definition.to(row))
  return `,"redirect_routes":{"api":${target},"web":${target}}`
}
