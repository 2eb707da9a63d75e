/** The responses of the service, as far as the page draws them. functions/README.md describes all of them. */
export type Id = string | number

export interface Urls {
  readonly api: string
  readonly web?: string
}

export interface TableEntry {
  readonly tableName: string
  readonly label: string
  readonly load_url: Urls
}

export interface ShownValue {
  readonly showValue: string
  readonly style?: 'success' | 'danger' | 'info' | 'warning'
}

export interface Column {
  /** How a cell is drawn. */
  readonly type: string
  /** Type of the values. */
  readonly value_type: string
  readonly label: string
  readonly data_src: string
  readonly sortable: boolean
  readonly showable: boolean
  readonly minWidth?: string
  readonly decimals?: number | null
  readonly linkText?: string
  readonly linkStyle?: 'text' | 'button'
  readonly showCopyBtn?: boolean
  readonly values_formating?: Readonly<Record<string, ShownValue | string>>
}

export interface Option {
  readonly value: Id
  readonly label: string
}

export interface Filter {
  readonly type: string
  readonly filter_name: string
  readonly label: string
  readonly pair_with?: string
  readonly advanced?: boolean
  readonly group_src?: string
  /** Epoch milliseconds. */
  readonly min?: number
  readonly max?: number
  readonly props: {
    readonly operators: readonly string[]
    readonly options?: readonly Option[]
    readonly is_from?: boolean
  }
}

export interface Action {
  readonly action_key: string
  readonly label: string
  readonly need_confirmation: boolean
  readonly confirmation?: string
  readonly action: Urls
  readonly onSuccess: string
  readonly payload_keys: readonly string[]
  readonly form?: JsonSchema
}

export interface RowAction extends Action {
  /** The URL of any row: an item's `path_id` takes the place of `{id}`. */
  readonly url_template: Urls
  readonly action_type: string
  readonly applicableAsBulkAction: boolean
  readonly bulk_actions_url?: Urls
}

export interface BulkAction extends Action {
  readonly action_response: 'instant' | 'email' | 'notification' | 'websocket'
}

/** An action as an item carries it: what differs between rows. */
export interface ItemAction {
  /** Only in items that an action returned. */
  readonly action?: Urls
  readonly toggle_current_value?: boolean
  readonly redirect_routes?: Urls
  readonly copy_value?: string
}

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
}

export interface Structure {
  readonly tableName: string
  readonly label: string
  readonly columns: readonly Column[]
  readonly filters: readonly Filter[]
  readonly advancedFilters: readonly Filter[]
  readonly rowActions: Readonly<Record<string, RowAction>>
  readonly bulkActions: readonly BulkAction[]
  readonly sortables: readonly string[]
  readonly defSortCol: string
  readonly defSortDir: 'asc' | 'desc'
}

type ItemActions = Readonly<Record<string, ItemAction>>

export type Item = Readonly<Record<string, unknown>> & {
  readonly id: Id
  readonly row?: { readonly actions?: ItemActions; readonly path_id?: string }
  readonly actions?: ItemActions
}

/** Returns an item's actions. An item that an action returned has them where the service is set to put them. */
export const itemActions = (item: Item): ItemActions => item.row?.actions ?? item.actions ?? {}

/** Returns the URLs by which an action runs on an item. */
export function rowUrls({ url_template: { api, web } }: RowAction, { action }: ItemAction, { row }: Item): Urls {
  if (action !== undefined) return action
  const fill = (url: string) => url.replace('{id}', () => row?.path_id ?? '')
  return { api: fill(api), ...(web !== undefined && { web: fill(web) }) }
}

export interface Pagination {
  readonly current_page: number
  readonly per_page: number
  readonly total: number
  readonly last_page: number
  readonly from: number | null
  readonly to: number | null
  readonly total_kind?: 'exact' | 'capped' | 'estimated'
  readonly next_cursor?: string | null
}

export type Bindings = Readonly<Record<string, readonly Option[]>>

export interface Rows {
  readonly items: readonly Item[]
  readonly pagination: Pagination
  readonly bindings: Bindings
  readonly warnings?: readonly { readonly code: string; readonly field: string }[]
}

export interface RowResult {
  readonly id: Id
  readonly success: boolean
  readonly errors?: readonly string[]
}

export interface JobRef {
  readonly id: string
  readonly status: string
}

/** The answer of any action: what is there depends on its `onSuccess` and on its `action_response`. */
export interface Outcome {
  readonly onSuccess?: string
  readonly message?: string
  readonly items?: readonly Item[]
  readonly data?: unknown
  readonly results?: readonly RowResult[]
  readonly counts?: { readonly selected?: number; readonly succeeded?: number; readonly failed?: number }
  readonly payload?: { readonly schema: JsonSchema; readonly values?: Readonly<Record<string, unknown>> }
  readonly url?: string
  readonly redirect_routes?: Urls
  readonly copy_value?: string
  readonly job?: JobRef
  readonly notification?: Notification
}

export interface Notification {
  readonly id: number
  readonly title: string
  readonly body: string
  readonly level: 'info' | 'success' | 'warning' | 'danger'
  readonly created_at: string
  readonly read_at: string | null
  readonly data?: { readonly url?: string; readonly filename?: string } | null
}

export interface Job {
  readonly id: string
  /** The action that the user chose. The service does not send it. */
  readonly title?: string
  readonly status: string
  readonly action: string
  readonly table: string
  readonly done: number
  readonly total: number | null
  readonly cancel_requested?: boolean
  readonly code?: string
  readonly errors?: readonly string[]
  readonly result?: {
    readonly message?: string
    readonly url?: string
    readonly file_name?: string
  } | null
  readonly recipients?: readonly { readonly address: string; readonly status: string }[]
}
