import { lockRows } from '../actions/action-rows.ts'
import { runAfterCommit } from '../actions/after-commit.ts'
import { assertRunDone, concludeRun, listFailures, type RunOutcome } from '../actions/bulk-outcome.ts'
import { findOutdatedRows } from '../actions/find-outdated-rows.ts'
import { readInput } from '../actions/form-input.ts'
import { countRefusals, type RefusalGroup, sumRefusals } from '../actions/plan-refusals.ts'
import type { RowFailure } from '../actions/row-outcome.ts'
import { type BulkWork, runChunk } from '../actions/run-chunk.ts'
import type { Run, Transaction } from '../db/transaction.ts'
import { RequestError } from '../errors/request-error.ts'
import { toRowId } from '../rows/row-id.ts'
import {
  type JobControl,
  type JobOutcome,
  JobStopped,
  type JobTarget,
  type JobWorker,
  type LeasedJob,
  untilAbandoned,
} from './job.ts'
import { completeChunk, type FrozenRows, findNextChunk, listChunkOutcomes } from './job-chunks.ts'
import { isCancelRequested, saveProgress } from './job-store.ts'
import { wakeWatchers } from './queue.ts'

/**
 * Runs a bulk action on the frozen rows that are left. A chunk's changes and its completion are one transaction, which
 * commits only under the lease: a worker that is killed skips and repeats no chunk.
 */
export async function runBulk(
  { work, config }: Pick<JobWorker, 'work' | 'config'>,
  job: LeasedJob,
  target: JobTarget,
  definition: BulkWork,
  control: JobControl,
): Promise<JobOutcome> {
  const input = readInput(definition, job.body)
  const runNext: RunNext = (transaction, after) => runNextChunk(transaction, job, target, definition, input, after)
  const afterCommit = (keys: readonly string[]) => runAfterCommit(definition, target, job.action, keys, input)
  if (definition.atomic === true) await runAtomic()
  else await untilAbandoned(control, runChunkByChunk({ work, config }, job, runNext, control, afterCommit))
  const ran = await work.transaction(({ run }) => readOutcome(run, job))
  assertRunDone(definition, ran)
  // All rows are done, so that another attempt would only hang again.
  return orTimeout(untilAbandoned(control, toJobOutcome(definition, ran, target)))

  async function runAtomic(): Promise<void> {
    const running = runInOneTransaction({ work, config }, job, definition, runNext, control)
    const changed = await orTimeout(untilAbandoned(control, running))
    // The rows are committed by now, so a job that is stopped here is not one that ran out of time.
    await untilAbandoned(control, afterCommit(changed))
  }
}

/** A chunk that was run: its place, its number of rows, and the keys of those that it has changed. */
interface RanChunk {
  readonly position: number
  readonly rows: number
  readonly changed: readonly string[]
}

/** Runs the next chunk after a position; resolves with `undefined` if none is left. */
type RunNext = (transaction: Transaction, after: number) => Promise<RanChunk | undefined>

/** The position after which the first chunk is. */
const beforeFirst = -1

type AfterCommit = (keys: readonly string[]) => Promise<void>

async function runChunkByChunk(
  { work, config }: Pick<JobWorker, 'work' | 'config'>,
  job: LeasedJob,
  runNext: RunNext,
  control: JobControl,
  afterCommit: AfterCommit,
): Promise<void> {
  let { done } = job
  let position = beforeFirst
  for (;;) {
    control.signal.throwIfAborted()
    const chunk = await work.transaction(async (transaction) => {
      const ran = await runNext(transaction, position)
      return ran && { ...ran, ...(await saveProgress(transaction.run, job, ran.rows)) }
    })
    if (chunk === undefined) return
    if (chunk.isWatched) await wakeWatchers(config, job.tableName)
    await afterCommit(chunk.changed)
    position = chunk.position
    done += chunk.rows
    control.progress(done, job.total)
    if (chunk.isCancelled) throw new JobStopped('cancelled')
  }
}

async function runInOneTransaction(
  { work, config }: Pick<JobWorker, 'work' | 'config'>,
  job: LeasedJob,
  definition: BulkWork,
  runNext: RunNext,
  control: JobControl,
): Promise<readonly string[]> {
  let changed: readonly string[] = []
  let isWatched = false
  await work.transaction(async (transaction) => {
    let done = 0
    let position = beforeFirst
    changed = []
    for (;;) {
      control.signal.throwIfAborted()
      const ran = await runNext(transaction, position)
      control.abandoned.throwIfAborted()
      if (ran === undefined) break
      position = ran.position
      done += ran.rows
      changed = [...changed, ...ran.changed]
      control.progress(done, job.total)
      if (await isCancelRequested(transaction.run, job.id)) throw new JobStopped('cancelled')
    }
    assertRunDone(definition, await readOutcome(transaction.run, job))
    // Last, because it locks the job's row, which requests for its status and its cancellation need.
    if (done === 0) return
    const saved = await saveProgress(transaction.run, job, 0)
    if (saved.isCancelled) throw new JobStopped('cancelled')
    isWatched = saved.isWatched
  })
  if (isWatched) await wakeWatchers(config, job.tableName)
  return changed
}

