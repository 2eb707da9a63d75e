import type { Structure } from '../service/wire.ts'
import { readView, type View } from '../state/view.ts'
import type { ListedView } from './use-saved-views.ts'
import { readQuery } from './view-query.ts'

/** Returns the state of the page after a saved view is opened. */
export const openView = ({ id, revision, query = {} }: ListedView, structure: Structure): Partial<View> => ({
  ...readQuery(query, structure),
  saved: { id, revision },
  group: undefined,
  page: 1,
})

/** Whether the page still shows this view: the service may answer when the user has gone on. */
export function isOnScreen({ table, saved }: View): boolean {
  const now = readView(location.hash)
  return now.table === table && now.saved?.id === saved?.id
}
