import { actionPaths } from '../routes.ts'
import { actionContext, actionUrls } from './action-entry.ts'
import type { ResponseContext } from './context.ts'
import { listEditableColumns } from './editable-columns.ts'
import { formSchema } from './form-schema.ts'
import { hasEditing, updateCellsKey } from './has-editing.ts'
import type { describeStructure } from './structure.ts'
import type { TableView } from './view.ts'

type Structure = Awaited<ReturnType<typeof describeStructure>>

/** Adds to a structure the values that editable columns take, as JSON Schema, the URLs that write them, and which exports can be sent back. */
export function addEditing(structure: Structure, view: TableView, context: ResponseContext) {
  if (!hasEditing(view)) return structure
  const editable = listEditableColumns(view)
  const urls = actionContext(view, context)
  const files = new Set(view.bulkActions.flatMap(({ key, definition }) => (definition.export === 'excel' ? [key] : [])))
  return {
    ...structure,
    columns: structure.columns.map((entry) => {
      const column = editable.get(entry.data_src)
      return column === undefined ? entry : { ...entry, editable: formSchema(column, context.language) }
    }),
    bulkActions: structure.bulkActions.map((entry) =>
      'action_key' in entry && files.has(String(entry.action_key)) ? { ...entry, round_trip: true } : entry,
    ),
    editing: {
      url_template: actionUrls(urls, actionPaths.row, updateCellsKey, '{id}'),
      bulk_url: actionUrls(urls, actionPaths.rowBulk, updateCellsKey),
    },
  }
}
