import type { Column } from '../service/wire.ts'
import { isShown } from '../table/use-grid.ts'
import { takesNothing, type View } from './view.ts'

/**
 * Returns the keys of a request that select the view's rows: those of a page, of totals, and of an action on all of
 * them.
 */
export const selectRows = ({ filters, groups, search, group }: View) => ({
  filters: filters.map(({ value, ...filter }) => (takesNothing(filter.operator) ? filter : { ...filter, value })),
  ...(groups !== undefined && { filter_groups: groups }),
  ...(search !== '' && { search }),
  ...(group !== undefined && { group: group.token }),
})

/** Names the view's rows: two views of the same rows have the same name. */
export const nameRows = (view: View): string => JSON.stringify([view.table, selectRows(view), view.params])

/** Returns the params of a request, if there are some: a table may take none, not even an empty object of them. */
export const takeParams = ({ params }: Pick<View, 'params'>) => (Object.keys(params).length > 0 ? { params } : {})

/** Returns the keys of a query for the view's rows. */
export const queryRows = (view: View) => ({ ...selectRows(view), ...takeParams(view) })

/**
 * Returns the keys of a query that shape items: they have the columns on the screen, where the view has chosen them.
 */
export const shapeItems = ({ columns: chosen }: View, columns: readonly Column[] = []) => ({
  ...(chosen.length > 0 && {
    columns: columns.filter((one) => one.type === 'actions' || isShown(one, chosen)).map(({ data_src: name }) => name),
  }),
  row_actions: 'keys' as const,
})

/** Whether groups are on the screen in place of rows. */
export const isGrouped = ({ groupBy, group }: View): boolean => groupBy.length > 0 && group === undefined

/** The values of a view that restrict no rows, and its first page. */
export const unrestricted = { filters: [], groups: undefined, search: '', page: 1 } as const satisfies Partial<View>

/** Whether the view shows fewer rows than the table has. */
export const isRestricted = ({ filters, groups, search }: View): boolean =>
  filters.length > 0 || groups !== undefined || search !== ''
