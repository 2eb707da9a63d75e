import { rowActionEntry } from '../table/action-entry.ts'
import type { AnyRow } from '../table/compiled-table.ts'
import type { RequestContext } from '../table/request-context.ts'
import type { TableView } from '../table/view.ts'
import { pathOfId } from './row-id.ts'

/** The actions that apply to one row, by action key, with the row's own URLs. */
export type RowActions = Readonly<Record<string, unknown>>

/** Prepares the entries of a request once; the function that it returns adds what differs from row to row. */
export function rowActionsOf(view: TableView, context: RequestContext): (id: string, row: AnyRow) => RowActions {
  const { language, baseUrl } = context
  const prepared = view.rowActions.map((action) => {
    const entry = rowActionEntry(action, { tableName: view.table.name, baseUrl, language })
    return { ...action, entry, api: `${entry.action.api}/`, web: `${entry.action.web}/` }
  })
  return (id, row) => {
    const actions: Record<string, unknown> = {}
    const segment = pathOfId(id)
    for (const { key, definition, entry, api, web } of prepared) {
      if (definition.appliesTo?.(row, context) === false) continue
      const action = { api: api + segment, web: web + segment }
      actions[key] = { ...entry, action, ...rowValues(definition, row) }
    }
    return actions
  }
}

/** What the kinds of action other than `normal` tell of a row (wire contract 4). */
function rowValues(definition: TableView['rowActions'][number]['definition'], row: AnyRow): object | undefined {
  if (definition.type === 'toggle') return { toggle_current_value: definition.current(row) }
  if (definition.type === 'copy') return { copy_value: definition.copies(row) }
  if (definition.type !== 'redirect' && definition.type !== 'external_redirect') return undefined
  const target = definition.to(row)
  return { redirect_routes: { api: target, web: target } }
}
