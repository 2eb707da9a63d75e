import { type Language, translate } from '../i18n/language.ts'
import { actionPaths } from '../routes.ts'
import { type ActionContext, actionContext, actionUrls, bulkActionEntry, rowActionEntry } from './action-entry.ts'
import { labelFromKey } from './action-key.ts'
import { columnEntry } from './column-entry.ts'
import type { BulkAction, RowAction } from './compiled-table.ts'
import type { Option, ResponseContext } from './context.ts'
import { filterEntry } from './filter-entry.ts'
import { offeredBulkActions, type TableView } from './view.ts'

/** Adds the form to an entry as JSON Schema. Only the structure carries it, since each row would repeat it. */
async function withForm({ definition }: RowAction | BulkAction, entry: object, language: Language): Promise<object> {
  if (definition.form === undefined) return entry
  // 20 KB that a cold start would otherwise read for tables without a form as well.
  const { formSchema } = await import('./form-schema.ts')
  return { ...entry, form: formSchema(definition, language) }
}

/** `url_template` is the URL of any row: `path_id` of an item takes the place of `{id}`. */
const structureEntry = (action: RowAction, context: ActionContext) => ({
  ...rowActionEntry(action, context),
  url_template: actionUrls(context, actionPaths.row, action.key, '{id}'),
})

/** A longer list is no choice; the page's own `bindings` are sent whole. */
const maxBoundOptions = 1_000

type FilterEntry = ReturnType<typeof filterEntry>

/** Describes a table as this caller may know it. `bindings` fill selects that draw on them. */
export async function describeStructure(
  view: TableView,
  context: ResponseContext,
  bindings: Readonly<Record<string, readonly Option[]>>,
) {
  const { table } = view
  const { language } = context
  const ofActions = actionContext(view, context)
  // A filter may be named like a member of every object, such as `constructor`.
  const bound = new Map(Object.entries(bindings))
  const entries = [...view.filters.values()].map((filter) => ({
    isAdvanced: filter.advanced,
    entry: filterEntry(filter, bound.get(filter.name)?.slice(0, maxBoundOptions), context),
  }))
  const [plain, advanced] = [false, true].map((wanted) =>
    entries.flatMap(({ isAdvanced, entry }) => (isAdvanced === wanted ? [entry] : [])),
  ) as [FilterEntry[], FilterEntry[]]
  const repeated = context.advancedFilters === 'repeated' ? advanced.map((entry) => ({ ...entry, advanced: true })) : []
  return {
    tableName: table.name,
    label: translate(table.definition.label ?? labelFromKey(table.name), language),
    columns: view.columns.map((column) => columnEntry(column, view.sortables.has(column.key), language)),
    // Some clients read this list alone.
    filters: [...plain, ...repeated],
    advancedFilters: advanced,
    rowActions: Object.fromEntries(
      await Promise.all(
        view.rowActions.map(
          async (action) => [action.key, await withForm(action, structureEntry(action, ofActions), language)] as const,
        ),
      ),
    ),
    bulkActions: await Promise.all(
      offeredBulkActions(view, context.hasMail).map((action) =>
        withForm(action, bulkActionEntry(action, ofActions), language),
      ),
    ),
    sortables: [...view.sortables],
    defSortCol: view.defaultSort.source.key,
    defSortDir: view.defaultSort.direction,
  }
}
