import { type Language, translate } from '../i18n/language.ts'
import { actionPaths, guardBasePath } from '../routes.ts'
import type { ResponseOnSuccess, RowBulkOnSuccess } from '../wire/vocabulary.ts'
import { labelFromKey } from './action-key.ts'
import type { AnyBulkAction, AnyRowAction, BulkAction, CompiledAction, RowAction } from './compiled-table.ts'
import type { ResponseContext } from './context.ts'
import { paramsQuery, withQuery } from './params-query.ts'
import type { TableView } from './view.ts'

/** The same endpoint on two guards. `api` is always there and carries its prefix; `web` only while that guard is on. */
export interface ActionUrls {
  readonly api: string
  readonly web?: string
}

/** The context of action entries beside the action itself. */
export interface ActionContext {
  readonly tableName: string
  readonly baseUrl: string
  readonly language: Language
  /** The query of every URL, without `?`: the request's `params`. */
  readonly query: string
  readonly hasWeb: boolean
}

/**
 * Returns what action entries of this request depend on. Throws `validation_failed` where its `params` fit into no URL.
 */
export const actionContext = (view: TableView, context: ResponseContext): ActionContext => ({
  tableName: view.table.name,
  baseUrl: context.baseUrl,
  language: context.language,
  query: paramsQuery(view, context),
  hasWeb: context.hasWeb,
})

/** The path of an action behind that of its guard; `id` is a segment that is encoded already. */
export function actionPath({ tableName, query }: ActionContext, path: string, key: string, id?: string): string {
  const segments = [path, encodeURIComponent(tableName), encodeURIComponent(key), ...(id === undefined ? [] : [id])]
  return withQuery(segments.join('/'), query)
}

/** The URLs of an action; `id` is a path segment that is encoded already. */
export function actionUrls(context: ActionContext, path: string, key: string, id?: string): ActionUrls {
  const suffix = actionPath(context, path, key, id)
  return {
    api: `${context.baseUrl}${guardBasePath('api')}${suffix}`,
    ...(context.hasWeb && { web: `${context.baseUrl}${guardBasePath('web')}${suffix}` }),
  }
}

type Definition = AnyRowAction | AnyBulkAction

/** The names of the fields that a client fills in, where the form is an object. */
export function formKeys({ form }: Pick<Definition, 'form'>): readonly string[] {
  const shape: unknown = form === undefined ? undefined : Reflect.get(form._zod.def, 'shape')
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : []
}

/** Whether a form may read keys of a body that it does not name: it is no object, or one that keeps other keys. */
export function hasOpenForm({ form }: Pick<Definition, 'form'>): boolean {
  if (form === undefined) return false
  const rest: unknown = Reflect.get(form._zod.def, 'catchall')
  if (rest !== undefined) return Reflect.get(Object(rest), '_zod')?.def?.type !== 'never'
  return formKeys({ form }).length === 0
}

function commonEntry({ key, definition }: CompiledAction<Definition>, language: Language) {
  const label = definition.label === undefined ? labelFromKey(key) : translate(definition.label, language)
  return {
    action_key: key,
    label,
    button: { label, btnClasses: definition.buttonClasses ?? [] },
    method: 'post',
    need_confirmation: definition.confirm !== undefined,
    ...(definition.confirm !== undefined && { confirmation: translate(definition.confirm, language) }),
    showInWeb: definition.showInWeb ?? true,
    showInMobileApp: definition.showInMobileApp ?? true,
  }
}

/** Returns the client's reaction to an action on one row. A form in two steps is over once it was submitted. */
export const rowOnSuccess = ({ onSuccess = 'refetchRow', onSubmit = 'refetchRow' }: AnyRowAction): ResponseOnSuccess =>
  onSuccess === 'OpenModalForm' ? onSubmit : onSuccess

/** Returns the client's reaction to an action on several rows. */
export function rowBulkOnSuccess(definition: AnyRowAction): RowBulkOnSuccess {
  const own = definition.bulk === true ? undefined : definition.bulk?.onSuccess
  return own ?? (rowOnSuccess(definition) === 'deleteRow' ? 'deleteRow' : 'refetchData')
}

/** A row action as the structure shows it; its URL has no row yet. */
export function rowActionEntry(action: RowAction, context: ActionContext) {
  const { key, definition } = action
  const onSuccess = definition.onSuccess ?? 'refetchRow'
  return {
    ...commonEntry(action, context.language),
    action_type: definition.type ?? 'normal',
    action: actionUrls(context, actionPaths.row, key),
    onSuccess,
    applicableAsBulkAction: definition.bulk !== undefined,
    payload_keys: formKeys(definition),
    ...(definition.bulk !== undefined && {
      onBulkSuccess: rowBulkOnSuccess(definition),
      bulk_actions_url: actionUrls(context, actionPaths.rowBulk, key),
    }),
  }
}

/** A bulk action as the structure shows it. */
export function bulkActionEntry(action: BulkAction, context: ActionContext) {
  const response = action.definition.response ?? 'instant'
  return {
    ...commonEntry(action, context.language),
    action: actionUrls(context, actionPaths.bulk, action.key),
    action_response: response,
    onSuccess: action.definition.onSuccess ?? 'no_action',
    payload_keys: [
      'selected_ids',
      'filters',
      ...(response === 'email' ? ['emails'] : []),
      ...formKeys(action.definition),
    ],
  }
}
