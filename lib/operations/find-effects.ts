import { formKeys, hasOpenForm } from '../table/action-entry.ts'
import type { AnyBulkAction, AnyRowAction } from '../table/compiled-table.ts'
import { isEmpty } from './item-context.ts'
import type { AskedEffects } from './plan-effects.ts'
import { ownValue, type TableRequest } from './table-request.ts'

/**
 * Finds out whether a request asks for effects. A form that has `include` as its own keeps it. Throws `validation_failed` for what a
 * page could not show, so that nothing is changed then.
 */
export async function findEffects(
  request: TableRequest,
  definition: Pick<AnyRowAction | AnyBulkAction, 'form'>,
): Promise<AskedEffects> {
  const fields = formKeys(definition)
  const page = request.pageBody ?? request.body
  const isOfForm = request.pageBody === undefined && (hasOpenForm(definition) || fields.includes('include'))
  if (isOfForm || isEmpty(ownValue(page, 'include'))) return { asked: request, readEffects: async () => ({}) }
  return (await import('./page-extensions.ts')).planEffects(request, page, fields)
}
