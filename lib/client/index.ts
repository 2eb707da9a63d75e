export type {
  BulkActionResponse,
  Effects,
  EffectsPage,
  RowActionResponse,
  RowBulkActionResponse,
  RowConditions,
  Selection,
} from './action-responses.ts'
export type { Connection, ConnectionState, ConnectOptions } from './connect.ts'
export { createTableClient, type TableClient } from './create-table-client.ts'
export type { DownloadedFile, DownloadPage, DownloadQuery, OwnDownload } from './downloads.ts'
export { all, any, none } from './filter-groups.ts'
export type { FollowOptions, JobHandle } from './follow-job.ts'
export type { Job, JobResult, Message, Notification } from './job.ts'
export type { OpenApiTables } from './open-api-tables.ts'
export type {
  Aggregates,
  Explanation,
  FacetOption,
  FilterGroup,
  FilterOf,
  FilterPart,
  Group,
  GroupBy,
  Item,
  Limits,
  Page,
  Query,
  RowExplanation,
  SortOf,
  Structure,
  StructureWithData,
} from './queries.ts'
export type { NotificationPage, NotificationQuery } from './read-notifications.ts'
export type { ListedTable, LoadOptions, RefetchedRows, RefetchOptions } from './read-tables.ts'
export type { RowActionOptions, RowBulkActionOptions } from './run-actions.ts'
export type { SavedView, SavedViews, ViewQuery, ViewSettings } from './saved-views.ts'
export type { CountedRows } from './socket-counts.ts'
export { TableError } from './table-error.ts'
export type { AnyTable, AnyTables, KeyOf, TablesOf, TableTypes } from './table-types.ts'
export type { ActionOptions, CallOptions, ClientOptions } from './transport.ts'
export type {
  AggregateFunction,
  BulkAction,
  BulkResponse,
  CellValue,
  Choice,
  Column,
  ColumnType,
  Filter,
  FilterType,
  GroupUnit,
  Link,
  OnSuccess,
  Operator,
  Pagination,
  RowAction,
  RowId,
  RowResult,
  Urls,
  ValueType,
} from './wire.ts'
