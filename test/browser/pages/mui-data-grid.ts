import { DataGrid, type GridColDef, useGridApiRef } from '@mui/x-data-grid'
import { createElement, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { muiDataSource } from '../../../lib/client/adapters/mui-data-grid.ts'
import { client, element, showError } from './page-client.ts'

const columns: GridColDef[] = [
  { field: 'id' },
  { field: 'origin', width: 120 },
  { field: 'origin__city', width: 140 },
  { field: 'delay', type: 'number', width: 140 },
  { field: 'date', type: 'dateTime', width: 200, valueGetter: (value: string) => new Date(value) },
]
const dataSource = muiDataSource(client, 'flights', { dates: ['date'] })

function Flights() {
  const grid = useGridApiRef()
  useEffect(() => void Object.assign(globalThis, { grid: grid.current }), [grid])
  return createElement(DataGrid, {
    apiRef: grid,
    columns,
    dataSource,
    onDataSourceError: (error) => showError(error.cause ?? error),
    pagination: true,
    initialState: { pagination: { paginationModel: { page: 0, pageSize: 10 } } },
    pageSizeOptions: [10, 25],
    disableVirtualization: true,
  })
}

createRoot(element('grid')).render(createElement(Flights))
