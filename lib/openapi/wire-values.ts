import * as z from 'zod/mini'
import { operators, type ResponseOnSuccess, type RowBulkOnSuccess } from '../wire/vocabulary.ts'

/** A row's id; the same JSON type on every endpoint. */
export const rowId = z.union([z.string(), z.number()])

/** A text whose format says all; zod would write its pattern as well. */
const createFormat = (format: string) => z.stringFormat(format, () => true)

/** Milliseconds and time zone included, as in `2026-11-21T16:10:24.637Z`. */
export const moment = createFormat('date-time')

export const uuid = createFormat('uuid')

/** The code of a failure, also one of an action's own. */
export const code = z.string().check(z.minLength(1))

/** The same place on the guard `api` and, while it is on, on the guard `web`. */
export const urls = z.object({ api: z.string(), web: z.optional(z.string()) })

export const operator = z.enum(operators)

const responseValues = [
  'no_action',
  'refetchRow',
  'refetchData',
  'deleteRow',
  'reload',
  'DisplayOnModal',
  'downloadData',
] as const satisfies readonly ResponseOnSuccess[]

/** The next step of a client after a response. */
export const responseOnSuccess = z.enum(responseValues)

/** The next step of a client, as the entry of an action says it. */
export const onSuccess = z.enum([...responseValues, 'OpenModalForm'])

/** The same of an action on several rows. */
export const rowBulkOnSuccess = z.enum([
  'no_action',
  'refetchData',
  'deleteRow',
  'reload',
] as const satisfies readonly RowBulkOnSuccess[])

/** JSON of any shape, from an author's own code. */
export const authored = z.record(z.string(), z.unknown())

export const link = z.object({
  url: z.string(),
  filename: z.string(),
  expires_at: moment,
  download_id: z.optional(uuid),
})

/** `url` and `filename` once more, under the names that older clients read. */
export const olderLink = { file: z.optional(z.string()), name: z.optional(z.string()) }

export const count = z.int().check(z.nonnegative())

/** Succeeded, failed and, where rows were chosen by more than their ids, selected. */
export const counts = z.object({ selected: z.optional(count), succeeded: count, failed: count })

/** English first, then Arabic. */
export const texts = z.array(z.string()).check(z.minLength(2))

export const rowResult = z.object({
  id: rowId,
  success: z.boolean(),
  code: z.optional(code),
  errors: z.optional(texts),
  /** The row as it is now, and its cells that have changed, for `row_version_conflict`. */
  current: z.optional(z.record(z.string(), z.unknown())),
  changed: z.optional(z.array(z.object({ field: z.string(), label: z.string(), now: z.unknown() }))),
})
