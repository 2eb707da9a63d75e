import type { Transaction } from '../db/transaction.ts'
import { type Bilingual, type Label, translate } from '../i18n/language.ts'
import { actionPaths } from '../routes.ts'
import type { CellForm } from '../rows/item.ts'
import { type JsonText, jsonList, jsonObject, jsonTextValue } from '../rows/json-text.ts'
import { readItems } from '../rows/read-items.ts'
import { encodePathId } from '../rows/row-id.ts'
import { safeUrl } from '../rows/safe-url.ts'
import { actionContext, actionUrls, rowOnSuccess } from '../table/action-entry.ts'
import type { RowAction } from '../table/compiled-table.ts'
import type { AnyRow, ResponseContext } from '../table/context.ts'
import { stepKey } from '../table/params-query.ts'
import type { ResponseOnSuccess } from '../wire/vocabulary.ts'
import { downloadData } from './download-data.ts'
import { rowDetails } from './row-details.ts'
import type { Payload, TableRequest } from './table-request.ts'

const done: Bilingual = { en: 'Done', ar: 'تم' }

/** Creates the response of an action on one row by its `onSuccess`, after the change; `read` reads in its transaction. */
export async function rowActionPayload(
  request: TableRequest,
  read: Transaction['run'],
  { definition }: RowAction,
  key: string,
  row: AnyRow,
  answer: object,
): Promise<Payload> {
  const { message = done, onSuccess: told, success: _, ...own } = answer as AuthorAnswer
  const onSuccess = told ?? rowOnSuccess(definition)
  const { context, language } = request
  const item = async (form?: CellForm) => (await readItems({ read }, request, [key], form))[0]
  const base = { onSuccess, message: translate(message, language), ...own, ...kindPayload(definition, row, context) }
  if (onSuccess === 'refetchRow' || onSuccess === 'refetchData') return refetched(base, onSuccess, await item())
  const { data } = own as { readonly data?: unknown }
  if (onSuccess === 'downloadData' && typeof data === 'object' && data !== null)
    return { ...base, data: downloadData(data) }
  if (onSuccess !== 'DisplayOnModal' || 'data' in own) return base
  const cells = await item('text')
  return { ...base, data: await rowDetails(request, cells === undefined ? {} : JSON.parse(jsonTextValue(cells))) }
}

interface AuthorAnswer {
  readonly message?: Label
  readonly onSuccess?: ResponseOnSuccess
  /** A callback fails by throwing. */
  readonly success?: unknown
}

/** Whether an action's answer shows the row as it is after the change, unless the action's own code says otherwise. */
export const showsRow = (definition: RowAction['definition']): boolean => rowOnSuccess(definition).startsWith('refetch')

/** Adds the row as it is now. A row that left the caller's scope must leave the client's table as well. */
function refetched(base: Payload, onSuccess: 'refetchRow' | 'refetchData', row: JsonText | undefined): Payload {
  if (row === undefined) return { ...base, onSuccess: 'deleteRow' satisfies ResponseOnSuccess }
  if (onSuccess === 'refetchData') return { ...base, items: jsonList([row]) }
  return { ...base, data: jsonObject({ ...(base['data'] as object | undefined), row }) }
}

function kindPayload(definition: RowAction['definition'], row: AnyRow, context: ResponseContext): Payload {
  if (definition.type === 'copy') return { copy_value: definition.copies(row) }
  if (definition.type !== 'redirect' && definition.type !== 'external_redirect') return {}
  const target = safeUrl(definition.to(row, context))
  return { redirect_routes: { api: target, web: target } }
}

const submitQuery = `${stepKey}=submit`

/**
 * Returns the first step of `OpenModalForm`: the form, its first values, and the URL of the second step. `onSuccess` is already
 * that of the second step: clients open the form because of the entry and apply this value after the second request.
 */
export async function openedForm(
  { view, context, language, config }: TableRequest,
  { key, definition }: RowAction,
  row: AnyRow,
  id: string,
): Promise<Payload> {
  const { formSchema } = await import('../table/form-schema.ts')
  const { query, ...entry } = actionContext(view, context)
  const submitted = { ...entry, query: query === '' ? submitQuery : `${query}&${submitQuery}` }
  const urls = actionUrls(submitted, actionPaths.row, key, encodePathId(id))
  const schema = formSchema(definition, language)
  return {
    onSuccess: rowOnSuccess(definition),
    message: translate(definition.label ?? done, language),
    payload: { schema, values: definition.formValues?.(row, context) ?? {} },
    method: 'post',
    // Clients of `web` delete the first `/api` of every URL, and one without it would be cut in the middle.
    url: config.GUARDS.includes('api') ? urls.api : (urls.web ?? urls.api),
  }
}
