import { takesNothing, type View } from './view.ts'

/** Returns the keys of a request that select the view's rows: those of a page, of totals, and of an action on all of them. */
export const selectRows = ({ filters }: Pick<View, 'filters'>) => ({
  filters: filters.map(({ value, ...filter }) => (takesNothing(filter.operator) ? filter : { ...filter, value })),
})

/** Names the view's rows: two views of the same rows have the same name. */
export const nameRows = (view: View): string => JSON.stringify([view.table, selectRows(view), view.params])

/** Whether the view shows fewer rows than the table has. */
export const isRestricted = ({ filters }: View): boolean => filters.length > 0
