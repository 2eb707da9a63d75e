import * as z from 'zod/mini'
import { type $ZodType, toJSONSchema } from 'zod/v4/core'
import { sharedValues } from './filter-schema.ts'
import { appliedImport, importPlanBody, importResponse, importUpload, newImport } from './import-responses.ts'
import {
  bulkResponse,
  done,
  download,
  downloadList,
  downloadResponse,
  job,
  jobEvent,
  jobResponse,
  jobResult,
  notification,
  notificationList,
  readNotifications,
  socketTicket,
} from './job-responses.ts'
import type { Schemas } from './json-schema.ts'
import { plan, refusedRows } from './plan-responses.ts'
import {
  cleared,
  columnTotal,
  extendBody,
  filterGroup,
  filters,
  groupKey,
  newView,
  planBody,
  query,
  readBody,
  rowActionBody,
  rowBulkBody,
  rowIdsBody,
  rowRefetchBody,
  search,
  selection,
  sorts,
  undoBody,
  viewChanges,
  viewQuery,
} from './requests.ts'
import { bulkAction, column, filter, itemAction, itemActionKeys, rowAction } from './structure-entries.ts'
import {
  aggregates,
  bindings,
  changedRow,
  changedRows,
  effects,
  explanation,
  facets,
  failure,
  group,
  history,
  item,
  madeFile,
  openedForm,
  otherOutcome,
  page,
  pagination,
  refetchedRow,
  refetchedRows,
  resolvedPeriod,
  rowActionResponse,
  savedView,
  severalRows,
  shownDetails,
  structure,
  tableList,
  undo,
  viewList,
  viewResponse,
  warning,
} from './table-responses.ts'
import { counts, rowId, rowResult, urls } from './wire-values.ts'

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
  Bindings: bindings,
  Aggregates: aggregates,
  Facets: facets,
  Group: group,
  Explanation: explanation,
  ResolvedPeriod: resolvedPeriod,
  Warning: warning,
  TableList: tableList,
  Structure: structure,
  Page: page,
  RefetchedRow: refetchedRow,
  RefetchedRows: refetchedRows,
  History: history,
  Undo: undo,
  Effects: effects,
  Counts: counts,
  RowResult: rowResult,
  RefusedRows: refusedRows,
  Plan: plan,
  OpenedForm: openedForm,
  ChangedRow: changedRow,
  ChangedRows: changedRows,
  ShownDetails: shownDetails,
  MadeFile: madeFile,
  OtherOutcome: otherOutcome,
  RowActionAnswer: rowActionResponse,
  SeveralRows: severalRows,
  BulkAnswer: bulkResponse,
  Notification: notification,
  NotificationList: notificationList,
  ReadNotifications: readNotifications,
  Job: job,
  JobResult: jobResult,
  JobEvent: jobEvent,
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
  RowId: rowId,
  Filters: filters,
  FilterGroup: filterGroup,
  Search: search,
  Cleared: cleared,
  Sorts: sorts,
  ColumnTotal: columnTotal,
  GroupKey: groupKey,
  Query: query,
  Selection: selection,
  RowRefetchBody: rowRefetchBody,
  RowIdsBody: rowIdsBody,
  RowActionBody: rowActionBody,
  RowBulkBody: rowBulkBody,
  PlanBody: planBody,
  UndoBody: undoBody,
  ReadBody: readBody,
  ExtendBody: extendBody,
  NewImport: newImport,
  ImportPlanBody: importPlanBody,
  ViewQuery: viewQuery,
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
  converted ??= { ...convertSchemas(responses, 'output'), ...convertSchemas(bodies, 'input'), ...sharedValues }
  return converted
}

function convertSchemas(schemas: Readonly<Record<string, $ZodType>>, io: 'input' | 'output'): Schemas {
  const registry = z.registry<{ readonly id: string }>()
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id })
  const all = toJSONSchema(registry, { io, unrepresentable: 'any', uri: (id) => `#/components/schemas/${id}` })
  const own = Object.entries(all.schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema])
  return JSON.parse(JSON.stringify(Object.fromEntries(own)), dropImplied)
}

/** Drops what JSON implies: keys are texts, and integers those that a double can hold. */
const dropImplied = (key: string, value: unknown): unknown =>
  key === 'propertyNames' || Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER ? undefined : value
