import { clientIn } from '../service/client.ts'
import { takeParams } from '../state/asked-rows.ts'
import { session } from '../state/session.ts'
import { useStore } from '../state/store.ts'
import { useLoaded } from '../state/use-loaded.ts'
import type { View } from '../state/view.ts'

/** The saved views of the table, loaded while they are wanted. */
export function useSavedViews(view: View, isWanted: boolean) {
  const { token } = useStore(session)
  const { table = '', language } = view
  const key = JSON.stringify([token, table, language, view.params])
  const loaded = useLoaded(token && isWanted ? key : undefined, async (signal) => {
    const list = await clientIn(language).savedViews(table, { ...takeParams(view), signal })
    return { ...list, key }
  })
  return { ...loaded, list: loaded.response?.key === key ? loaded.response : undefined }
}

export type ListedView = NonNullable<ReturnType<typeof useSavedViews>['list']>['items'][number]
