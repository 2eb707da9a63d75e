import { lockRows } from '../actions/action-rows.ts'
import { assertRunDone, concludeRun, listFailures, runOutcome } from '../actions/bulk-outcome.ts'
import { missingIds, planBulk } from '../actions/bulk-selection.ts'
import { readInput } from '../actions/form-input.ts'
import { type BulkWork, type ChunkOutcome, defaultChunk, runChunk } from '../actions/run-chunk.ts'
import { RequestError } from '../errors/request-error.ts'
import { countNoun, nouns } from '../i18n/count-noun.ts'
import { type Bilingual, translate } from '../i18n/language.ts'
import { freezeRows, listFrozenKeys } from '../jobs/job-chunks.ts'
import { keysStatement } from '../query/keys-statement.ts'
import type { Plan } from '../query/plan.ts'
import type { FileLink } from '../storage/store-file.ts'
import { type PendingFile, tryUpload } from '../storage/store-file.ts'
import { formKeys } from '../table/action-entry.ts'
import { labelFromKey } from '../table/action-key.ts'
import { maxInstantRows } from '../table/compile-actions.ts'
import { type ActionConditions, assertExpectedCount, readConditions } from './action-conditions.ts'
import { type ActionTransaction, inActionTransaction, runAndNotify } from './action-transaction.ts'
import { assertSelectionUnmoved } from './assert-selection.ts'
import { createPendingReport } from './build-report-file.ts'
import { countRows } from './count-rows.ts'
import type { Reply } from './reply.ts'
import { downloadData } from './reply.ts'
import { startJob } from './start-job.ts'
import type { Payload, TableRequest } from './table-request.ts'

/** The most rows of a job unless an action says otherwise. */
const maxJobRows = 100_000

/** A bulk action with code of its own, under its key. */
export interface WorkAction {
  readonly key: string
  readonly definition: BulkWork
}

/** The rows, conditions and form fields of a run. */
interface Asked {
  /** The request without the fields of the action's form. */
  readonly selecting: TableRequest
  readonly plan: Plan
  readonly conditions: ActionConditions
  readonly input: unknown
}

const started: Bilingual = { en: 'The action has started', ar: 'بدأ تنفيذ الإجراء' }

/** Runs a bulk action's own code on the rows that a request selects: now, or as a job. */
export async function runBulkWork(request: TableRequest, action: WorkAction): Promise<Payload | Reply> {
  const { body, config } = request
  const selecting = { ...request, body: selectionBody(body, action.definition) }
  const plan = await planBulk(selecting, selecting.body, config.SERVICE_SECRET)
  const asked: Asked = { selecting, plan, conditions: readConditions(body), input: readInput(action.definition, body) }
  const { response = 'instant' } = action.definition
  if (asked.conditions.dryRun) return dryRun(request, asked)
  if (response === 'instant') return instantWork(request, action, asked)
  if (response !== 'notification') return startWorkJob(request, action, asked, response)
  const waits = (await countRows(request, plan, maxInstantRows)) > maxInstantRows
  return waits ? startWorkJob(request, action, asked, response) : runWithNotification(request, action, asked)
}

/** Leaves out the keys that are fields of the action's form. */
function selectionBody(body: TableRequest['body'], definition: BulkWork): TableRequest['body'] {
  const fields = formKeys(definition)
  return fields.length === 0 ? body : Object.fromEntries(Object.entries(body).filter(([key]) => !fields.includes(key)))
}

async function dryRun(request: TableRequest, { selecting, plan, conditions }: Asked): Promise<Payload> {
  await assertSelectionUnmoved(selecting, request.database.read)
  const selected = await countRows(request, plan)
  assertExpectedCount(conditions, selected)
  return { dry_run: true, counts: { selected } }
}

