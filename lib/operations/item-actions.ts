import { fieldFault } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import { selectionKeys, viewKeys } from '../table/action-key.ts'
import type { CompiledTable } from '../table/compiled-table.ts'
import type { ResponseContext } from '../table/context.ts'
import type { ViewedTable } from '../table/open-table.ts'
import { partKeys } from './part-keys.ts'
import { ownValue, type TableRequest } from './table-request.ts'

/** The key of a body, and of the query of load-table, that chooses how items carry their actions. */
const rowActionsKey = 'row_actions'

/** The keys of a body that choose the parts of items. */
const shapeKeys = ['include', 'columns'] as const

/** The keys of load-table's query or body that shape the first page. A param of the table's own wins over a key of this name. */
export const pageKeys = ({ definition: { params } }: Pick<CompiledTable, 'definition'>): readonly string[] => {
  const own: unknown = params === undefined ? undefined : Reflect.get(params._zod.def, 'shape')
  const keys = [
    'count',
    'request_seq',
    'views',
    'page',
    'per_page',
    ...viewKeys,
    ...selectionKeys,
    ...partKeys,
    ...shapeKeys,
  ]
  return [rowActionsKey, ...keys.filter((key) => !Object.hasOwn(Object(own), key))]
}

/**
 * Returns the context in which items are written: as the service is set, or with `row_actions: "keys"` without what the structure
 * says of every row. Throws `validation_failed` for any other value.
 */
function readItemContext({ body, context }: Pick<TableRequest, 'body' | 'context'>): ResponseContext {
  const form = ownValue(body, rowActionsKey) ?? undefined
  if (form === undefined) return context
  if (form !== 'keys') throw validationFailed({ [rowActionsKey]: [fieldFault('not_keys')] })
  return { ...context, itemActions: 'keys' }
}

/**
 * Returns a reader of the table as the items of this request show it. The reader throws `validation_failed` for an `include`,
 * `columns` or `row_actions` that does not fit.
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

/** Whether a part of a request asks for nothing. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)
