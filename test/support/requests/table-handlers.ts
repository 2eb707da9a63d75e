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

const operations = {
  loadTable,
  queryTableData: queryTable,
  rowRefetch,
  rowHistory,
  multiRowRefetch,
  rowTableAction: wakeWatchersAfter(rowTableAction),
  rowBulkTableAction: wakeWatchersAfter(rowBulkTableAction),
  bulkTableAction: wakeWatchersAfter(bulkTableAction),
  undoChange: wakeWatchersAfter(undoChange),
  createImport,
  showImport,
  applyImport: wakeWatchersAfter(applyImport),
} as const

type ServedEndpoint = keyof typeof operations

/** The functions of every endpoint of a table. */
export type TableHandlers = Readonly<Record<ServedEndpoint, Handler>>

/** Creates the functions of every endpoint of a table, as `functions` does. */
export function createTableHandlers(registry: LoadedRegistry, service: () => Service): TableHandlers {
  const handlers = Object.entries(operations).map(([name, run]) => [
    name,
    tableEndpoint(registry, { name: name as ServedEndpoint, run }, service),
  ])
  return Object.fromEntries(handlers)
}