/** Freezes the keys, then works on them in chunks, in the transaction that the answer and the audit belong to. */
async function workNow(
  request: TableRequest,
  { definition }: WorkAction,
  { selecting, plan, conditions, input }: Asked,
  { transaction, audit }: ActionTransaction,
) {
  const { chunk = defaultChunk, maxRows = maxInstantRows } = definition
  const { text, parameters } = keysStatement(request, plan, maxRows + 1)
  const keys = (await transaction.run(text, parameters)).map(([key]) => String(key))
  if (keys.length > maxRows)
    throw new RequestError('selection_too_large', { limit: countNoun(maxRows, nouns.row, { genitive: true }) })
  assertExpectedCount(conditions, keys.length)
  if (keys.length > chunk) await lockRows(transaction, request, keys)
  await assertSelectionUnmoved(selecting, transaction.run)
  const chunks: ChunkOutcome[] = []
  for (let start = 0; start < keys.length; start += chunk) {
    chunks.push(await runChunk(transaction, request, definition, keys.slice(start, start + chunk), input))
  }
  const ran = runOutcome(chunks)
  assertRunDone(definition, ran)
  await audit(ran.outcome.succeeded)
  const missing = missingIds(request.view, request.body, keys)
  return { ran, missing, conclusion: await concludeRun(definition, ran, request.context) }
}

type Done = Awaited<ReturnType<typeof workNow>>

/** Returns the keys of a response that describe the rows of a run. */
const rowsAnswer = ({ view }: TableRequest, { ran, missing }: Done): Payload => {
  const { selected, succeeded, failed } = ran.outcome
  const results = failed > 0 && { results: listFailures(view, ran) }
  return { counts: { selected, succeeded, failed }, ...results, ...notFound(missing) }
}

/** Rows that were selected and do not exist are not part of the run, so the response lists them beside its counts. */
const notFound = (missing: readonly (string | number)[]): Payload => (missing.length > 0 ? { not_found: missing } : {})

function instantWork(request: TableRequest, action: WorkAction, asked: Asked): Promise<Payload | Reply> {
  const { key, definition } = action
  return withFile(request, (linkTo) =>
    inActionTransaction(request, key, 'bulk', async (running) => {
      const done = await workNow(request, action, asked, running)
      const { message, data } = done.conclusion
      const link = await linkTo(done, running)
      return {
        onSuccess: definition.onSuccess ?? 'no_action',
        message: translate(message, request.language),
        ...rowsAnswer(request, done),
        ...((data !== undefined || link !== undefined) && { data: downloadData({ ...data, ...link }) }),
        ...(link !== undefined && { type: 'stream', file_name: link.filename }),
      }
    }),
  )
}

function runWithNotification(request: TableRequest, action: WorkAction, asked: Asked): Promise<Payload | Reply> {
  return withFile(request, (linkTo) =>
    runAndNotify(request, action.key, 'bulk', async (running) => {
      const done = await workNow(request, action, asked, running)
      const { title, message, level, data } = done.conclusion
      const link = await linkTo(done, running)
      const notification = {
        title: title ?? bilingualLabel(action),
        body: message,
        level: level ?? 'success',
        data: { ...data, ...link },
      }
      return {
        notification,
        answer: { onSuccess: action.definition.onSuccess ?? 'no_action', ...rowsAnswer(request, done) },
      }
    }),
  )
}

type LinkTo = (done: Done, running: ActionTransaction) => Promise<FileLink | undefined>

/** Uploads the file that an action made only after its transaction, so that a storage that hangs keeps no row locked. */
async function withFile<T>(request: TableRequest, run: (linkTo: LinkTo) => Promise<T>): Promise<T> {
  let pending: PendingFile | undefined
  const outcome = await run(async ({ conclusion: { file } }, running) => {
    pending = file && (await createPendingReport(request, file, running))
    return pending?.link
  })
  if (pending !== undefined) await tryUpload(request, pending)
  return outcome
}

/** Freezes the rows with the job: whatever happens until it runs, it works on exactly these. */
function startWorkJob(
  request: TableRequest,
  { key, definition }: WorkAction,
  { selecting, plan, conditions }: Asked,
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
      const rows = await freezeRows(run, jobId, request, plan, { chunk, maxRows })
      if (rows > maxRows)
        throw new RequestError('selection_too_large', { limit: countNoun(maxRows, nouns.row, { genitive: true }) })
      assertExpectedCount(conditions, rows)
      await assertSelectionUnmoved(selecting, run)
      return { rows, payload: notFound(missingIds(request.view, request.body, await listFrozenKeys(run, jobId))) }
    },
  })
}

/** A form that is no object may read any key of the body. */
const readFormKeys = (definition: BulkWork) => {
  const keys = formKeys(definition)
  return definition.form !== undefined && keys.length === 0 ? {} : { formKeys: keys }
}

const bilingualLabel = ({ key, definition: { label = labelFromKey(key) } }: WorkAction): Bilingual => ({
  en: translate(label, 'en'),
  ar: translate(label, 'ar'),
})
