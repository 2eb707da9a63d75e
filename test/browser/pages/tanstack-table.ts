import {
  columnFacetingFeature,
  columnFilteringFeature,
  createColumnHelper,
  globalFilteringFeature,
  rowPaginationFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { createElement, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import type { GridItem } from '../../../lib/client/adapters/grid-client.ts'
import { noRows, rowsOfState, serverFacets, serverSide } from '../../../lib/client/adapters/tanstack-table.ts'
import { client, element, showError } from './page-client.ts'

const features = tableFeatures({
  rowPaginationFeature,
  rowSortingFeature,
  columnFilteringFeature,
  globalFilteringFeature,
  columnFacetingFeature,
  ...serverFacets,
})
const query = { facets: ['origin__state', 'delay'] }
const column = createColumnHelper<typeof features, GridItem>()
const columns = column.columns(
  ['id', 'origin', 'origin__city', 'origin__state', 'delay', 'date'].map((id) =>
    column.accessor((row) => row[id], { id, header: id }),
  ),
)
type Rows = Awaited<ReturnType<typeof rowsOfState<GridItem>>>

const abortable = () => {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

function Flights() {
  const [rows, setRows] = useState<Rows>(noRows)
  const table = useTable({
    ...serverSide,
    ...rows,
    features,
    columns,
    getRowId: ({ id }) => String(id),
    initialState: { pagination: { pageIndex: 0, pageSize: 5 } },
  })
  const { pagination, sorting, columnFilters, globalFilter } = table.state
  useEffect(() => {
    const { signal, abort } = abortable()
    rowsOfState(client, 'flights', { pagination, sorting, columnFilters, globalFilter, query }, { signal }).then(
      setRows,
      (error) => signal.aborted || showError(error),
    )
    return abort
  }, [pagination, sorting, columnFilters, globalFilter])
  useEffect(() => void Object.assign(globalThis, { grid: table }))
  const list = table.getRowModel().rows.map((row) =>
    createElement(
      'li',
      { key: row.id },
      row.getAllCells().map((cell) => `${cell.column.id}=${cell.getValue()} `),
    ),
  )
  return createElement('ol', { 'aria-label': `${table.getPageCount()} pages` }, list)
}

createRoot(element('grid')).render(createElement(Flights))
