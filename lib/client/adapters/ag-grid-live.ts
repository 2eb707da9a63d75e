import type { GridApi } from 'ag-grid-community'
import type { CallOptions } from '../transport.ts'
import { isEditing, type RefreshedGrid, refreshAfterEdits, runAfterEdits } from './ag-grid-refresh.ts'
import { type AnyClient, type GridPage, type GridQuery, gridClient } from './grid-client.ts'
import { type AnyLive, type WatchedPages, watchPages } from './watch-pages.ts'

type LiveGrid = RefreshedGrid & Pick<GridApi, 'applyServerSideTransaction' | 'getRowNode'>

/**
 * Keeps the rows of AG Grid's server-side row model as the service has them. Changed rows are shown at once; rows are
 * loaded again after some have entered, left or moved, once no cell is edited. Set `cacheBlockSize` to 100 or less.
 *
 * @example
 * const watched = agGridLive(client, live, () => grid)
 * const grid = createGrid(element, { ...options, serverSideDatasource: agGridDatasource(watched.client, 'flights') })
 */
export function agGridLive<Client extends AnyClient>(
  client: Client,
  live: AnyLive,
  getGrid: () => LiveGrid,
): WatchedPages<Client> {
  let stopWaiting = () => {}
  const watched = watchPages(client, live, ({ changed, isMoved }) => {
    const grid = getGrid()
    if (grid.isDestroyed()) return
    if (isMoved) {
      stopWaiting()
      stopWaiting = refreshAfterEdits(grid)
    } else grid.applyServerSideTransaction({ update: [...changed] })
  })
  const queryTable = async (table: string, query: GridQuery, options: CallOptions): Promise<GridPage> => {
    for (;;) {
      const page = await gridClient(watched.client).queryTable(table, query, options)
      const isShown = page.items.some(({ id }) => getGrid().getRowNode(String(id)) !== undefined)
      if (!isShown || !isEditing(getGrid())) return page
      // An edit has begun while shown rows were loaded again. They may move, and change until it has ended.
      await new Promise<void>((resolve) => runAfterEdits(getGrid(), resolve))
    }
  }
  return {
    client: { ...watched.client, queryTable },
    stop: (table) => {
      stopWaiting()
      watched.stop(table)
    },
  }
}
