import {
  applyImport,
  bulkTableAction,
  createImport,
  type Handler,
  type LoadedRegistry,
  loadTable,
  multiRowRefetch,
  queryTable,
  rowBulkTableAction,
  rowHistory,
  rowRefetch,
  rowTableAction,
  type Service,
  showImport,
  tableEndpoint,
  undoChange,
  wakeWatchersAfter,
} from '../../../lib/index.ts'

const endpoints = [
  { name: 'loadTable', run: loadTable },
  { name: 'queryTableData', run: queryTable },
  { name: 'rowRefetch', run: rowRefetch },
  { name: 'rowHistory', run: rowHistory },
  { name: 'multiRowRefetch', run: multiRowRefetch },
  { name: 'rowTableAction', run: wakeWatchersAfter(rowTableAction) },
  { name: 'rowBulkTableAction', run: wakeWatchersAfter(rowBulkTableAction) },
  { name: 'bulkTableAction', run: wakeWatchersAfter(bulkTableAction) },
  { name: 'undoChange', run: wakeWatchersAfter(undoChange) },
  { name: 'createImport', run: createImport },
  { name: 'showImport', run: showImport },
  { name: 'applyImport', run: wakeWatchersAfter(applyImport) },
] as const

/** The functions of every endpoint of a table. */
export type TableHandlers = Readonly<Record<(typeof endpoints)[number]['name'], Handler>>

/** Creates the functions of every endpoint of a table. `test/infra/routes.test.ts` compares them with `functions/`. */
export function createTableHandlers(registry: LoadedRegistry, service: () => Service): TableHandlers {
  return Object.fromEntries(
    endpoints.map((endpoint) => [endpoint.name, tableEndpoint(registry, endpoint, service)] as readonly unknown[]),
  )
}
