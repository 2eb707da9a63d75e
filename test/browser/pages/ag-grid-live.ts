import { AllCommunityModule, createGrid, type GridApi, ModuleRegistry } from 'ag-grid-community'
import { ServerSideRowModelApiModule, ServerSideRowModelModule } from 'ag-grid-enterprise'
import { agGridDatasource } from '../../../lib/client/adapters/ag-grid.ts'
import { agGridEditing } from '../../../lib/client/adapters/ag-grid-editing.ts'
import { agGridLive } from '../../../lib/client/adapters/ag-grid-live.ts'
import { changes, client, element, live, showError } from './page-client.ts'

ModuleRegistry.registerModules([AllCommunityModule, ServerSideRowModelModule, ServerSideRowModelApiModule])

const structure = await client.loadTable('bird_strikes')
const watched = agGridLive(client, live, () => grid)
const grid: GridApi = createGrid(element('grid'), {
  ...agGridEditing(changes, structure, {
    onOutcome: (edited) => {
      if (edited.outcome !== 'saved') showError(edited.error)
    },
  }),
  rowModelType: 'serverSide',
  cacheBlockSize: 20,
  getRowId: ({ data }) => String(data.id),
  columnDefs: [{ field: 'id' }, { field: 'assignee', sort: 'asc' }, { field: 'note' }],
  serverSideDatasource: agGridDatasource(watched.client, 'bird_strikes', {
    onError: showError,
    query: { include: ['version'] },
  }),
})

Object.assign(globalThis, { grid, changes })
