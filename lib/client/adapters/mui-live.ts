import type { useGridApiRef } from '@mui/x-data-grid'
import type { AnyClient } from './grid-client.ts'
import { type AnyLive, type PageChange, type WatchedPages, watchPages } from './watch-pages.ts'

type GridApi = NonNullable<ReturnType<typeof useGridApiRef>['current']>
type LiveGrid = Pick<GridApi, 'updateRows' | 'dataSource' | 'state' | 'subscribeEvent'>

/** The events after which an edit may have ended. */
const editEvents = ['cellModesModelChange', 'rowModesModelChange'] as const

/**
 * Keeps the page of MUI X's data grid as the service has it. Changed rows are updated where they stand; after rows have entered, left or
 * moved, the grid loads its page again. A row that is edited keeps its version until the edit has ended.
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
  let waiting: LiveGrid | undefined
  const load = (grid: LiveGrid) => {
    if (waiting === grid) return
    if (Object.keys(grid.state.editRows).length === 0) {
      grid.dataSource.cache.clear()
      void grid.dataSource.fetchRows()
      return
    }
    waiting = grid
    const stops = editEvents.map((event) =>
      grid.subscribeEvent(event, () => {
        for (const stop of stops) stop()
        waiting = undefined
        load(grid)
      }),
    )
  }
  const show = ({ changed, isMoved }: PageChange) => {
    const grid = getGrid()
    if (grid === null) return
    // The grid keeps the pages that it has loaded.
    grid.dataSource.cache.clear()
    const shown = changed.filter(({ id }) => !(id in grid.state.editRows))
    if (isMoved || shown.length < changed.length) load(grid)
    if (!isMoved) grid.updateRows(shown)
  }
  return watchPages(client, live, show, 1)
}
