import { AllCommunityModule, createGrid, ModuleRegistry } from 'ag-grid-community'
import { ServerSideRowModelApiModule, ServerSideRowModelModule } from 'ag-grid-enterprise'
import { agGridDatasource } from '../../../lib/client/adapters/ag-grid.ts'
import { agGridEditing } from '../../../lib/client/adapters/ag-grid-editing.ts'
import { changes, client, element, showError } from './page-client.ts'

ModuleRegistry.registerModules([AllCommunityModule, ServerSideRowModelModule, ServerSideRowModelApiModule])

const structure = await client.loadTable('bird_strikes')
const outcomes: string[] = []

const grid = createGrid(element('grid'), {
  ...agGridEditing(changes, structure, {
    onOutcome: ({ outcome }) => outcomes.push(outcome),
    onError: showError,
  }),
  rowModelType: 'serverSide',
  getRowId: ({ data }) => String(data.id),
  columnDefs: [{ field: 'species' }, { field: 'assignee' }, { field: 'note' }],
  serverSideDatasource: agGridDatasource(client, 'bird_strikes', {
    onError: showError,
    query: { include: ['version'] },
  }),
})

Object.assign(globalThis, { grid, outcomes, changes })
