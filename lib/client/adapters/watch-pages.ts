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

interface WatchedPage {
  readonly table: string
  readonly stop: () => void
}

/** Parts of a query that say nothing of the rows of a page. */
const besideRows: ReadonlySet<string> = new Set(['count', 'aggregates', 'facets', 'request_seq'])
/** Parts of a query whose response has no page that can be watched. */
const unwatched: ReadonlySet<string> = new Set(['cursor', 'group_by', 'groups_page', 'options', 'explain'])
const maxRows = 100

/** Watches the pages that a grid loads by a client, the latest ones if there are more than `maxPages`. */
export function watchPages<Client extends AnyClient>(
  client: Client,
  live: AnyLive,
  onChange: (change: PageChange) => void,
  maxPages = 10,
): WatchedPages<Client> {
  const pages = new Map<string, WatchedPage>()
  const { watch } = live as unknown as GridLive
  const stop = (table?: string) => {
    for (const [key, page] of pages) {
      if (table !== undefined && page.table !== table) continue
      page.stop()
      pages.delete(key)
    }
  }
  const follow = (table: string, query: GridQuery, loaded: readonly GridItem[]) => {
    const asked = Object.fromEntries(Object.entries(query).filter(([name]) => !besideRows.has(name)))
    const key = JSON.stringify([table, asked])
    const known = pages.get(key)
    // The latest page is the last one. A page that is loaded again is watched already.
    pages.delete(key)
    let shown: readonly GridItem[] | undefined = loaded
    const onRows: OnRows = (items, sentChange) => {
      // The first rows are compared with those that the grid has loaded a moment before.
      const change = shown === undefined ? sentChange : compareItems(shown.map(toCells), items.map(toCells)).change
      shown = undefined
      if (change === undefined) return
      const changed = items.filter(({ id }) => change.changed.includes(id))
      const ids = [...change.changed, ...change.entered, ...change.left]
      onChange({ table, changed, isMoved: change.isMoved, ids })
    }
    // A page that the service has ended is watched again when it is loaded again.
    const onState = (state: WatchState) => {
      if (state === 'ended') pages.delete(key)
    }
    pages.set(key, known ?? { table, stop: watch(table, asked, { onRows, onState }).stop })
    for (const [oldest, page] of pages) {
      if (pages.size <= maxPages) break
      page.stop()
      pages.delete(oldest)
    }
  }
  const queryTable = async (table: string, query: GridQuery, options: CallOptions): Promise<GridPage> => {
    const page = await gridClient(client).queryTable(table, query, options)
    const isWatchable = Object.keys(query).every((name) => !unwatched.has(name)) && (query.perPage ?? 0) <= maxRows
    if (isWatchable) follow(table, query, page.items)
    return page
  }
  return { client: { ...client, queryTable }, stop }
}

/** An item without its actions, which the client completes from the structure and the live client does not. */
const toCells = ({ row: _, actions: __, ...cells }: GridItem) => cells as GridItem
