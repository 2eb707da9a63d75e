import * as z from 'zod/mini'
import { type $ZodType, toJSONSchema } from 'zod/v4/core'
import { appliedImport, importAnswer, importPlanBody, importUpload, newImport } from './import-answers.ts'
import {
  bulkAnswer,
  done,
  download,
  downloadAnswer,
  downloadList,
  job,
  jobAnswer,
  jobResult,
  notification,
  notificationList,
  readNotifications,
  socketTicket,
} from './job-answers.ts'
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
  rowActionAnswer,
  savedView,
  severalRows,
  structure,
  tableList,
  viewAnswer,
  viewList,
  warning,
} from './table-answers.ts'
import { rowId, urls } from './wire-values.ts'

const answers = {
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
  RowActionAnswer: rowActionAnswer,
  SeveralRows: severalRows,
  BulkAnswer: bulkAnswer,
  Notification: notification,
  NotificationList: notificationList,
  ReadNotifications: readNotifications,
  Job: job,
  JobResult: jobResult,
  JobAnswer: jobAnswer,
  SocketTicket: socketTicket,
  Download: download,
  DownloadAnswer: downloadAnswer,
  DownloadList: downloadList,
  SavedView: savedView,
  ViewAnswer: viewAnswer,
  ViewList: viewList,
  ImportUpload: importUpload,
  ImportAnswer: importAnswer,
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
export type WireSchema = keyof typeof answers | keyof typeof bodies

let converted: Schemas | undefined

/** The schemas of requests and answers of any table, by name: those of answers as they are sent, those of bodies as they are read. */
export function wireSchemas(): Schemas {
  converted ??= { ...convertSchemas(answers, 'output'), ...convertSchemas(bodies, 'input') }
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
