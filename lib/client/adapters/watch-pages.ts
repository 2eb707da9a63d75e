import { compareItems, type RowsChange } from '../live-rows.ts'
import type { WatchState } from '../live-watch.ts'
import type { CallOptions } from '../transport.ts'
import type { RowId } from '../wire.ts'
import { type AnyClient, type GridItem, type GridPage, type GridQuery, gridClient } from './grid-client.ts'

/** The calls of a live client that adapters use, for tables whose types are unknown. */
interface GridLive {
  watch(table: string, query: object, handlers: GridHandlers): { readonly stop: () => void }
}

interface GridHandlers {
  readonly onRows: OnRows
  readonly onState: (state: WatchState) => void
}

type OnRows = (items: readonly GridItem[], change: RowsChange) => void

/** A live client of any tables. */
export type AnyLive = { readonly [Call in keyof GridLive]: (...asked: never) => ReturnType<GridLive[Call]> }

/** A change of a page that a grid has loaded. */
export interface PageChange {
  readonly table: string
  /** The rows that stay where they are and look otherwise. */
  readonly changed: readonly GridItem[]
  /** Whether rows have entered, left or moved: the grid loads the page again. */
  readonly isMoved: boolean
  readonly ids: readonly RowId[]
}

export interface WatchedPages<Client> {
  /** The client whose pages are watched: for the adapter of the grid. */
  readonly client: Client
  /** Ends all subscriptions, or those of one table. */
  readonly stop: (table?: string) => void
}

interface WatchedPage extends Load {
  stop: () => void
  /** The rows that the grid has loaded. */
  loaded: readonly GridItem[]
  /** The rows as the live client has shown them last. */
  live?: readonly GridItem[]
  /** Whether the grid could not load the page: it must load it again before it can show a change. */
  isMissing?: boolean
}

/** A request of the grid for a page. */
interface Load {
  readonly table: string
  /** Counts the requests. A page has the number of the latest one whose response has come. */
  order: number
}

/** Parts of a query that say nothing of the rows of a page. */
const besideRows: ReadonlySet<string> = new Set(['count', 'aggregates', 'facets', 'explain', 'request_seq'])
/** Parts of a query whose response has no page that can be watched, or none that a grid could show changed. */
const unwatched: ReadonlySet<string> = new Set(['cursor', 'group', 'group_by', 'groups_page', 'options'])
const maxRows = 100

/** Watches the pages that a grid loads by a client, the latest ones if there are more than `maxPages`. */
export function watchPages<Client extends AnyClient>(
  client: Client,
  live: AnyLive,
  onChange: (change: PageChange) => void,
  maxPages = 10,
): WatchedPages<Client> {
  const pages = new Map<string, WatchedPage>()
  const loads = new Set<Load>()
  let count = 0
  const { watch } = live as unknown as GridLive
  const stop = (table?: string) => {
    const isStopped = (page: Load) => table === undefined || page.table === table
    for (const load of loads) if (isStopped(load)) loads.delete(load)
    for (const [key, page] of pages) {
      if (!isStopped(page)) continue
      page.stop()
      pages.delete(key)
    }
  }
  const listByOrder = () => [...pages].sort(([, one], [, other]) => other.order - one.order)
  const begin = (key: string, asked: object, { table, order }: Load, loaded: readonly GridItem[]) => {
    // The grid has gone on to other pages before this one came.
    if ((listByOrder()[maxPages - 1]?.[1].order ?? 0) > order) return
    const page: WatchedPage = { table, order, loaded, stop: () => {} }
    pages.set(key, page)
    const onRows: OnRows = (items, sentChange) => {
      // The first rows are compared with those that the grid has loaded a moment before.
      const isFirst = page.live === undefined
      page.live = items
      const change = isFirst ? compareItems(page.loaded.map(toCells), items.map(toCells)).change : sentChange
      if (change === undefined) return
      const { isMissing = false } = page
      page.isMissing = false
      const changed = items.filter(({ id }) => change.changed.includes(id))
      const ids = [...change.changed, ...change.entered, ...change.left]
      onChange({ table, changed, isMoved: change.isMoved || isMissing, ids })
    }
    const onState = (state: WatchState) => {
      // A page that the service has ended is watched again when it is loaded again.
      if (state === 'ended') pages.delete(key)
      if (state !== 'live' || page.isMissing !== true) return
      page.isMissing = false
      onChange({ table, changed: [], isMoved: true, ids: [] })
    }
    page.stop = watch(table, asked, { onRows, onState }).stop
    for (const [oldest, old] of listByOrder().slice(maxPages)) {
      old.stop()
      pages.delete(oldest)
    }
  }
  const queryTable = async (table: string, query: GridQuery, options: CallOptions): Promise<GridPage> => {
    const asked = toSubscription(query)
    const key = JSON.stringify([table, asked])
    count += 1
    const load = { table, order: count }
    const before = pages.get(key)?.live
    loads.add(load)
    const response = gridClient(client).queryTable(table, query, options)
    const page = await response.catch((error: unknown) => {
      loads.delete(load)
      const missed = pages.get(key)
      if (missed !== undefined && missed.order < load.order) missed.isMissing = true
      throw error
    })
    if (!loads.delete(load) || asked === undefined) return page
    const known = pages.get(key)
    if (known === undefined) {
      begin(key, asked, load, page.items)
      return page
    }
    if (known.order < load.order) Object.assign(known, { order: load.order, loaded: page.items, isMissing: false })
    return known.live === undefined || known.live === before ? page : replaceItems(page, known.live)
  }
  return { client: { ...client, queryTable }, stop }
}

/** Returns the query of a subscription to the page of a query; `undefined` if that page is not watched. */
function toSubscription(query: GridQuery): object | undefined {
  const parts = Object.entries(query).filter(
    ([name, part]) => !besideRows.has(name) && (part ?? undefined) !== undefined,
  )
  if (parts.some(([name]) => unwatched.has(name)) || (query.perPage ?? 0) > maxRows) return undefined
  const include = query.include?.filter((part) => part !== 'selection')
  return { ...Object.fromEntries(parts), ...(include && { include }) }
}

/** Replaces the rows of a page by those that have come while it was loaded, which are as new or newer. */
const replaceItems = ({ pagination, ...page }: GridPage, items: readonly GridItem[]): GridPage => ({
  ...page,
  items,
  pagination: { ...pagination, total: pagination.total + items.length - page.items.length },
})

/** An item without its actions, which the client completes from the structure and the live client does not. */
const toCells = ({ row: _, actions: __, ...cells }: GridItem) => cells as GridItem
