import * as z from 'zod/mini'
import { rowId } from './wire-values.ts'

const scope = z.optional(z.record(z.string(), z.unknown()))

const ids = z.array(rowId)

const rowsGuard = { expected_count: z.optional(z.int()), dry_run: z.optional(z.boolean()) }

/** The fields of an action's form; without a form, nothing. */
export const rowActionBody = z.looseObject({ params: scope })

export const scopeBody = z.looseObject({ params: scope })

/** The rows, and the fields of the action's form beside them. */
export const rowBulkBody = z.looseObject({
  selected_ids: ids.check(z.minLength(1), z.maxLength(1_000)),
  ...rowsGuard,
  params: scope,
})

export const rowIdsBody = z.looseObject({ row_ids: ids.check(z.maxLength(1_000)), params: scope })

/** Without `ids` all of them are marked as read; then the body must be empty. */
export const readBody = z.object({ ids: z.optional(z.array(z.int()).check(z.maxLength(1_000))) })
