import type { TableError } from '../../../../lib/client/index.ts'
import { clientIn } from '../service/client.ts'
import type { Rows } from '../service/wire.ts'
import { queryRows } from '../state/asked-rows.ts'
import { session } from '../state/session.ts'
import { useStore } from '../state/store.ts'
import { useLoaded } from '../state/use-loaded.ts'
import type { View } from '../state/view.ts'
import { type FilterField, fieldNames } from './filter-field.ts'

type Facet = NonNullable<Rows['facets']>[string]

interface LoadedFacet {
  /** `undefined` until it is there; `null` where the service could not count in time. */
  readonly facet: Facet | null | undefined
  readonly failure: TableError | undefined
}

/** Counts the rows of each value of a filter, beside the other filters of the view. Not every filter can be counted. */
export function useFacet(view: View, field: FilterField, isWanted: boolean): LoadedFacet {
  const { token } = useStore(session)
  const { table = '', language } = view
  // A facet leaves out its own filter: a choice does not count again.
  const others = { ...view, filters: view.filters.filter((one) => !fieldNames(field).includes(one.field)) }
  const name = field.filter.filter_name
  const asked = { ...queryRows(others), facets: [name], perPage: 1, count: 'none' }
  const key = JSON.stringify([token, table, language, asked])
  const { response, failure } = useLoaded(token && isWanted ? key : undefined, async (signal) => {
    const { facets } = await clientIn(language).queryTable(table, asked as object, { signal })
    return { key, facet: facets?.[name] ?? null }
  })
  return { facet: response?.key === key ? response.facet : undefined, failure }
}
