import type {
  AnyTables,
  Choice,
  Effects,
  Item as ItemOf,
  Notification,
  Page,
  RowAction,
  RowId,
  RowResult,
  Structure as StructureOf,
  Job as WholeJob,
} from '../../../../lib/client/index.ts'

export type {
  BulkAction,
  Column,
  Filter,
  ListedTable,
  Notification,
  Pagination,
  RowAction,
} from '../../../../lib/client/index.ts'
export type Id = RowId
export type Option = Choice
export type AnyTable = AnyTables[string]
export type Structure = StructureOf<AnyTable>
export type Item = ItemOf<AnyTable>
export type Rows = Page<AnyTable>
export type Bindings = Rows['bindings']

/** A style of the labels of a column's values. */
export interface ShownValue {
  readonly showValue: string
  readonly style?: string
}

/** An action as an item carries it: what differs between rows. Its URLs are only in items that an action returned. */
export type ItemAction = Partial<RowAction>

/** Returns an item's actions. An item that an action returned has them where the service is set to put them. */
export const itemActions = (item: Item): Readonly<Record<string, ItemAction | undefined>> =>
  item.row?.actions ?? item.actions ?? {}

/** Returns the actions on one row that can also be run on several. */
export const bulkRowActions = ({ rowActions }: Structure): readonly RowAction[] =>
  Object.values(rowActions).filter((one): one is RowAction => one?.applicableAsBulkAction === true)

/** Returns the URLs by which an action runs on an item. */
export function rowUrls(
  { url_template: template, action: general }: RowAction,
  { action }: ItemAction,
  { row }: Item,
): RowAction['action'] {
  if (action !== undefined || template === undefined) return action ?? general
  const fill = (url: string) => url.replace('{id}', () => row?.path_id ?? '')
  return { api: fill(template.api), ...(template.web !== undefined && { web: fill(template.web) }) }
}

/** The form of an action, as far as the page draws it. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
}

export type JobRef = Pick<WholeJob, 'id' | 'status'>

/** A job, as much of it as is known. */
export interface Job extends JobRef, Partial<Omit<WholeJob, keyof JobRef>> {
  /** The action that the user chose. The service does not send it. */
  readonly title?: string
}

/** The change that an action would make, and on how many rows; `sample` has some rows before and after. */
export interface ForeseenChange {
  readonly id: string
  readonly rows: number
  readonly applicable: number
  readonly refused: readonly { readonly code: string; readonly text: string; readonly count: number }[]
  readonly sample: readonly { readonly id: Id; readonly before: Item; readonly after: Item }[]
}

/** The response to any action: what is there depends on its `onSuccess` and on its `action_response`. */
export interface Outcome {
  readonly onSuccess?: string
  readonly message?: string
  readonly items?: readonly Item[]
  readonly data?: unknown
  readonly results?: readonly RowResult[]
  /** The numbers of rows; a dry run has those that are selected. */
  readonly counts?: { readonly selected?: number; readonly failed?: number }
  readonly payload?: { readonly schema: JsonSchema; readonly values?: Readonly<Record<string, unknown>> }
  readonly url?: string
  readonly copy_value?: string
  readonly job?: JobRef
  readonly notification?: Notification
  readonly plan?: ForeseenChange
  readonly undo?: { readonly url: string; readonly expires_at: string }
  readonly effects?: Effects<AnyTable>
}
