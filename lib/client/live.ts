import { createItemActions } from './item-actions.ts'
import { createLiveSocket } from './live-socket.ts'
import { startWatch, type WatchHandlers } from './live-watch.ts'
import type { Item, Page, Query, Structure } from './queries.ts'
import type { AnyTables, KeyOf, TablesOf, TableTypes } from './table-types.ts'
import { type CallOptions, type ClientOptions, createTransport, readToken } from './transport.ts'

export type { LivePage, RowMessage, RowsChange } from './live-rows.ts'
export { applyRowMessage, compareItems } from './live-rows.ts'
export type { WatchHandlers, WatchState } from './live-watch.ts'
export type { KeyOf } from './table-types.ts'

/** The query of a page that can be watched: of at most 100 rows, found by its number. */
export type LiveQuery<T extends TableTypes> = Pick<
  Query<T>,
  | 'filters'
  | 'filter_groups'
  | 'search'
  | 'group'
  | 'time_zone'
  | 'sorts'
  | 'params'
  | 'columns'
  | 'include'
  | 'page'
  | 'perPage'
  | 'view'
  | 'view_revision'
>

export interface WatchOptions<T extends TableTypes> extends WatchHandlers<Item<T>>, CallOptions {
  /** The structure of the table: rows then travel without what it says of their actions. */
  readonly structure?: Pick<Structure<T>, 'rowActions'> | undefined
}

/** A page that is watched. */
export interface Watching {
  /** Ends the subscription. Nothing is called afterwards but `onState('ended')`. */
  readonly stop: () => void
}

/**
 * Creates a client that keeps pages as the service has them. A file of its own: few pages watch their rows. All pages
 * share a socket, which opens with the first one.
 */
export function createLiveClient<Source = AnyTables>(options: ClientOptions) {
  type Tables = TablesOf<Source>
  const { token, guard, language } = options
  const send = createTransport(options)
  const socket = createLiveSocket(send, options)
  const { completeBy } = createItemActions()
  return {
    /** Shows a page and what changes on it, also after the connection was lost. */
    watch: <N extends KeyOf<Tables>>(
      table: N,
      query: LiveQuery<Tables[N]>,
      { structure, signal, ...handlers }: WatchOptions<Tables[N]>,
    ): Watching => {
      type Row = Item<Tables[N]> & { readonly id: string | number }
      const complete = (items: readonly Row[]) => (structure === undefined ? items : completeBy(structure, items))
      const asked = structure === undefined ? query : { ...query, row_actions: 'keys' }
      const stop = startWatch<Row>(
        {
          socket,
          createQuestion: async (id) => {
            const own = await readToken(token)
            return { event: 'subscribe', id, table, token: own, guard, ln: language, query: asked }
          },
          readPage: async () => {
            const path = `./query-table/${encodeURIComponent(table)}`
            const call = { body: { ...asked, count: 'none' }, signal, isRepeatable: true }
            const { items } = await send<Page<Tables[N]>>(path, call)
            return complete(items as readonly Row[])
          },
          complete,
        },
        handlers as WatchHandlers<Row>,
      )
      signal?.addEventListener('abort', stop, { once: true })
      if (signal?.aborted === true) stop()
      return {
        stop: () => {
          signal?.removeEventListener('abort', stop)
          stop()
        },
      }
    },
    /** Ends all pages and the socket. A later page opens another. */
    close: socket.close,
  }
}
