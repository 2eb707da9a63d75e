import { type Language, textOf } from '../i18n/language.ts'
import { actionContext, bulkActionEntry, rowActionEntry } from './action-entry.ts'
import { labelOfKey } from './action-key.ts'
import { columnEntry } from './column-entry.ts'
import type { BulkAction, RowAction } from './compiled-table.ts'
import type { Option } from './context.ts'
import { filterEntry } from './filter-entry.ts'
import { formSchema } from './form-schema.ts'
import type { RequestContext } from './request-context.ts'
import type { TableView } from './view.ts'

/** The entry with the form as JSON Schema, which only the structure carries: rows would repeat it. */
const withForm = ({ definition }: RowAction | BulkAction, entry: object, language: Language) =>
  definition.form === undefined ? entry : { ...entry, form: formSchema(definition, language) }

/** A longer list is no choice; the page's own `bindings` are sent whole. */
const maxBoundOptions = 1_000

type FilterEntry = ReturnType<typeof filterEntry>

/** The structure of a table as this caller may know it (specification 2.1). `bindings` fill selects that draw on them. */
export function structureOf(
  view: TableView,
  context: RequestContext,
  bindings: Readonly<Record<string, readonly Option[]>>,
) {
  const { table } = view
  const { language } = context
  const ofActions = actionContext(view, context)
  const entries = [...view.filters.values()].map((filter) => ({
    isAdvanced: filter.advanced,
    entry: filterEntry(filter, bindings[filter.name]?.slice(0, maxBoundOptions), context),
  }))
  const [plain, advanced] = [false, true].map((wanted) =>
    entries.flatMap(({ isAdvanced, entry }) => (isAdvanced === wanted ? [entry] : [])),
  ) as [FilterEntry[], FilterEntry[]]
  const repeated = context.advancedFilters === 'repeated' ? advanced.map((entry) => ({ ...entry, advanced: true })) : []
  return {
    tableName: table.name,
    label: textOf(table.definition.label ?? labelOfKey(table.name), language),
    columns: view.columns.map((column) => columnEntry(column, view.sortables.has(column.key), language)),
    // Some clients read this list alone.
    filters: [...plain, ...repeated],
    advancedFilters: advanced,
    rowActions: Object.fromEntries(
      view.rowActions.map((action) => [action.key, withForm(action, rowActionEntry(action, ofActions), language)]),
    ),
    bulkActions: view.bulkActions.map((action) => withForm(action, bulkActionEntry(action, ofActions), language)),
    sortables: [...view.sortables],
    defSortCol: view.defaultSort.source.key,
    defSortDir: view.defaultSort.direction,
  }
}
