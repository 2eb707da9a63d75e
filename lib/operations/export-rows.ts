import { assertExpectedCount } from '../actions/assert-count.ts'
import { assertSelectionUnmoved } from '../actions/assert-selection.ts'
import { planBulk, readColumns } from '../actions/bulk-selection.ts'
import { readCsvFormat, readRoundTrip } from '../actions/create-report-plan.ts'
import { RequestError } from '../errors/request-error.ts'
import { countNoun, nouns } from '../i18n/count-noun.ts'
import { keepNumbers } from '../i18n/keep-numbers.ts'
import { type Bilingual, translate } from '../i18n/language.ts'
import { readCount } from '../query/page.ts'
import type { Plan } from '../query/plan.ts'
import { reportMediaType } from '../reports/report-file.ts'
import { maxInstantRows } from '../table/compile-actions.ts'
import type { BulkAction } from '../table/compiled-table.ts'
import { offeredBulkActions } from '../table/view.ts'
import { type ActionConditions, readConditions } from './action-conditions.ts'
import {
  buildOnce,
  findFirstResponse,
  inActionTransaction,
  runAndNotify,
  withFirstResponse,
} from './action-transaction.ts'
import {
  buildReportFile,
  createFileReply,
  maxFileBytes,
  type ReportContent,
  withStoredFile,
} from './build-report-file.ts'
import { chargeAllowance, createCharges } from './charge-allowance.ts'
import { prefersType } from './preferred-type.ts'
import { downloadData, type Reply } from './reply.ts'
import { startJob } from './start-job.ts'
import type { Payload, TableRequest } from './table-request.ts'

/** A bulk action that writes rows to a file. */
export type ExportAction = Pick<BulkAction, 'key'> & {
  readonly definition: Extract<BulkAction['definition'], { readonly export: string }>
}

const mailed: Bilingual = { en: 'The report will be sent by e-mail', ar: 'سيُرسل التقرير بالبريد الإلكتروني' }
const started: Bilingual = { en: 'The report is being prepared', ar: 'يجري إعداد التقرير' }

/** Exports the rows that a request selects, in the way that its action declares. Nothing is built for a dry run. */
export async function exportRows(sent: TableRequest, action: ExportAction): Promise<Payload | Reply> {
  const { view, body, context } = sent
  const plan = await planBulk(sent, body, sent.config.SERVICE_SECRET)
  readColumns(view, body)
  readCsvFormat(body, context.language)
  readRoundTrip(sent, action.definition.export, body)
  const conditions = readConditions(body)
  const { response = 'instant' } = action.definition
  const request = { ...sent, warnings: plan.warnings }
  // Before rows are counted: a repeated request gets its first response even if more rows are selected now.
  const known = await findFirstResponse(request, action.key, 'export')
  if (known !== undefined) return known
  const run = async (asked: TableRequest) => {
    await assertSelectionUnmoved(asked, asked.database.read)
    if (response === 'instant') return instantExport(asked, action, plan, conditions)
    await assertCount(asked, plan, conditions)
    if (conditions.dryRun) return dryRun(await readCount(asked.database.read, asked, plan), plan)
    if (response === 'notification') return exportWithNotification(asked, action, plan)
    return startExportJob(asked, action, response)
  }
  const isBuilt = !conditions.dryRun && (response === 'instant' || response === 'notification')
  return withFirstResponse(request, action.key, 'export', () =>
    isBuilt ? buildOnce(request, action.key, 'export', run) : run(request),
  )
}

/** Charges an export before its file is built. That of a job is charged in the job's transaction. */
async function chargeExport(request: TableRequest): Promise<void> {
  for (const charge of createCharges(request, 'exports', 1)) await chargeAllowance(request.database.attempt, charge)
}

const dryRun = (selected: number, { warnings }: Plan): Payload => ({
  dry_run: true,
  counts: { selected },
  ...(warnings.length > 0 && { warnings }),
})

/** Counts only for a client that expects a number. */
async function assertCount(request: TableRequest, plan: Plan, conditions: ActionConditions): Promise<void> {
  if (conditions.expectedCount !== undefined)
    assertExpectedCount(conditions, await readCount(request.database.read, request, plan))
}

