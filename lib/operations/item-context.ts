import { fieldFault } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import type { ResponseContext } from '../table/context.ts'
import { ownValue, type TableRequest } from './table-request.ts'

/** The keys of a body that ask for more than rows. */
export const partKeys = ['aggregates', 'facets', 'group_by', 'groups_page', 'explain', 'include'] as const

/** The key of a body, and of the query of load-table, that chooses how items carry their actions. */
export const rowActionsKey = 'row_actions'

/**
 * Returns the context in which items are written: as the service is set, or with `row_actions: "keys"` without what the
 * structure says of every row. Throws `validation_failed` for any other value.
 */
export function readItemContext({ body, context }: Pick<TableRequest, 'body' | 'context'>): ResponseContext {
  const form = ownValue(body, rowActionsKey) ?? undefined
  if (form === undefined) return context
  if (form !== 'keys') throw validationFailed({ [rowActionsKey]: [fieldFault('not_keys')] })
  return { ...context, itemActions: 'keys' }
}

/** Whether a part of a request asks for nothing. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)
