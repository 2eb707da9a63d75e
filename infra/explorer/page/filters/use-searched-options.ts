import { useEffect, useState } from 'react'
import type { TableError } from '../../../../lib/client/index.ts'
import { clientIn } from '../service/client.ts'
import type { Option } from '../service/wire.ts'
import { queryRows } from '../state/asked-rows.ts'
import { session } from '../state/session.ts'
import { useStore } from '../state/store.ts'
import { useLoaded } from '../state/use-loaded.ts'
import type { View } from '../state/view.ts'
import type { FilterField } from './filter-field.ts'

/** Typing this long without a pause asks once. */
const pauseMs = 250

interface SearchedOptions {
  /** `undefined` until they are there, and after a failure. */
  readonly options: readonly Option[] | undefined
  /** Whether they are those of `searchText`, and not of the text before. */
  readonly areOfText: boolean
  readonly failure: TableError | undefined
}

/** Loads the options of a filter that contain `searchText`. Those of the text before stay until then. */
export function useSearchedOptions(
  view: View,
  { filter }: FilterField,
  searchText: string,
  isWanted: boolean,
): SearchedOptions {
  const { token } = useStore(session)
  const [search, setSearch] = useState(searchText)
  useEffect(() => {
    const timer = setTimeout(() => setSearch(searchText.trim()), pauseMs)
    return () => clearTimeout(timer)
  }, [searchText])
  const { table = '', language } = view
  const name = filter.filter_name
  const asked = { ...queryRows(view), options: { field: name, search } }
  const key = JSON.stringify([token, table, language, asked])
  const { response, failure } = useLoaded(token && isWanted ? key : undefined, async (signal) => {
    const { bindings } = await clientIn(language).queryTable(table, asked as object, { signal })
    return { search, options: bindings[name] ?? [] }
  })
  const found = failure === undefined ? response : undefined
  return { options: found?.options, areOfText: found?.search === searchText.trim(), failure }
}
