import { lockRows } from '../actions/action-rows.ts'
import { runAfterCommit } from '../actions/after-commit.ts'
import { assertExpectedCount, assertSelectionFits } from '../actions/assert-count.ts'
import { assertSelectionUnmoved } from '../actions/assert-selection.ts'
import { assertRunDone, concludeRun, listFailures, runOutcome } from '../actions/bulk-outcome.ts'
import { missingIds, planBulk } from '../actions/bulk-selection.ts'
import { readInput } from '../actions/form-input.ts'
import { type BulkWork, type ChunkOutcome, defaultChunk, runChunk } from '../actions/run-chunk.ts'
import { RequestError } from '../errors/request-error.ts'
import { type Bilingual, translate } from '../i18n/language.ts'
import { actionLabel } from '../jobs/job.ts'
import { copyChunks, type FrozenRows, freezePlanned, freezeRows, listFrozenKeys } from '../jobs/job-chunks.ts'
import { readCount } from '../query/page.ts'
import type { PlannedRows } from '../storage/plans.ts'
import { type FileLink, type PendingFile, tryUpload } from '../storage/store-file.ts'
import { formKeys } from '../table/action-entry.ts'
import { maxInstantRows, maxJobRows } from '../table/compile-actions.ts'
import { readConditions } from './action-conditions.ts'
import { type ActionTransaction, inActionTransaction, runAndNotify, withFirstResponse } from './action-transaction.ts'
import { createPendingReport } from './build-report-file.ts'
import { type BulkRun, readSelected, type WorkAction } from './bulk-work.ts'
import { findEffects } from './find-effects.ts'
import { findOutdated } from './open-plan.ts'
import { planBulkWork } from './plan-bulk-work.ts'
import { downloadData, isReply, type Reply } from './reply.ts'
import { startJob } from './start-job.ts'
import type { Payload, TableRequest } from './table-request.ts'

const started: Bilingual = { en: 'The action has started', ar: 'بدأ تنفيذ الإجراء' }

/** Runs a bulk action's own code on the rows that a request selects: now, or as a job. */
export async function runBulkWork(sent: TableRequest, action: WorkAction): Promise<Payload | Reply> {
  const found = await withFirstResponse(sent, action.key, 'bulk', () => findEffects(sent, action.definition))
  if (isReply(found)) return found
  const { asked: effective, readEffects } = found
  const { body, config } = effective
  const selecting = { ...effective, body: selectionBody(body, action.definition) }
  const plan = await planBulk(selecting, selecting.body, config.SERVICE_SECRET)
  const asked: BulkRun = {
    selecting,
    plan,
    conditions: readConditions(body),
    input: readInput(action.definition, body),
    readEffects,
  }
  const { response = 'instant' } = action.definition
  const request = { ...effective, warnings: plan.warnings }
  if (request.plan?.rows.count !== undefined) return startPlannedJob(request, action, request.plan.rows.count)
  if (asked.conditions.dryRun) return dryRun(request, asked)
  if (request.isPlanning === true) return planBulkWork(request, action, asked)
  if (response === 'instant') return instantWork(request, action, asked)
  if (response !== 'notification') return startWorkJob(request, action, asked, response)
  // A plan has no more rows.
  const waits =
    request.plan === undefined &&
    (await readCount(request.database.read, request, plan, maxInstantRows)) > maxInstantRows
  return waits ? startWorkJob(request, action, asked, response) : runWithNotification(request, action, asked)
}

/** Leaves out the keys that are fields of the action's form. */
function selectionBody(body: TableRequest['body'], definition: BulkWork): TableRequest['body'] {
  const fields = formKeys(definition)
  return fields.length === 0 ? body : Object.fromEntries(Object.entries(body).filter(([key]) => !fields.includes(key)))
}

async function dryRun(request: TableRequest, { selecting, plan, conditions }: BulkRun): Promise<Payload> {
  await assertSelectionUnmoved(selecting, request.database.read)
  const selected = await readCount(request.database.read, request, plan)
  assertExpectedCount(conditions, selected)
  return { dry_run: true, counts: { selected }, ...(plan.warnings.length > 0 && { warnings: plan.warnings }) }
}

/** Freezes the keys, then works on them in chunks, in the transaction that the response and the audit belong to. */
async function workNow(
  request: TableRequest,
  { key: action, definition }: WorkAction,
  { selecting, plan, conditions, input, readEffects }: BulkRun,
  { transaction, audit, onCommit }: ActionTransaction,
) {
  const { chunk = defaultChunk, maxRows = maxInstantRows } = definition
  const { keys: selected } = request.plan?.rows ?? (await readSelected(request, transaction, plan, maxRows, false))
  assertExpectedCount(conditions, selected.length)
  if (selected.length > chunk || request.plan !== undefined) await lockRows(transaction, request, selected)
  const outdated = await findOutdated(request, transaction, definition.atomic === true)
  const keys = selected.filter((key) => !outdated.has(key))
  await assertSelectionUnmoved(selecting, transaction.run)
  const chunks: ChunkOutcome[] = []
  for (let start = 0; start < keys.length; start += chunk) {
    chunks.push(await runChunk(transaction, request, definition, keys.slice(start, start + chunk), input))
  }
  const ran = runOutcome([...chunks, { succeeded: 0, failed: [...outdated], data: undefined }])
  assertRunDone(definition, ran)
  await audit(ran.outcome.succeeded)
  const failed = new Set(ran.failed.map(([key]) => key))
  const changed = keys.filter((key) => !failed.has(key))
  onCommit(() => runAfterCommit(definition, request, action, changed, input))
  // Rows of a plan that are gone are among the failed ones.
  const missing = request.plan === undefined ? missingIds(request.view, request.body, keys) : []
  const effects = await readEffects(transaction.run, changed)
  return { ran, missing, effects, conclusion: await concludeRun(definition, ran, request.context) }
}

