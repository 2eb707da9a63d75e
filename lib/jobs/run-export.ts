import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { planBulk } from '../actions/bulk-selection.ts'
import { createReportPlan } from '../actions/create-report-plan.ts'
import type { Database } from '../db/database.ts'
import { RequestError } from '../errors/request-error.ts'
import { groupDigits } from '../i18n/count-noun.ts'
import type { Bilingual } from '../i18n/language.ts'
import { readCount } from '../query/page.ts'
import type { Plan } from '../query/plan.ts'
import { reportFileName, reportMediaType } from '../reports/report-file.ts'
import type { ReportOptions, ReportPlan } from '../reports/report-plan.ts'
import { writeReport } from '../reports/write-report.ts'
import type { ExportFormat } from '../table/action-definition.ts'
import { count } from '../telemetry/invocation.ts'
import { type Job, type JobControl, type JobOutcome, JobStopped, type JobTarget, type JobWorker } from './job.ts'

/** Writes the rows of an export to a report file in this directory. */
export async function runExport(
  { config, database, work, invocation }: Pick<JobWorker, 'config' | 'database' | 'work' | 'invocation'>,
  job: Job,
  target: JobTarget,
  format: ExportFormat,
  directory: string,
  { signal, progress }: JobControl,
): Promise<JobOutcome> {
  const plan = await planBulk(target, job.body, config.SERVICE_SECRET, job.requestedAt.getTime())
  const request = createReportPlan(target, plan, format, job.body, {
    requestedAt: job.requestedAt,
    secret: config.SERVICE_SECRET,
  })
  const total = await countTotal(database, target, plan)
  progress(0, total)
  const path = join(directory, 'report')
  const onProgress = (done: number) => progress(done, total)
  const { rows, bytes } = await writeReportFile(work, request, path, { signal, onProgress })
  count(invocation, 'Exports')
  count(invocation, 'ReportRows', rows)
  const file = { name: reportFileName(request), contentType: reportMediaType[format], content: { file: path }, bytes }
  return { message: readyMessage(rows), level: 'success', rows, file }
}

const readyMessage = (rows: number): Bilingual => ({
  en: `The report is ready (rows: ${groupDigits(rows)})`,
  ar: `التقرير جاهز (عدد الصفوف: ${groupDigits(rows)})`,
})

/** Counts the rows for the progress; `undefined` if counting takes too long. */
async function countTotal({ read }: Database, target: JobTarget, plan: Plan): Promise<number | undefined> {
  try {
    return await readCount(read, target, plan)
  } catch (error) {
    if (error instanceof RequestError && error.code === 'timed_out') return undefined
    throw error
  }
}

/**
 * Writes a report file and returns its rows and bytes. Throws `report_too_large` if the disk is full or the time of the
 * function is over: another attempt would end no better.
 */
export async function writeReportFile(
  database: Database,
  request: ReportPlan,
  path: string,
  options: ReportOptions,
): Promise<{ readonly rows: number; readonly bytes: number }> {
  try {
    const { rows } = await writeReport(database, request, createWriteStream(path), options)
    return { rows, bytes: (await stat(path)).size }
  } catch (error) {
    // After an abort, the error of the file system or the database depends on where they were.
    const cause = options.signal?.aborted ? options.signal.reason : error
    throw isTooLarge(cause) ? new RequestError('report_too_large', {}, { cause }) : cause
  }
}

const noSpaceCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

const isTooLarge = (error: unknown): boolean =>
  error instanceof JobStopped
    ? error.reason === 'deadline'
    : error instanceof Error && 'code' in error && noSpaceCodes.has(error.code)
