import type { Label } from '../i18n/language.ts'

export type DefaultActionKey = 'show_details' | 'export_excel'

/** What a client is told to do after an action. */
export type OnSuccess =
  | 'no_action'
  | 'refetchRow'
  | 'refetchData'
  | 'deleteRow'
  | 'reload'
  | 'DisplayOnModal'
  | 'downloadData'
  | 'OpenModalForm'

interface ActionBase<Scope> {
  /** Left out: made of the action's key. */
  readonly label?: Label
  readonly buttonClasses?: readonly string[]
  /** The question that a client asks before it runs the action. */
  readonly confirm?: Label
  readonly onSuccess?: OnSuccess
  /** `false` hides it from web clients, in the structure and in every row. */
  readonly showInWeb?: boolean
  readonly showInMobileApp?: boolean
  /** Where it is false, the action does not exist for this request. */
  readonly loadIf?: (context: Scope) => boolean
}

type RowActionKind<Row> =
  | { readonly type?: 'normal' | 'custom_control' }
  | { readonly type: 'toggle'; readonly current: (row: Row) => boolean }
  | { readonly type: 'redirect' | 'external_redirect'; readonly to: (row: Row) => string }
  | { readonly type: 'copy'; readonly copies: (row: Row) => string }

/** An action on one row. */
export type RowActionDefinition<Row, Scope> = ActionBase<Scope> &
  RowActionKind<Row> & {
    /** Where it is false for a row, that row does not offer the action. Left out: it applies to every row. */
    readonly appliesTo?: (row: Row, context: Scope) => boolean
    /** The same action over several selected rows. */
    readonly bulk?: true | { readonly onSuccess?: OnSuccess }
  }

export type BulkResponse = 'instant' | 'email' | 'notification' | 'websocket'

/** An action of the toolbar. */
export type BulkActionDefinition<Scope> = ActionBase<Scope> & { readonly response?: BulkResponse }
