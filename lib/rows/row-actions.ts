import { actionPaths } from '../routes.ts'
import { type ActionContext, actionContext, actionUrls, rowActionEntry } from '../table/action-entry.ts'
import type { AnyRow, RowAction } from '../table/compiled-table.ts'
import { withQuery } from '../table/params-query.ts'
import type { RequestContext } from '../table/request-context.ts'
import type { TableView } from '../table/view.ts'
import { pathOfId } from './row-id.ts'
import { safeUrl } from './safe-url.ts'

/** A row action's entry as JSON text, cut where the row's id belongs into its URLs. */
interface PreparedAction {
  readonly definition: RowAction['definition']
  readonly start: string
  /** Between the two URLs; absent where there is one. */
  readonly middle: string | undefined
  readonly end: string
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
    for (const { definition, start, middle, end } of prepared) {
      if (definition.appliesTo !== undefined && definition.appliesTo(row, context) !== true) continue
      const urls = middle === undefined ? segment : `${segment}${middle}${segment}`
      members += `${members === '' ? '' : ','}${start}${urls}${end}${rowValues(definition, row, context)}}`
    }
    return `{${members}}`
  }
}

const known = new WeakMap<TableView, Map<string, readonly PreparedAction[]>>()

/** `params`, and without a public URL the request's own host, are a client's own: it can make up any number of them. */
const maxPrepared = 16

function preparedActions(view: TableView, context: RequestContext): readonly PreparedAction[] {
  const ofView = known.get(view) ?? new Map<string, readonly PreparedAction[]>()
  if (view.rowActions.length === 0) return []
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

/** What the kinds of action other than `normal` tell of a row, as further members of its entry. */
function rowValues(definition: RowAction['definition'], row: AnyRow, context: RequestContext): string {
  if (definition.type === 'toggle') return `,"toggle_current_value":${JSON.stringify(definition.current(row))}`
  if (definition.type === 'copy') return `,"copy_value":${JSON.stringify(definition.copies(row))}`
  if (definition.type !== 'redirect' && definition.type !== 'external_redirect') return ''
  const target = JSON.stringify(safeUrl(definition.to(row, context)))
  return `,"redirect_routes":{"api":${target},"web":${target}}`
}
