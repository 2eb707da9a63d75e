import { AllCommunityModule, createGrid, ModuleRegistry } from 'ag-grid-community'
import { ServerSideRowModelApiModule, ServerSideRowModelModule, SetFilterModule } from 'ag-grid-enterprise'
import { agGridDatasource } from '../../../lib/client/adapters/ag-grid.ts'
import { client, element, showError } from './page-client.ts'

ModuleRegistry.registerModules([
  AllCommunityModule,
  ServerSideRowModelModule,
  ServerSideRowModelApiModule,
  SetFilterModule,
])

const grid = createGrid(element('grid'), {
  rowModelType: 'serverSide',
  getRowId: ({ data }) => String(data.id),
  defaultColDef: { width: 120 },
  columnDefs: [
    { field: 'id' },
    { field: 'origin', filter: 'agTextColumnFilter' },
    { field: 'origin__city', filter: 'agTextColumnFilter', floatingFilter: true },
    { field: 'delay', filter: 'agNumberColumnFilter' },
    { field: 'distance', filter: 'agNumberColumnFilter' },
    { field: 'date', filter: 'agDateColumnFilter' },
  ],
  serverSideDatasource: agGridDatasource(client, 'flights', { onError: showError }),
})

Object.assign(globalThis, { grid })
