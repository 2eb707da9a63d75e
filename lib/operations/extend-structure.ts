import { actionPaths } from '../routes.ts'
import { actionContext, actionUrls } from '../table/action-entry.ts'
import type { ResponseContext } from '../table/context.ts'
import { listEditableColumns } from '../table/editable-columns.ts'
import { formSchema } from '../table/form-schema.ts'
import { listRenamed, type Renamable } from '../table/former-names.ts'
import type { Formerly } from '../table/formerly.ts'
import { hasEditing, updateCellsKey } from '../table/has-editing.ts'
import { listSearchedFilters } from '../table/searched-filters.ts'
import type { describeStructure } from '../table/structure.ts'
import type { TableView } from '../table/view.ts'

type Structure = Awaited<ReturnType<typeof describeStructure>>

/** Adds to a structure what few tables have: cells that are edited, options that are searched, and former names. */
export const extendStructure = (structure: Structure, view: TableView, context: ResponseContext) =>
  addFormerNames(addSearching(addEditing(structure, view, context), view), view)

/**
 * Adds to a structure the values that editable columns take, as JSON Schema, the URLs that write them, and which
 * exports can be sent back.
 */
function addEditing(structure: Structure, view: TableView, context: ResponseContext) {
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

/** Adds to the filters of a structure whether clients may search their options. */
function addSearching<Extended extends Structure>(structure: Extended, view: TableView): Extended {
  const addTo = <Entry extends Structure['filters'][number]>(entry: Entry): Entry =>
    listSearchedFilters(view).has(entry.filter_name) ? { ...entry, props: { ...entry.props, searchable: true } } : entry
  return {
    ...structure,
    filters: structure.filters.map(addTo),
    advancedFilters: structure.advancedFilters.map(addTo),
  }
}

/** Adds to the entries of a structure what their parts were called, and until when. */
function addFormerNames<Extended extends Structure>(structure: Extended, view: TableView) {
  if (view.table.formerNames.length === 0) return structure
  const columns = listFormer(view.columns)
  const filters = listFormer([...view.filters.values()])
  const rowActions = listFormer(view.rowActions)
  const bulkActions = listFormer(view.bulkActions)
  const addTo = <Entry extends object>(formerly: Formerly | undefined, entry: Entry) =>
    formerly === undefined ? entry : { ...entry, formerly }
  return {
    ...structure,
    columns: structure.columns.map((entry) => addTo(columns.get(entry.data_src), entry)),
    filters: structure.filters.map((entry) => addTo(filters.get(entry.filter_name), entry)),
    advancedFilters: structure.advancedFilters.map((entry) => addTo(filters.get(entry.filter_name), entry)),
    rowActions: Object.fromEntries(
      Object.entries(structure.rowActions).map(([key, entry]) => [key, addTo(rowActions.get(key), entry)] as const),
    ),
    bulkActions: structure.bulkActions.map((entry) =>
      addTo(bulkActions.get(String(Reflect.get(entry, 'action_key'))), entry),
    ),
  }
}

/** Returns what was declared of each renamed part by its present name, with the former name as requests have it. */
const listFormer = (parts: readonly Renamable[]): ReadonlyMap<string, Formerly> =>
  new Map(listRenamed(parts).map(({ former, name, formerly }) => [name, { ...formerly, name: former }]))
