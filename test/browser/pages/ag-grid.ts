import { AllCommunityModule, createGrid, type ICellRendererParams, ModuleRegistry } from 'ag-grid-community'
import {
  AdvancedFilterModule,
  RowGroupingModule,
  ServerSideRowModelApiModule,
  ServerSideRowModelModule,
  SetFilterModule,
} from 'ag-grid-enterprise'
import { agGridDatasource, agGridSetValues } from '../../../lib/client/adapters/ag-grid.ts'
import { agGridSelection } from '../../../lib/client/adapters/ag-grid-selection.ts'
import { client, element, showError } from './page-client.ts'

ModuleRegistry.registerModules([
  AllCommunityModule,
  ServerSideRowModelModule,
  ServerSideRowModelApiModule,
  SetFilterModule,
  AdvancedFilterModule,
  RowGroupingModule,
])

let search = ''

/** Shows a group as people read it. */
function showGroup({ data, value }: ICellRendererParams): string {
  return data?.text ?? value ?? ''
}

const grid = createGrid(element('grid'), {
  rowModelType: 'serverSide',
  rowSelection: { mode: 'multiRow', checkboxes: false, headerCheckbox: false },
  getRowId: ({ data }) => String(data.id),
  defaultColDef: { width: 120 },
  autoGroupColumnDef: { cellRendererParams: { innerRenderer: showGroup } },
  columnDefs: [
    { field: 'id' },
    { field: 'origin', filter: 'agTextColumnFilter' },
    { field: 'origin__city', filter: 'agTextColumnFilter', floatingFilter: true, cellDataType: 'text' },
    { field: 'delay', filter: 'agNumberColumnFilter' },
    { field: 'distance', filter: 'agNumberColumnFilter', cellDataType: 'number' },
    { field: 'date', filter: 'agDateColumnFilter' },
    {
      field: 'origin__state',
      filter: 'agSetColumnFilter',
      filterParams: { values: agGridSetValues(client, 'flights') },
    },
  ],
  serverSideDatasource: agGridDatasource(client, 'flights', {
    onError: showError,
    query: () => ({ search }),
    buckets: { date: 'year' },
  }),
})

/** Searches as the input of a page would. */
const searchRows = (words: string): void => {
  search = words
  grid.refreshServerSide({ purge: true })
}

Object.assign(globalThis, { grid, searchRows, readSelection: () => agGridSelection(grid) })
