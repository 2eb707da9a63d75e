import * as z from 'zod'

/** The parts of the wire interface that the smoke test reads; others are ignored. */

export const tableList = z.looseObject({ tables: z.array(z.looseObject({ tableName: z.string() })) })

const item = z.looseObject({ id: z.union([z.string(), z.number()]) })
export type Item = z.output<typeof item>

const filter = z.looseObject({
  type: z.string(),
  filter_name: z.string(),
  props: z.looseObject({ operators: z.array(z.string()) }),
})
const rowAction = z.looseObject({
  action_key: z.string(),
  action_type: z.string(),
  onSuccess: z.string(),
  payload_keys: z.array(z.string()),
  applicableAsBulkAction: z.boolean(),
})
const bulkAction = z.looseObject({ action_key: z.string(), action_response: z.string() })

export const loadedTable = z.looseObject({
  tableName: z.string(),
  filters: z.array(filter),
  rowActions: z.record(z.string(), rowAction),
  bulkActions: z.array(bulkAction),
  data: z.array(item),
  pagination: z.looseObject({ total: z.number() }),
})
export type LoadedTable = z.output<typeof loadedTable>

export const page = z.looseObject({ items: z.array(item), pagination: z.looseObject({ total: z.number() }) })
export const refetchedRow = z.looseObject({ data: z.looseObject({ row: item }) })
export const dryRun = z.looseObject({
  dry_run: z.literal(true),
  counts: z.looseObject({ succeeded: z.number(), failed: z.number() }),
})
export const ticket = z.looseObject({ ticket: z.string(), url: z.string() })
export const startedJob = z.looseObject({ job: z.looseObject({ id: z.string() }) })

export const jobState = z.looseObject({
  job: z.looseObject({
    status: z.string(),
    code: z.string().nullish(),
    errors: z.array(z.string()).nullish(),
    result: z.looseObject({ url: z.string().optional() }).nullish(),
    recipients: z
      .array(z.looseObject({ address: z.string(), status: z.string(), code: z.string().nullish() }))
      .nullish(),
  }),
})
export type JobState = z.output<typeof jobState>['job']

export const pushed = z.looseObject({
  event: z.string(),
  channel: z.string().optional(),
  id: z.unknown().optional(),
  data: z.record(z.string(), z.unknown()).optional(),
})

export type Pushed = z.infer<typeof pushed>

/** Every failure has this shape: pairs of an English and an Arabic text. */
export const envelope = z.looseObject({
  success: z.literal(false),
  errors: z.array(z.string()).refine(({ length }) => length > 0 && length % 2 === 0, 'pairs of texts'),
  error: z.string(),
  message: z.string(),
  code: z.string(),
  request_id: z.string(),
})