/** Rejects with `timed_out` if work runs out of time that another attempt would begin anew, with no more time. */
export const orTimeout = <T>(work: Promise<T>): Promise<T> =>
  work.catch((cause: unknown) => {
    const isLate = cause instanceof JobStopped && cause.reason === 'deadline'
    throw isLate ? new RequestError('timed_out', {}, { cause }) : cause
  })

/** The number of row failures that are stored of each chunk and of the whole run; their count is always complete. */
const maxFailures = 100

interface StoredChunk {
  readonly succeeded: number
  readonly failed: number
  readonly failures: readonly (readonly [key: string, failure: RowFailure])[]
  readonly data?: unknown
  /** The failed rows of a plan by their reason. */
  readonly refused?: readonly RefusalGroup[]
}

async function runNextChunk(
  transaction: Transaction,
  job: LeasedJob,
  target: JobTarget,
  definition: BulkWork,
  input: unknown,
  after: number,
): ReturnType<RunNext> {
  const chunk = await findNextChunk(transaction.run, job.id, after)
  if (chunk === undefined) return undefined
  const outdated = await findOutdatedOfChunk(transaction, target, chunk)
  const left = chunk.keys.filter((key) => !outdated.has(key))
  const { succeeded, failed: refusedRows, data } = await runChunk(transaction, target, definition, left, input)
  const failed = [...outdated, ...refusedRows]
  const outcome: StoredChunk = {
    succeeded,
    failed: failed.length,
    data,
    ...(chunk.versions === undefined
      ? { failures: failed.slice(0, maxFailures) }
      : describeFailures(failed, job, target)),
  }
  await completeChunk(transaction.run, job.id, chunk.position, outcome)
  const refused = new Set(failed.map(([key]) => key))
  const changed = chunk.keys.filter((key) => !refused.has(key))
  return { position: chunk.position, rows: chunk.keys.length, changed }
}

/** The outcome of a run, with the failed rows of a plan by their reason. */
interface PlannedOutcome extends RunOutcome {
  readonly refused: readonly RefusalGroup[]
}

/** Finds the rows of a planned chunk that are not as they were planned, after all of them are locked. */
async function findOutdatedOfChunk(
  transaction: Transaction,
  target: JobTarget,
  { keys, versions }: FrozenRows,
): Promise<ReadonlyMap<string, RowFailure>> {
  // Without versions, the run itself finds the rows that are gone.
  if (versions === undefined || versions.length === 0) return new Map()
  await lockRows(transaction, target, keys)
  return findOutdatedRows(target, transaction, { keys, versions })
}

/** The most failures of a chunk that a job of any number of chunks keeps. */
const maxPlannedFailures = 5

function describeFailures(failed: RunOutcome['failed'], { language }: LeasedJob, { view }: JobTarget) {
  const rows = failed.map(([key, failure]) => [toRowId(view.table.key, key), failure] as const)
  return { failures: failed.slice(0, maxPlannedFailures), refused: sumRefusals(countRefusals(rows, language)) }
}

/** Sums up the outcomes of the chunks that are done. */
async function readOutcome(run: Run, { id }: LeasedJob): Promise<PlannedOutcome> {
  const chunks = (await listChunkOutcomes(run, id)) as readonly StoredChunk[]
  const succeeded = chunks.reduce((sum, chunk) => sum + chunk.succeeded, 0)
  const failed = chunks.reduce((sum, chunk) => sum + chunk.failed, 0)
  const data = chunks.map((chunk) => chunk.data).filter((value) => value !== undefined && value !== null)
  return {
    outcome: { selected: succeeded + failed, succeeded, failed, data },
    failed: chunks.flatMap(({ failures }) => failures).slice(0, maxFailures),
    refused: sumRefusals(chunks.flatMap(({ refused = [] }) => refused)),
  }
}

async function toJobOutcome(
  definition: BulkWork,
  ran: PlannedOutcome,
  { context, view }: JobTarget,
): Promise<JobOutcome> {
  const { file, level, ...texts } = await concludeRun(definition, ran, context)
  const { selected, succeeded, failed } = ran.outcome
  return {
    ...texts,
    level: level ?? (failed > 0 ? 'warning' : 'success'),
    rows: succeeded,
    counts: { selected, succeeded, failed },
    ...(ran.failed.length > 0 && { results: listFailures(view, ran) }),
    ...(ran.refused.length > 0 && { refused: ran.refused }),
    ...(file !== undefined && { file: { ...file, bytes: file.content.byteLength } }),
  }
}
