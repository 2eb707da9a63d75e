import * as z from 'zod/mini'
import { count, moment, rowId, uuid } from './wire-values.ts'

/** Refused rows by their reason. */
export const refusedRows = z.object({ code: z.string(), text: z.string(), count, sample_ids: z.array(rowId) })

/** A planned action: what it would do, and the id that applies it. */
export const plan = z.object({
  id: uuid,
  rows: count,
  applicable: count,
  refused: z.array(refusedRows),
  sample: z.array(
    z.object({
      id: rowId,
      before: z.nullable(z.record(z.string(), z.unknown())),
      after: z.nullable(z.record(z.string(), z.unknown())),
      redacted: z.optional(z.array(z.string())),
    }),
  ),
  sample_omitted: z.optional(z.string()),
  expires_at: moment,
})

/** The keys of a response to a plan that was applied before. */
export const replayedPlan = {
  code: z.optional(z.literal('plan_already_applied')),
  replayed: z.optional(z.literal(true)),
}
