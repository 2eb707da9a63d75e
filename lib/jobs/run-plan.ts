import * as z from 'zod/mini'
import { assertExpectedCount, assertSelectionFits } from '../actions/assert-count.ts'
import { assertSelectionUnmoved } from '../actions/assert-selection.ts'
import { countPickedRows, missingIds, planBulk } from '../actions/bulk-selection.ts'
import { readInput } from '../actions/form-input.ts'
import { countRefusals } from '../actions/plan-refusals.ts'
import { rowFailure } from '../actions/row-outcome.ts'
import { type BulkWork, defaultChunk } from '../actions/run-chunk.ts'
import { maxKeptSampleBytes, shortenSample, tryAction, tryBulk } from '../actions/try-action.ts'
import { createStatement } from '../db/statement.ts'
import type { Transaction } from '../db/transaction.ts'
import { RequestError } from '../errors/request-error.ts'
import { keysText } from '../query/keys-statement.ts'
import { hasVersions } from '../rows/row-version.ts'
import { findPlanOfJob, insertPlan, maxPlans, planSeal } from '../storage/plans.ts'
import { openColumn } from '../storage/sealed-column.ts'
import { maxJobRows } from '../table/compile-actions.ts'
import { type JobControl, type JobResult, JobStopped, type JobTarget, type JobWorker, type LeasedJob } from './job.ts'
import { insertChunk, listFirstKeys, listFrozenKeys } from './job-chunks.ts'
import { saveProgress } from './job-store.ts'
import { orTimeout } from './run-bulk.ts'

type PlanWorker = Pick<JobWorker, 'work' | 'config'>

const planBody = z.looseObject({
  place: z.object({
    subject: z.string(),
    guard: z.string(),
    tableName: z.string(),
    action: z.string(),
    kind: z.literal('bulk'),
    params: z.string(),
  }),
  sealed: z.string(),
  expected_count: z.optional(z.nullable(z.coerce.number())),
  row_actions: z.optional(z.literal('keys')),
})

/**
 * Freezes the rows that a request selects and returns the result of its job, the plan. All rows are stored in one
 * transaction, one chunk in memory at a time. If an attempt before has stored them, only describes them.
 */
export async function runPlan(
  worker: PlanWorker,
  job: LeasedJob,
  target: JobTarget,
  definition: BulkWork,
  control: JobControl,
): Promise<JobResult> {
  const { work } = worker
  if ((await findPlanOfJob(work.read, job.id)) === undefined) {
    await orTimeout(
      work.transaction((transaction) => freezePlan(worker, transaction, job, target, definition, control)),
    )
  }
  control.signal.throwIfAborted()
  return work.transaction((transaction) => describePlan(worker, transaction, job, target, definition))
}

async function freezePlan(
  { config }: PlanWorker,
  { run }: Transaction,
  job: LeasedJob,
  target: JobTarget,
  { chunk = defaultChunk, maxRows = maxJobRows }: BulkWork,
  { signal, progress }: JobControl,
): Promise<void> {
  const { place, sealed, expected_count: expected } = planBody.parse(job.body)
  const plan = await planBulk(target, job.body, config.SERVICE_SECRET, job.requestedAt.getTime())
  const isVersioned = await hasVersions({ read: run }, target.view.table)
  const statement = createStatement()
  const keys = keysText(statement, target, plan, isVersioned)
  // All rows are fetched, not the tenth that Postgres expects of a cursor.
  await run('set local cursor_tuple_fraction = 1', [])
  await run(`declare planned_rows no scroll cursor for ${keys}`, statement.parameters)
  let count = 0
  for (let position = 0; ; position++) {
    signal.throwIfAborted()
    const rows = await run(`fetch ${chunk} from planned_rows`, [])
    if (rows.length === 0) break
    count += rows.length
    assertSelectionFits(count, maxRows)
    await insertChunk(run, job.id, position, {
      keys: rows.map(([key]) => String(key)),
      versions: isVersioned ? rows.map(([, version]) => String(version)) : [],
    })
    progress(count, Math.max(count, job.total ?? 0))
  }
  await run('close planned_rows', [])
  // Rows may have come and gone since the request.
  assertExpectedCount({ expectedCount: expected ?? undefined }, count)
  await assertSelectionUnmoved({ ...target, body: job.body, config }, run, job.requestedAt.getTime())
  const stored = await insertPlan(run, place, { request: { sealed }, rows: { keys: [], count } }, job.id)
  if (stored === undefined) throw new RequestError('too_many_plans', { limit: maxPlans })
  // Last, because it locks the job's row, which requests for its status and its cancellation need.
  if ((await saveProgress(run, job, 0)).isCancelled) throw new JobStopped('cancelled')
}

/** Describes the stored plan. Runs nothing but the preview, which is undone. */
async function describePlan(
  { config }: PlanWorker,
  transaction: Transaction,
  job: LeasedJob,
  target: JobTarget,
  definition: BulkWork,
): Promise<JobResult> {
  const { run } = transaction
  const plan = await findPlanOfJob(run, job.id)
  if (plan === undefined) throw new RequestError('plan_expired')
  const { place, sealed, row_actions: itemActions = target.context.itemActions } = planBody.parse(job.body)
  const text = openColumn(config.SERVICE_SECRET, planSeal(place), sealed)
  // The secret has changed since the request.
  if (text === undefined) throw new RequestError('plan_expired')
  const input = readInput(definition, JSON.parse(text))
  const preview = definition.preview === true ? tryBulk(transaction, target, definition, input) : undefined
  const shown = { ...target, context: { ...target.context, itemActions } }
  const sample = await tryAction(shown, transaction, await listFirstKeys(run, job.id), preview)
  const isPicked = countPickedRows(job.body) !== undefined
  const missing = isPicked ? missingIds(target.view, job.body, await listFrozenKeys(run, job.id)) : []
  const refused = missing.map((id) => [id, rowFailure('row_not_found')] as const)
  return {
    message: planned[job.language],
    rows: plan.count,
    plan: {
      id: job.id,
      rows: plan.count + missing.length,
      applicable: plan.count,
      refused: countRefusals(refused, job.language),
      ...shortenSample(sample, maxKeptSampleBytes),
      expires_at: plan.expiresAt,
    },
  }
}

const planned = { en: 'The plan is ready; nothing was changed', ar: 'الخطة جاهزة؛ لم يُعدَّل شيء' } as const
