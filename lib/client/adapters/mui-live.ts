import type { useGridApiRef } from '@mui/x-data-grid'
import type { CallOptions } from '../transport.ts'
import { type AnyClient, type GridItem, type GridPage, type GridQuery, gridClient } from './grid-client.ts'
import { type AnyLive, type PageChange, type WatchedPages, watchPages } from './watch-pages.ts'

type GridApi = NonNullable<ReturnType<typeof useGridApiRef>['current']>
type LiveGrid = Pick<GridApi, 'updateRows' | 'dataSource' | 'state' | 'subscribeEvent' | 'getRow'>

/** The events after which an edit may have ended. */
const editEvents = ['cellModesModelChange', 'rowModesModelChange'] as const

/**
 * Keeps the page of MUI X's data grid as the service has it. Changed rows are updated where they stand; after rows have
 * entered, left or moved, the grid loads its page again. A row that is edited keeps its version until the edit has
 * ended.
 *
 * @example
 * const watched = muiLive(client, live, () => apiRef.current)
 * <DataGrid apiRef={apiRef} dataSource={muiDataSource(watched.client, 'flights')} pagination />
 */
export function muiLive<Client extends AnyClient>(
  client: Client,
  live: AnyLive,
  getGrid: () => LiveGrid | null,
): WatchedPages<Client> {
  let stops: readonly (() => void)[] = []
  /** The latest request of the grid, while it is under way. */
  let latest: object | undefined
  const stopWaiting = () => {
    for (const stop of stops) stop()
    stops = []
  }
  const load = (grid: LiveGrid) => {
    stopWaiting()
    if (listEdited(grid).size > 0) {
      stops = editEvents.map((event) => grid.subscribeEvent(event, () => load(grid)))
      return
    }
    grid.dataSource.cache.clear()
    void grid.dataSource.fetchRows()
  }
  const show = ({ changed, isMoved }: PageChange) => {
    const grid = getGrid()
    if (grid === null) return
    const edited = listEdited(grid)
    const shown = changed.filter(({ id }) => grid.getRow(id) !== null && !edited.has(String(id)))
    // Another request would end the one under way, whose rows are as new: a busy page would never be shown.
    if (latest === undefined && (isMoved || changed.some(({ id }) => edited.has(String(id))))) load(grid)
    // The grid would add the rows of a page that it has left.
    if (!isMoved) grid.updateRows(shown)
  }
  const watched = watchPages(client, live, show, 1)
  const queryTable = async (table: string, query: GridQuery, options: CallOptions): Promise<GridPage> => {
    const own = {}
    latest = own
    const page = await gridClient(watched.client)
      .queryTable(table, query, options)
      .finally(() => {
        if (latest === own) latest = undefined
      })
    const grid = getGrid()
    // The grid is about to keep the page, and would show it again although it is not watched any more.
    setTimeout(() => getGrid()?.dataSource.cache.clear())
    const edited = grid === null ? new Map<string, GridItem>() : listEdited(grid)
    if (grid === null || !page.items.some(({ id }) => edited.has(String(id)))) return page
    load(grid)
    return { ...page, items: page.items.map((item) => edited.get(String(item.id)) ?? item) }
  }
  return {
    client: { ...watched.client, queryTable },
    stop: (table) => {
      stopWaiting()
      watched.stop(table)
    },
  }
}

/** Returns the rows that are edited, by their ids. The grid keeps the edits of rows that are on another page. */
function listEdited(grid: LiveGrid): ReadonlyMap<string, GridItem> {
  const ids = Object.keys(grid.state.editRows)
  return new Map(
    ids.flatMap((id) => {
      const row = grid.getRow(id)
      return row === null ? [] : [[id, row as GridItem]]
    }),
  )
}