type WorkOutcome = Awaited<ReturnType<typeof workNow>>

/** Returns the keys of a response that describe the rows of a run. */
const createRowsPayload = ({ view }: TableRequest, { ran, missing, effects }: WorkOutcome): Payload => {
  const { selected, succeeded, failed } = ran.outcome
  const results = failed > 0 && { results: listFailures(view, ran) }
  return { counts: { selected, succeeded, failed }, ...results, ...notFound(missing), ...effects }
}

/** Rows that were selected and do not exist are not part of the run, so the response lists them beside its counts. */
const notFound = (missing: readonly (string | number)[]): Payload => (missing.length > 0 ? { not_found: missing } : {})

function instantWork(request: TableRequest, action: WorkAction, asked: BulkRun): Promise<Payload | Reply> {
  const { key, definition } = action
  return withFile(request, (linkTo) =>
    inActionTransaction(request, key, 'bulk', async (running) => {
      const done = await workNow(request, action, asked, running)
      const { message, data } = done.conclusion
      const link = await linkTo(done, running)
      return {
        onSuccess: definition.onSuccess ?? 'no_action',
        message: translate(message, request.language),
        ...createRowsPayload(request, done),
        ...((data !== undefined || link !== undefined) && { data: downloadData({ ...data, ...link }) }),
        ...(link !== undefined && { type: 'stream', file_name: link.filename }),
      }
    }),
  )
}

function runWithNotification(request: TableRequest, action: WorkAction, asked: BulkRun): Promise<Payload | Reply> {
  return withFile(request, (linkTo) =>
    runAndNotify(request, action.key, 'bulk', async (running) => {
      const done = await workNow(request, action, asked, running)
      const { title, message, level, data } = done.conclusion
      const link = await linkTo(done, running)
      const notification = {
        title: title ?? actionLabel(action),
        body: message,
        level: level ?? 'success',
        data: { ...data, ...link },
      }
      return {
        notification,
        payload: { onSuccess: action.definition.onSuccess ?? 'no_action', ...createRowsPayload(request, done) },
      }
    }),
  )
}

type LinkTo = (done: WorkOutcome, running: ActionTransaction) => Promise<FileLink | undefined>

/**
 * Uploads the file that an action made only after its transaction, so that a storage that hangs keeps no row locked.
 */
async function withFile<T>(request: TableRequest, run: (linkTo: LinkTo) => Promise<T>): Promise<T> {
  let pending: PendingFile | undefined
  const outcome = await run(async ({ conclusion: { file } }, running) => {
    pending = file && (await createPendingReport(request, file, running))
    return pending?.link
  })
  if (pending !== undefined) await tryUpload(request, pending)
  return outcome
}

/** Stores the keys of the rows with the job, which then works on exactly these. */
function startWorkJob(
  request: TableRequest,
  { key, definition }: WorkAction,
  { selecting, plan, conditions }: BulkRun,
  response: 'email' | 'notification' | 'websocket',
): Promise<Payload | Reply> {
  const { chunk = defaultChunk, maxRows = maxJobRows } = definition
  return startJob(request, {
    action: key,
    kind: 'bulk',
    response,
    message: started,
    ...readFormKeys(definition),
    prepare: async (run, jobId) => {
      const outdated = await findOutdated(request, { run }, definition.atomic === true)
      if (request.plan !== undefined) {
        const rows = await freezePlanned(run, jobId, omitRows(request.plan.rows, outdated), chunk)
        if (rows === 0 && outdated.size > 0) throw new RequestError('plan_outdated')
        return { rows, payload: refusedRows(request, outdated) }
      }
      const rows = await freezeRows(run, jobId, request, plan, { chunk, maxRows })
      assertSelectionFits(rows, maxRows)
      assertExpectedCount(conditions, rows)
      await assertSelectionUnmoved(selecting, run)
      return { rows, payload: notFound(missingIds(request.view, request.body, await listFrozenKeys(run, jobId))) }
    },
  })
}

/**
 * Runs an action on the rows of a plan that a job has made. Each chunk is compared with the plan when it is worked on.
 */
function startPlannedJob(
  request: TableRequest,
  { key, definition }: WorkAction,
  count: number,
): Promise<Payload | Reply> {
  const { response = 'websocket' } = definition
  return startJob(request, {
    action: key,
    kind: 'bulk',
    // An instant action has had another response when it was planned.
    response: response === 'instant' ? 'websocket' : response,
    message: started,
    ...readFormKeys(definition),
    prepare: async (run, jobId) => {
      await copyChunks(run, request.plan?.id ?? '', jobId, count)
      return { rows: count, payload: {} }
    },
  })
}

/** Leaves rows of a plan out. */
function omitRows({ keys, versions }: PlannedRows, left: Pick<ReadonlySet<string>, 'has'>): FrozenRows {
  const remains = (_: string, index: number) => !left.has(keys[index] ?? '')
  return { keys: keys.filter(remains), ...(versions && { versions: versions.filter(remains) }) }
}

/** The rows of a plan that its job leaves alone. */
const refusedRows = ({ view }: TableRequest, outdated: Awaited<ReturnType<typeof findOutdated>>): Payload =>
  outdated.size === 0 ? {} : { results: listFailures(view, { failed: [...outdated] }) }

/** A form that is no object may read any key of the body. */
const readFormKeys = (definition: BulkWork) => {
  const keys = formKeys(definition)
  return definition.form !== undefined && keys.length === 0 ? {} : { formKeys: keys }
}
