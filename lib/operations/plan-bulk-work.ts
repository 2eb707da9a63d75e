import { assertExpectedCount, assertSelectionFits } from '../actions/assert-count.ts'
import { assertSelectionUnmoved } from '../actions/assert-selection.ts'
import { missingIds } from '../actions/bulk-selection.ts'
import { rowFailure } from '../actions/row-outcome.ts'
import { tryBulk } from '../actions/try-action.ts'
import { RequestError } from '../errors/request-error.ts'
import { countNoun, nouns } from '../i18n/count-noun.ts'
import type { Bilingual } from '../i18n/language.ts'
import { saveTotal } from '../jobs/job-chunks.ts'
import { readRecipients } from '../mail/recipients.ts'
import { readCount } from '../query/page.ts'
import { hasVersions } from '../rows/row-version.ts'
import { formKeys, hasOpenForm } from '../table/action-entry.ts'
import { maxInstantRows, maxJobRows } from '../table/compile-actions.ts'
import { inActionTransaction } from './action-transaction.ts'
import { type BulkRun, readSelected, type WorkAction } from './bulk-work.ts'
import { createPlan, type PlannedForm, sealBody } from './create-plan.ts'
import { rowActionsKey } from './item-context.ts'
import { planPlace } from './open-plan.ts'
import type { Reply } from './reply.ts'
import { startJob } from './start-job.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'

/** Plans a bulk action on the selected rows: up to 3,000 of them now, more as a job if the action works as one. */
export async function planBulkWork(
  request: TableRequest,
  action: WorkAction,
  asked: BulkRun,
): Promise<Payload | Reply> {
  const { response = 'instant', maxRows = maxJobRows } = action.definition
  if (response === 'email') readRecipients(ownValue(request.body, 'emails'), request.identity, request.config)
  const mayWait = response !== 'instant' && maxRows > maxInstantRows
  const waits =
    mayWait && (await readCount(request.database.read, request, asked.plan, maxInstantRows)) > maxInstantRows
  return waits ? startPlanJob(request, action, asked, maxRows) : planNow(request, action, asked)
}

const planNow = (
  request: TableRequest,
  action: WorkAction,
  { selecting, plan, conditions, input }: BulkRun,
): Promise<Payload | Reply> =>
  inActionTransaction(request, action.key, 'bulk', async ({ transaction }) => {
    const { definition } = action
    const maxRows = Math.min(definition.maxRows ?? maxInstantRows, maxInstantRows)
    const isVersioned = await hasVersions({ read: transaction.run }, request.table)
    const rows = await readSelected(request, transaction, plan, maxRows, isVersioned)
    assertExpectedCount(conditions, rows.keys.length)
    await assertSelectionUnmoved(selecting, transaction.run)
    const missing = missingIds(request.view, selecting.body, rows.keys)
    return createPlan(request, transaction, {
      ...plannedForm(action),
      rows,
      refused: missing.map((id) => [id, rowFailure('row_not_found')]),
      preview: definition.preview === true ? tryBulk(transaction, request, definition, input) : undefined,
    })
  })

const plannedForm = ({ key, definition }: WorkAction): PlannedForm => ({
  key,
  kind: 'bulk',
  formKeys: formKeys(definition),
  isOpen: hasOpenForm(definition),
})

const planning: Bilingual = { en: 'The plan is being made', ar: 'يجري إعداد الخطة' }

/** All of its rows would be locked until the last one is done. */
function atomicLimit(): Bilingual {
  const { en, ar } = countNoun(maxInstantRows, nouns.row, { genitive: true })
  return {
    en: `An action that is all or nothing can be planned for up to ${en}; select fewer rows`,
    ar: `الإجراء الذي ينفَّذ كله أو لا ينفَّذ منه شيء يُخطَّط له على ${ar} كحد أقصى؛ حدّد صفوفًا أقل`,
  }
}

/** The keys of a body of a job that plans. */
const planBodyKeys = ['place', 'sealed', rowActionsKey] as const

/** Starts the job that freezes the rows. Its body has the selection, and the form only sealed. */
async function startPlanJob(
  request: TableRequest,
  action: WorkAction,
  { selecting, plan, conditions }: BulkRun,
  maxRows: number,
): Promise<Payload | Reply> {
  if (action.definition.atomic === true) throw new RequestError('selection_too_large', {}, { text: atomicLimit() })
  const form = plannedForm(action)
  const { place: _, sealed: __, [rowActionsKey]: ___, ...selection } = selecting.body
  const shape = request.context.itemActions === 'keys' && { [rowActionsKey]: 'keys' }
  const body = { ...selection, ...shape, place: planPlace(request, form), sealed: sealBody(request, form) }
  return startJob(
    { ...request, body, sentBody: request.sentBody ?? request.body },
    {
      action: action.key,
      kind: 'plan',
      response: 'websocket',
      message: planning,
      formKeys: planBodyKeys,
      prepare: async (run, jobId) => {
        const rows = await readCount(run, request, plan, maxRows)
        assertSelectionFits(rows, maxRows)
        assertExpectedCount(conditions, rows)
        await assertSelectionUnmoved(selecting, run)
        await saveTotal(run, jobId, rows)
        return { rows, payload: {} }
      },
    },
  )
}
