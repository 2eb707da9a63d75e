import type { useGridApiRef } from '@mui/x-data-grid'
import type { AnyClient } from './grid-client.ts'
import { type AnyLive, type WatchedPages, watchPages } from './watch-pages.ts'

type GridApi = NonNullable<ReturnType<typeof useGridApiRef>['current']>

/**
 * Keeps the page of MUI X's data grid as the service has it. Changed rows are updated where they stand; after rows have entered, left or
 * moved, the grid loads its page again.
 *
 * @example
 * const watched = muiLive(client, live, () => apiRef.current)
 * <DataGrid apiRef={apiRef} dataSource={muiDataSource(watched.client, 'flights')} pagination />
 */
export const muiLive = <Client extends AnyClient>(
  client: Client,
  live: AnyLive,
  getGrid: () => Pick<GridApi, 'updateRows' | 'dataSource'> | null,
): WatchedPages<Client> =>
  watchPages(
    client,
    live,
    ({ changed, isMoved }) => {
      const grid = getGrid()
      // The grid keeps the pages that it has loaded.
      grid?.dataSource.cache.clear()
      if (isMoved) void grid?.dataSource.fetchRows()
      else grid?.updateRows([...changed])
    },
    1,
  )
