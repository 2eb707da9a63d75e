import { DataGrid, type GridColDef, useGridApiRef } from '@mui/x-data-grid'
import { createElement, useEffect, useMemo } from 'react'
import { createRoot } from 'react-dom/client'
import { muiDataSource } from '../../../lib/client/adapters/mui-data-grid.ts'
import { muiEditing } from '../../../lib/client/adapters/mui-editing.ts'
import { changes, client, element, showError } from './page-client.ts'

const columns: GridColDef[] = [
  { field: 'species', width: 200, editable: true },
  { field: 'assignee', width: 200, editable: true },
  { field: 'note', width: 200, editable: true },
]
const structure = await client.loadTable('bird_strikes')
const source = muiDataSource(client, 'bird_strikes', { query: { include: ['version'] } })

function Strikes() {
  const grid = useGridApiRef()
  const { isCellEditable, onCellEditStart, updateRow } = useMemo(
    () => muiEditing(changes, structure, { getGrid: () => grid.current }),
    [grid],
  )
  const dataSource = useMemo(() => ({ ...source, updateRow }), [updateRow])
  useEffect(() => void Object.assign(globalThis, { grid: grid.current, changes }), [grid])
  return createElement(DataGrid, {
    apiRef: grid,
    columns,
    dataSource,
    isCellEditable,
    onCellEditStart,
    onDataSourceError: (error) => showError(error.cause ?? error),
    pagination: true,
    initialState: { pagination: { paginationModel: { page: 0, pageSize: 10 } } },
    pageSizeOptions: [10, 25],
    disableVirtualization: true,
  })
}

createRoot(element('grid')).render(createElement(Strikes))
