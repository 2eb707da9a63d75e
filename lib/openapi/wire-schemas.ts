import * as z from 'zod/mini'
import { type $ZodType, toJSONSchema } from 'zod/v4/core'
import { appliedImport, importPlanBody, importResponse, importUpload, newImport } from './import-responses.ts'
import {
  bulkResponse,
  done,
  download,
  downloadList,
  downloadResponse,
  job,
  jobResponse,
  jobResult,
  notification,
  notificationList,
  readNotifications,
  socketTicket,
} from './job-responses.ts'
import type { Schemas } from './json-schema.ts'
import {
  extendBody,
  newView,
  query,
  readBody,
  rowActionBody,
  rowBulkBody,
  rowIdsBody,
  rowRefetchBody,
  selection,
  undoBody,
  viewChanges,
} from './requests.ts'
import { bulkAction, column, filter, itemAction, itemActionKeys, rowAction } from './structure-entries.ts'
import {
  failure,
  history,
  item,
  page,
  pagination,
  refetchedRow,
  refetchedRows,
  rowActionResponse,
  savedView,
  severalRows,
  structure,
  tableList,
  viewList,
  viewResponse,
  warning,
} from './table-responses.ts'
import { rowId, urls } from './wire-values.ts'

const responses = {
  RowId: rowId,
  Urls: urls,
  Column: column,
  Filter: filter,
  RowAction: rowAction,
  BulkAction: bulkAction,
  ItemAction: itemAction,
  ItemActionKeys: itemActionKeys,
  Item: item,
  Pagination: pagination,
  Warning: warning,
  TableList: tableList,
  Structure: structure,
  Page: page,
  RefetchedRow: refetchedRow,
  RefetchedRows: refetchedRows,
  History: history,
  RowActionAnswer: rowActionResponse,
  SeveralRows: severalRows,
  BulkAnswer: bulkResponse,
  Notification: notification,
  NotificationList: notificationList,
  ReadNotifications: readNotifications,
  Job: job,
  JobResult: jobResult,
  JobAnswer: jobResponse,
  SocketTicket: socketTicket,
  Download: download,
  DownloadAnswer: downloadResponse,
  DownloadList: downloadList,
  SavedView: savedView,
  ViewAnswer: viewResponse,
  ViewList: viewList,
  ImportUpload: importUpload,
  ImportAnswer: importResponse,
  AppliedImport: appliedImport,
  Done: done,
  Document: z.looseObject({ openapi: z.string().check(z.regex(/^3\.1\./)) }),
  Failure: failure,
}

const bodies = {
  Query: query,
  Selection: selection,
  RowRefetchBody: rowRefetchBody,
  RowIdsBody: rowIdsBody,
  RowActionBody: rowActionBody,
  RowBulkBody: rowBulkBody,
  UndoBody: undoBody,
  ReadBody: readBody,
  ExtendBody: extendBody,
  NewImport: newImport,
  ImportPlanBody: importPlanBody,
  NewView: newView,
  ViewChanges: viewChanges,
}

/** A schema that every document has, of any tables. */
export type WireSchema = keyof typeof responses | keyof typeof bodies

let converted: Schemas | undefined

/**
 * The schemas of requests and responses of any table, by name: those of responses as they are sent, those of bodies as
 * they are read.
 */
export function wireSchemas(): Schemas {
  converted ??= { ...convertSchemas(responses, 'output'), ...convertSchemas(bodies, 'input') }
  return converted
}

function convertSchemas(schemas: Readonly<Record<string, $ZodType>>, io: 'input' | 'output'): Schemas {
  const registry = z.registry<{ readonly id: string }>()
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id })
  const all = toJSONSchema(registry, { io, unrepresentable: 'any', uri: (id) => `#/components/schemas/${id}` })
  return Object.fromEntries(
    Object.entries(all.schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema]),
  )
}
