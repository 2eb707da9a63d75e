import { DataTable } from 'datatables.net'
import { dataTablesAjax } from '../../../lib/client/adapters/data-tables.ts'
import { client, element, showError } from './page-client.ts'

const table = document.createElement('table')
element('grid').append(table)
DataTable.ext.errMode = 'none'

const columns = ['id', 'origin', 'origin__city', 'delay', 'date'].map((data) => ({
  data,
  title: data,
  orderable: data !== 'id',
}))

const grid = new DataTable(table, {
  serverSide: true,
  order: [[4, 'asc']],
  columns,
  ajax: dataTablesAjax(client, 'flights', { onError: showError }),
})

Object.assign(globalThis, { grid })
