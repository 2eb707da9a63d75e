import * as z from 'zod/mini'
import { maxImportBytes } from '../jobs/import-facts.ts'
import { effectsPage } from './requests.ts'
import { effects, undo } from './table-responses.ts'
import { count, moment, rowId, uuid } from './wire-values.ts'

/** The size of the file to be imported. */
export const newImport = z.object({
  bytes: z.int().check(z.gte(1), z.lte(maxImportBytes)),
  params: z.nullish(z.record(z.string(), z.unknown())),
})

/** The plan to be applied. */
export const importPlanBody = z
  .strictObject({ plan_id: uuid, ...effectsPage, params: z.nullish(z.record(z.string(), z.unknown())) })
  .check(z.describe('The keys of a page stand beside `include`'))

export const importUpload = z.object({
  success: z.literal(true),
  import: z.object({ id: uuid, state: z.literal('waiting') }),
  upload: z.object({ url: z.string(), method: z.literal('PUT'), headers: z.record(z.string(), z.string()) }),
})

const errors = z.array(z.string())

/** One cell in which the file differs, or a row of it without `field`. */
const cell = z.object({
  kind: z.enum(['change', 'conflict', 'refused']),
  place: z.string(),
  id: z.optional(rowId),
  field: z.optional(z.string()),
  label: z.optional(z.string()),
  sensitive: z.optional(z.literal(true)),
  base: z.optional(z.unknown()),
  file: z.optional(z.unknown()),
  now: z.optional(z.unknown()),
  code: z.optional(z.string()),
  errors: z.optional(errors),
})

export const importResponse = z.object({
  success: z.literal(true),
  import: z.object({
    id: uuid,
    state: z.enum(['waiting', 'reading', 'planned', 'failed', 'applied']),
    expires_at: moment,
    code: z.optional(z.string()),
    text: z.optional(z.string()),
    errors: z.optional(errors),
  }),
  plan: z.optional(
    z.object({
      id: uuid,
      rows: count,
      counts: z.object({ change: count, conflict: count, refused: count }),
      ignored_columns: z.optional(z.array(z.string())),
      cells: z.array(cell),
      next_page: z.optional(count),
    }),
  ),
})

export const appliedImport = z.looseObject({
  success: z.literal(true),
  onSuccess: z.literal('reload'),
  message: z.string(),
  counts: z.object({ succeeded: count, failed: count }),
  cells: z.object({ changed: count, refused: count }),
  change: uuid,
  results: z.optional(
    z.array(
      z.object({ id: rowId, field: z.optional(z.string()), success: z.literal(false), code: z.string(), errors }),
    ),
  ),
  code: z.optional(z.literal('plan_already_applied')),
  replayed: z.optional(z.literal(true)),
  undo: z.optional(undo),
  effects: z.optional(effects),
})
