import type { Structure } from '../service/wire.ts'
import { pageSizes, readView, type View } from '../state/view.ts'
import type { ListedView } from './use-saved-views.ts'
import { readQuery } from './view-query.ts'

/** Returns the state of the page after a saved view is opened, with what a user has `chosen` before it was there. */
export function openView({ id, revision, query = {} }: ListedView, structure: Structure, chosen?: View): Partial<View> {
  const { filters, ...others } = readQuery(query, structure)
  const own = chosen?.filters ?? []
  return {
    ...others,
    ...pickChosen(chosen),
    filters: [...filters.filter(({ field }) => !own.some((one) => one.field === field)), ...own],
    saved: { id, revision },
    group: undefined,
    page: 1,
  }
}

/** The columns are not among them: the browser keeps those that the view had before. */
const pickChosen = ({ search, sorts, groups, perPage, totals, groupBy }: Partial<View> = {}): Partial<View> => ({
  ...(search && { search }),
  ...(groups && { groups }),
  ...(sorts?.length && { sorts }),
  ...(totals?.length && { totals }),
  ...(groupBy?.length && { groupBy }),
  ...(perPage !== undefined && perPage !== pageSizes[0] && { perPage }),
})

/** Whether the page still shows this view: the service may answer when the user has gone on. */
export function isOnScreen({ table, saved }: View): boolean {
  const now = readView(location.hash)
  return now.table === table && now.saved?.id === saved?.id
}
