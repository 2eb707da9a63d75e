import { selectionKeys, viewKeys } from '../table/action-key.ts'
import type { CompiledTable } from '../table/compiled-table.ts'
import type { ViewedTable } from '../table/open-table.ts'
import { isEmpty, partKeys, readItemContext, rowActionsKey } from './item-context.ts'
import { ownValue, type TableRequest } from './table-request.ts'

/** The keys of a body that choose the parts of items. */
const shapeKeys = ['include', 'columns'] as const

/**
 * The keys of load-table's query or body that shape the first page. A param of the table's own wins over a key of this
 * name.
 */
export const pageKeys = ({ definition: { params } }: Pick<CompiledTable, 'definition'>): readonly string[] => {
  const own: unknown = params === undefined ? undefined : Reflect.get(params._zod.def, 'shape')
  const keys = ['count', 'request_seq', 'views', ...viewKeys, ...selectionKeys, ...partKeys, ...shapeKeys]
  return [rowActionsKey, ...keys.filter((key) => !Object.hasOwn(Object(own), key))]
}

/**
 * Returns a reader of the table as the items of this request show it. The reader throws `validation_failed` for an
 * `include`, `columns` or `row_actions` that does not fit.
 */
export async function loadItemShape(request: TableRequest, ofPages?: readonly string[]): Promise<() => ViewedTable> {
  const { view, body } = request
  const isAsked = shapeKeys.some((key) => !isEmpty(ownValue(body, key)))
  const shape = isAsked ? await (await import('./page-extensions.ts')).readItemShape(request, ofPages) : undefined
  return () => {
    const context = readItemContext(request)
    return shape === undefined ? { view, context } : shape(context)
  }
}
