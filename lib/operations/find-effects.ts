import { formKeys, hasOpenForm } from '../table/action-entry.ts'
import { selectionKeys, viewKeys } from '../table/action-key.ts'
import type { AnyBulkAction, AnyRowAction } from '../table/compiled-table.ts'
import { isEmpty, readItemContext, rowActionsKey } from './item-context.ts'
import type { AskedEffects } from './plan-effects.ts'
import { ownValue, type TableRequest, type UnknownBody } from './table-request.ts'

/** The keys that describe the page on which effects show. */
const pageKeys: ReadonlySet<string> = new Set([
  'include',
  'columns',
  rowActionsKey,
  'filters',
  ...selectionKeys,
  ...viewKeys,
])

/** Lists the keys of a body that are not `known`. `include` is, and beside it those that describe a page. */
export function listOtherKeys(body: UnknownBody, known: readonly string[]): readonly string[] {
  const describesPage = !isEmpty(ownValue(body, 'include'))
  const isOfPage = (key: string) => key === 'include' || (describesPage && pageKeys.has(key))
  return Object.keys(body).filter((key) => !known.includes(key) && !isOfPage(key))
}

/**
 * Finds out whether a request asks for effects, and how its items carry their actions. A form that has `include` or
 * `row_actions` as its own keeps it. Throws `validation_failed` for what a page could not show, so that nothing is
 * changed then.
 */
export async function findEffects(
  request: TableRequest,
  definition: Pick<AnyRowAction | AnyBulkAction, 'form'>,
): Promise<AskedEffects> {
  const fields = formKeys(definition)
  const page = request.pageBody ?? request.body
  const isOfForm = (key: string) => request.pageBody === undefined && (hasOpenForm(definition) || fields.includes(key))
  const asked = isOfForm(rowActionsKey) ? request : shapeRowActions(request, page)
  if (isOfForm('include') || isEmpty(ownValue(page, 'include'))) return { asked, readEffects: async () => ({}) }
  return (await import('./page-extensions.ts')).planEffects(asked, page, fields)
}

/**
 * Returns the request whose items are written as `row_actions` of its page asks, without this key in its body unless a
 * plan has kept it.
 */
function shapeRowActions(request: TableRequest, page: UnknownBody): TableRequest {
  if (!Object.hasOwn(page, rowActionsKey)) return request
  const { body, context, sentBody = body } = request
  const { [rowActionsKey]: _, ...rest } = body
  const shaped = { ...request, context: readItemContext({ body: page, context }) }
  return request.pageBody === undefined ? { ...shaped, body: rest, sentBody } : shaped
}
