import type { GridApi } from 'ag-grid-community'
import type { AnyClient, GridItem } from './grid-client.ts'
import { type AnyLive, type WatchedPages, watchPages } from './watch-pages.ts'

/**
 * Keeps the rows of AG Grid's server-side row model as the service has them. Changed rows are updated by a transaction;
 * after rows have entered, left or moved, the grid loads its rows again without removing those on the screen. Set
 * `cacheBlockSize` to 100 or less.
 *
 * @example
 * const watched = agGridLive(client, live, () => grid)
 * const grid = createGrid(element, { ...options, serverSideDatasource: agGridDatasource(watched.client, 'flights') })
 */
export const agGridLive = <Client extends AnyClient>(
  client: Client,
  live: AnyLive,
  getGrid: () => Pick<
    GridApi<GridItem>,
    'applyServerSideTransaction' | 'refreshServerSide' | 'retryServerSideLoads' | 'isDestroyed'
  >,
): WatchedPages<Client> =>
  watchPages(client, live, ({ changed, isMoved }) => {
    const grid = getGrid()
    if (grid.isDestroyed()) return
    if (isMoved) {
      // The grid does not load rows again that it could not load before.
      grid.retryServerSideLoads()
      grid.refreshServerSide({ purge: false })
    } else grid.applyServerSideTransaction({ update: [...changed] })
  })
