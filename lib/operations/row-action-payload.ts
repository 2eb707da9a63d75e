import type { Transaction } from '../db/transaction.ts'
import { type Bilingual, type Label, textOf } from '../i18n/language.ts'
import { actionPaths } from '../routes.ts'
import { type JsonText, jsonList, jsonObject, textOfJson } from '../rows/json-text.ts'
import { readItems } from '../rows/read-items.ts'
import { pathOfId } from '../rows/row-id.ts'
import { actionUrls } from '../table/action-entry.ts'
import type { OnSuccess } from '../table/action-work.ts'
import { columnEntry } from '../table/column-entry.ts'
import type { AnyRow, RowAction } from '../table/compiled-table.ts'
import { formSchema } from '../table/form-schema.ts'
import type { Payload, TableRequest } from './table-request.ts'

const done: Bilingual = { en: 'Done', ar: 'تم' }

/** What an action on one row answers, by its `onSuccess` (wire contract 5), after the change; `read` reads in its transaction. */
export async function rowActionPayload(
  request: TableRequest,
  read: Transaction['run'],
  { definition }: RowAction,
  key: string,
  row: AnyRow,
  answer: object,
): Promise<Payload> {
  const { message = done, onSuccess: told, success: _, ...own } = answer as AuthorAnswer
  const onSuccess = told ?? nextStep(definition)
  const { view, scope, context, language } = request
  const item = async () => (await readItems({ read }, view, scope, context, [key]))[0]
  const base = { onSuccess, message: textOf(message, language), ...own, ...kindPayload(definition, row) }
  if (onSuccess === 'refetchRow') return refetchedRow(base, await item())
  if (onSuccess === 'refetchData') {
    const fresh = await item()
    return { ...base, items: jsonList(fresh === undefined ? [] : [fresh]) }
  }
  if (onSuccess === 'DisplayOnModal' && !('data' in own)) return { ...base, data: details(request, await item()) }
  return base
}

interface AuthorAnswer {
  readonly message?: Label
  readonly onSuccess?: OnSuccess
  /** A callback fails by throwing. */
  readonly success?: unknown
}

/** A form in two steps is over once it has been filled in. */
const nextStep = ({ onSuccess = 'refetchRow', onSubmit = 'refetchRow' }: RowAction['definition']): OnSuccess =>
  onSuccess === 'OpenModalForm' ? onSubmit : onSuccess

/** Whether an action's answer shows the row as it is after the change, unless the action's own code says otherwise. */
export const showsRow = (definition: RowAction['definition']): boolean => nextStep(definition).startsWith('refetch')

/** A row that has left the caller's sight has to leave the client's table as well. */
const refetchedRow = (base: Payload, row: JsonText | undefined): Payload =>
  row === undefined
    ? { ...base, onSuccess: 'deleteRow' satisfies OnSuccess }
    : { ...base, data: jsonObject({ ...(base['data'] as object | undefined), row }) }

function kindPayload(definition: RowAction['definition'], row: AnyRow): Payload {
  if (definition.type === 'copy') return { copy_value: definition.copies(row) }
  if (definition.type !== 'redirect' && definition.type !== 'external_redirect') return {}
  const target = definition.to(row)
  return { redirect_routes: { api: target, web: target } }
}

/** Every cell of the row with its label, as `show_details` shows it. */
function details({ view, language }: TableRequest, item: JsonText | undefined): Payload {
  const cells: Record<string, unknown> = item === undefined ? {} : JSON.parse(textOfJson(item))
  const shown = view.columns.filter(({ type, key }) => type !== 'actions' && Object.hasOwn(cells, key))
  return Object.fromEntries(
    shown.map((column) => {
      const { label, type } = columnEntry(column, false, language)
      return [column.key, { label, value: cells[column.key], type }]
    }),
  )
}

/** The first step of `OpenModalForm`: the form, what it begins with, and where its second step is sent. */
export function openedForm(
  { view, context, language, config, baseUrl }: TableRequest,
  { key, definition }: RowAction,
  row: AnyRow,
  id: string,
): Payload {
  const urls = actionUrls({ tableName: view.table.name, baseUrl, language }, actionPaths.row, key, pathOfId(id))
  const schema = formSchema(definition, language)
  return {
    onSuccess: 'OpenModalForm',
    message: textOf(definition.label ?? done, language),
    payload: { schema, values: definition.formValues?.(row, context) ?? {} },
    method: 'post',
    // Clients of `web` delete the first `/api` of every URL, and one without it would be cut in the middle.
    url: `${config.GUARDS.includes('api') ? urls.api : urls.web}?step=submit`,
    onSubmitSuccess: definition.onSubmit ?? 'refetchRow',
  }
}