async function instantExport(
  request: TableRequest,
  { key, definition }: ExportAction,
  plan: Plan,
  conditions: ActionConditions,
): Promise<Payload | Reply> {
  const rows = await readCount(request.database.read, request, plan, maxInstantRows)
  if (rows > maxInstantRows) throw tooLarge(request, await readCount(request.database.read, request, plan))
  assertExpectedCount(conditions, rows)
  if (conditions.dryRun) return dryRun(rows, plan)
  await chargeExport(request)
  const file = await buildReportFile(request, plan, definition.export)
  const wantsFile = definition.deliver === 'file' || acceptsFile(request, definition)
  if (!wantsFile || file.content.length > maxFileBytes) return exportToLink(request, key, file)
  return inActionTransaction(request, key, 'export', async ({ audit }) => {
    await audit(file.rows)
    return createFileReply(file)
  })
}

/** Returns whether the client asks for the file's own media type: only then it gets the file in place of JSON. */
const acceptsFile = ({ headers }: TableRequest, { export: format }: ExportAction['definition']): boolean => {
  const [mediaType = ''] = reportMediaType[format].split(';')
  return prefersType(headers['accept'], mediaType)
}

const exportToLink = (request: TableRequest, action: string, file: ReportContent): Promise<Payload | Reply> =>
  withStoredFile(request, file, (linkTo) =>
    inActionTransaction(request, action, 'export', async (running) => {
      const link = await linkTo(running)
      await running.audit(file.rows)
      return {
        type: 'stream',
        onSuccess: 'downloadData',
        file_name: link.filename,
        data: downloadData(link),
        rows: file.rows,
      }
    }),
  )

/** Names the action of the table that exports more rows, if there is one. */
function tooLarge({ view, context: { hasMail } }: TableRequest, count: number): RequestError {
  const exports = offeredBulkActions(view, hasMail).filter(({ definition }) => definition.export !== undefined)
  const larger = ['email', 'notification', 'websocket'].map((response) =>
    exports.find(({ definition }) => definition.response === response),
  )
  const action = larger.find((found) => found !== undefined)
  const label = action?.definition.label ?? action?.key
  const none = hasMail
    ? { en: 'a report by e-mail', ar: 'تقريرًا بالبريد الإلكتروني' }
    : { en: 'several smaller exports', ar: 'عدة عمليات تصدير أصغر' }
  const alternative =
    label === undefined ? none : { en: `"${translate(label, 'en')}"`, ar: `«${translate(label, 'ar')}»` }
  const limit = countNoun(maxInstantRows, nouns.row, { genitive: true })
  return new RequestError('export_too_large', { limit, count, alternative })
}

/** Builds a small file at once. A large one becomes a job, and a second notification has its link. */
async function exportWithNotification(
  request: TableRequest,
  action: ExportAction,
  plan: Plan,
): Promise<Payload | Reply> {
  const { key, definition } = action
  if ((await readCount(request.database.read, request, plan, maxInstantRows)) > maxInstantRows)
    return startExportJob(request, action, 'notification')
  await chargeExport(request)
  const file = await buildReportFile(request, plan, definition.export)
  const count = countNoun(file.rows, nouns.row)
  return withStoredFile(request, file, (linkTo) =>
    runAndNotify(request, key, 'export', async (running) => {
      const link = await linkTo(running)
      await running.audit(file.rows)
      return {
        notification: {
          title: { en: 'The report is ready', ar: 'التقرير جاهز' },
          body: { en: `${link.filename}: ${count.en}`, ar: `${count.ar} في الملف ${keepNumbers(link.filename)}` },
          level: 'success',
          data: { ...link, rows: file.rows },
        },
      }
    }),
  )
}

async function startExportJob(
  request: TableRequest,
  { key }: ExportAction,
  response: 'email' | 'notification' | 'websocket',
): Promise<Payload | Reply> {
  const message = response === 'email' ? mailed : started
  return startJob(request, { action: key, kind: 'report', response, message, formKeys: [] })
}
