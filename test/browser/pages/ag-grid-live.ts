import { AllCommunityModule, createGrid, type GridApi, ModuleRegistry } from 'ag-grid-community'
import { ServerSideRowModelApiModule, ServerSideRowModelModule } from 'ag-grid-enterprise'
import { agGridDatasource } from '../../../lib/client/adapters/ag-grid.ts'
import { agGridLive } from '../../../lib/client/adapters/ag-grid-live.ts'
import { changes, client, element, live, showError } from './page-client.ts'

ModuleRegistry.registerModules([AllCommunityModule, ServerSideRowModelModule, ServerSideRowModelApiModule])

const watched = agGridLive(client, live, () => grid)
const grid: GridApi = createGrid(element('grid'), {
  rowModelType: 'serverSide',
  cacheBlockSize: 20,
  getRowId: ({ data }) => String(data.id),
  columnDefs: [{ field: 'id' }, { field: 'assignee', sort: 'asc' }, { field: 'note' }],
  serverSideDatasource: agGridDatasource(watched.client, 'bird_strikes', { onError: showError }),
})

Object.assign(globalThis, { grid, changes })
