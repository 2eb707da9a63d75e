import { DataGrid, type GridColDef, useGridApiRef } from '@mui/x-data-grid'
import { createElement, useEffect, useMemo } from 'react'
import { createRoot } from 'react-dom/client'
import { muiDataSource } from '../../../lib/client/adapters/mui-data-grid.ts'
import { muiEditing } from '../../../lib/client/adapters/mui-editing.ts'
import { muiLive } from '../../../lib/client/adapters/mui-live.ts'
import { changes, client, element, live, showError } from './page-client.ts'

const columns: GridColDef[] = [
  { field: 'id', width: 100 },
  { field: 'assignee', width: 200 },
  { field: 'note', width: 200, editable: true },
]
const { isCellEditable, onCellEditStart, updateRow } = muiEditing(changes, await client.loadTable('bird_strikes'))

function Strikes() {
  const grid = useGridApiRef()
  const watched = useMemo(() => muiLive(client, live, () => grid.current), [grid])
  const dataSource = useMemo(() => {
    const source = muiDataSource(watched.client, 'bird_strikes', { query: { include: ['version'] } })
    return { ...source, updateRow }
  }, [watched])
  useEffect(() => {
    Object.assign(globalThis, { grid: grid.current, changes })
    return () => watched.stop()
  }, [grid, watched])
  return createElement(DataGrid, {
    apiRef: grid,
    columns,
    dataSource,
    isCellEditable,
    onCellEditStart,
    onDataSourceError: (error) => showError(error.cause ?? error),
    pagination: true,
    initialState: {
      pagination: { paginationModel: { page: 0, pageSize: 10 } },
      sorting: { sortModel: [{ field: 'assignee', sort: 'asc' }] },
    },
    pageSizeOptions: [10, 25],
    disableVirtualization: true,
  })
}

createRoot(element('grid')).render(createElement(Strikes))
