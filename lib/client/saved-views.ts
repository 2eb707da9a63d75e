import type { FilterGroup, Query, Search } from './queries.ts'
import type { LoadOptions } from './read-tables.ts'
import type { KeyOf, TableTypes } from './table-types.ts'
import { type Send, toSearch } from './transport.ts'

/** The query of a view: the keys of `queryTable` that a view can hold. */
export interface ViewQuery<T extends TableTypes>
  extends Pick<Query<T>, 'filters' | 'time_zone' | 'sorts' | 'aggregates' | 'group_by'> {
  readonly filter_groups?: FilterGroup<T>
  readonly search?: Search<T>
  /** The `data_src` of each column, in the order of the page. */
  readonly columns?: readonly KeyOf<T['item']>[]
  readonly per_page?: number
}

/** The settings of a view that its owner chooses. */
export interface ViewSettings<T extends TableTypes> {
  readonly name: string
  /** Default `private`. */
  readonly visibility?: 'private' | 'shared'
  /** A new default replaces the one before. */
  readonly is_default?: boolean
  readonly query: ViewQuery<T>
}

/** A saved view as its reader sees it. */
export interface SavedView<T extends TableTypes> {
  /** The `view` of a query, an action or an export. */
  readonly id: string
  readonly name: string
  readonly visibility: 'private' | 'shared'
  readonly is_default: boolean
  /** Whether the caller may change and remove it. */
  readonly own: boolean
  /** Counts the changes of `query`. */
  readonly revision: number
  readonly created_at: string
  readonly updated_at: string
  /** Absent, with `usable: false`, for an own view that uses what the caller may no longer use. */
  readonly query?: ViewQuery<T>
  readonly usable?: false
}

export interface SavedViews<T extends TableTypes> {
  readonly items: readonly SavedView<T>[]
  /** Whether the caller may share views of this table. */
  readonly can_share: boolean
  /** True if others share views that are not listed. */
  readonly more?: true
}

/** Creates the calls for saved views. */
export function createSavedViewCalls<Tables extends Readonly<Record<string, TableTypes>>>(send: Send) {
  type Name = KeyOf<Tables>
  const call = <A extends object>(
    path: readonly string[],
    { params, signal }: LoadOptions<TableTypes>,
    request: Parameters<Send>[1] = {},
  ): Promise<A> => {
    const query = toSearch({ params: JSON.stringify(params) })
    return send(`./views/${path.map(encodeURIComponent).join('/')}?${query}`, { ...request, signal })
  }
  return {
    savedViews: <N extends Name>(table: N, options: LoadOptions<Tables[N]> = {}) =>
      call<SavedViews<Tables[N]>>([table], options),
    saveView: async <N extends Name>(table: N, body: ViewSettings<Tables[N]>, options: LoadOptions<Tables[N]> = {}) =>
      (await call<ViewResponse<Tables[N]>>([table], options, { body })).view,
    /** Changes an own view. With `revision`, rejects with `view_changed` if the view has another. */
    changeView: async <N extends Name>(
      table: N,
      id: string,
      body: Partial<ViewSettings<Tables[N]>> & { readonly revision?: number },
      options: LoadOptions<Tables[N]> = {},
    ) => (await call<ViewResponse<Tables[N]>>([table, id], options, { method: 'PATCH', body })).view,
    removeView: async <N extends Name>(table: N, id: string, options: LoadOptions<Tables[N]> = {}): Promise<void> => {
      await call([table, id], options, { method: 'DELETE' })
    },
  }
}

interface ViewResponse<T extends TableTypes> {
  readonly view: SavedView<T>
}
