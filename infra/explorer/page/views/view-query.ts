import type { AnyTables, SavedView } from '../../../../lib/client/index.ts'
import { filterFields, spellChoice } from '../filters/filter-field.ts'
import { writeGroupBy } from '../grouping/group-columns.ts'
import type { Structure } from '../service/wire.ts'
import { selectRows } from '../state/asked-rows.ts'
import { type Applied, pageSizes, type Sort, type View } from '../state/view.ts'
import { isShown, valueColumns } from '../table/use-grid.ts'

type SavedQuery = NonNullable<SavedView<AnyTables[string]>['query']>

/** Returns the query of a view as the service saves it. */
export function writeQuery(view: View, structure: Structure): SavedQuery {
  const { filters, filter_groups, search } = selectRows(view)
  const { sorts, columns, perPage, totals, groupBy } = view
  const shown = valueColumns(structure.columns).filter((column) => isShown(column, columns))
  return {
    ...(filters.length > 0 && { filters }),
    ...(filter_groups !== undefined && { filter_groups }),
    ...(search !== undefined && { search }),
    ...(sorts.length > 0 && { sorts }),
    ...(columns.length > 0 && { columns: shown.map(({ data_src: name }) => name) }),
    ...(perPage !== pageSizes[0] && { per_page: perPage }),
    ...(totals.length > 0 && { aggregates: totals }),
    ...(groupBy.length > 0 && { group_by: writeGroupBy(groupBy) }),
  } as object as SavedQuery
}

/** The parts of the page's view that a saved view decides. */
export type SavedPart = Pick<
  View,
  'filters' | 'groups' | 'search' | 'sorts' | 'columns' | 'perPage' | 'totals' | 'groupBy'
>

/** Reads the query of a saved view, which another client may have written in another of the service's forms. */
export function readQuery(query: object, structure: Structure): SavedPart {
  const { filters, filter_groups, search, sorts, columns, per_page, aggregates, group_by } = query as Readonly<
    Record<string, unknown>
  >
  const shown = Array.isArray(columns) ? columns : undefined
  const differs = (name: string, showable: boolean) => shown !== undefined && shown.includes(name) !== showable
  return {
    filters: listEntries(filters).flatMap((one) => readFilter(one, structure)),
    groups: isObject(filter_groups) ? filter_groups : undefined,
    search: String((isObject(search) ? search['q'] : search) ?? ''),
    sorts: listEntries(sorts).map(readSort),
    columns: valueColumns(structure.columns).flatMap(({ data_src: name, showable }) =>
      differs(name, showable) ? [showable ? `-${name}` : name] : [],
    ),
    perPage: pageSizes.find((size) => size === per_page) ?? pageSizes[0],
    totals: listEntries(aggregates).map(({ field, fn }) => ({ field, fn: String(fn) })),
    groupBy: listEntries(group_by).map(({ field, bucket = '' }) => ({
      field,
      bucket: String(isObject(bucket) ? bucket['width'] : bucket),
    })),
  }
}

/** Returns the parts of a view that a saved view decides, written so that equal ones have equal JSON. */
export const pickSaved = ({ filters, groups, search, sorts, columns, perPage, totals, groupBy }: View): SavedPart => ({
  filters: filters.map(({ field, operator, value }) => ({ field, operator, value })),
  groups,
  search,
  sorts: sorts.map(({ field, direction, nulls }) => ({ field, direction, ...(nulls && { nulls }) })),
  columns: [...columns].sort(),
  perPage,
  totals: totals.map(({ field, fn }) => ({ field, fn })),
  groupBy: groupBy.map(({ field, bucket }) => ({ field, bucket })),
})

type Entry = Readonly<Record<string, unknown>> & { readonly field: string }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads a list of entries, or an object of them by field. */
function listEntries(given: unknown): readonly Entry[] {
  if (Array.isArray(given)) return given.filter(isObject).map((one) => ({ ...one, field: String(one['field']) }))
  if (!isObject(given)) return []
  return Object.entries(given).map(([field, one]) => ({
    ...(isObject(one) && !('from' in one || 'to' in one) ? one : { value: one }),
    field,
  }))
}

const readSort = ({ field, direction, value, nulls }: Entry): Sort => ({
  field,
  direction: (direction ?? value) === 'desc' ? 'desc' : 'asc',
  ...(nulls === 'first' && { nulls }),
})

/** Reads a filter; one whose value has a `from` and a `to` is two. */
export function readFilter({ field: name, operator, value }: Entry, structure: Structure): readonly Applied[] {
  const field = filterFields(structure).find(({ filter, until }) =>
    [filter.filter_name, until?.filter_name].includes(name),
  )
  if (isObject(value)) {
    return [
      { field: name, operator: '>=', value: String(value['from'] ?? '') },
      { field: field?.until?.filter_name ?? name, operator: '<=', value: String(value['to'] ?? '') },
    ].filter((end) => end.value !== '')
  }
  const isEnd = field?.until?.filter_name === name
  const known = String(operator ?? (isEnd ? '<=' : (field?.filter.props.operators[0] ?? '=')))
  const spell = (one: unknown) => (field ? spellChoice(field.filter, String(one)) : String(one))
  return [{ field: name, operator: known, value: Array.isArray(value) ? value.map(spell) : spell(value ?? '') }]
}
