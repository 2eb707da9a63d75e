import { join } from 'node:path'
import { askedReport } from '../actions/asked-report.ts'
import { planBulk } from '../actions/bulk-selection.ts'
import type { Database } from '../db/database.ts'
import { RequestError } from '../errors/request-error.ts'
import { countStatement } from '../query/page-statement.ts'
import type { Plan } from '../query/plan.ts'
import { reportFileName, reportMediaType } from '../reports/report-file.ts'
import type { ExportFormat } from '../table/action-definition.ts'
import { count } from '../telemetry/invocation.ts'
import type { Job } from './job.ts'
import type { JobOutcome } from './job-outcome.ts'
import type { JobTarget } from './job-target.ts'
import { reportReady } from './job-texts.ts'
import type { JobWorker } from './job-worker.ts'
import { writeReportFile } from './report-output.ts'

/** How a job's work tells how far it is, and hears that it must end. */
export interface Watched {
  readonly signal: AbortSignal
  readonly progress: (done: number, total: number | undefined) => void
}

/** Writes the rows that a job asks for to a file in this directory. */
export async function runReport(
  { database, work, invocation }: Pick<JobWorker, 'database' | 'work' | 'invocation'>,
  job: Job,
  target: JobTarget,
  format: ExportFormat,
  directory: string,
  { signal, progress }: Watched,
): Promise<JobOutcome> {
  const plan = planBulk(target.view, job.body, target.context.timeZone)
  const request = askedReport(target, plan, format, job.body, job.requestedAt)
  const total = await countOf(database, target, plan)
  progress(0, total)
  const path = join(directory, 'report')
  const onProgress = (done: number) => progress(done, total)
  const { rows, bytes } = await writeReportFile(work, request, path, { signal, onProgress })
  count(invocation, 'Exports')
  count(invocation, 'ReportRows', rows)
  const file = { name: reportFileName(request), contentType: reportMediaType[format], content: { file: path }, bytes }
  return { message: reportReady(rows), level: 'success', rows, file }
}

/** Only to tell how far the report is: where counting takes too long, nobody is told. */
async function countOf({ read }: Database, target: JobTarget, plan: Plan): Promise<number | undefined> {
  const { text, parameters } = countStatement(target, plan, Number.POSITIVE_INFINITY)
  try {
    const [row] = await read(text, parameters)
    return Number(row?.[0] ?? 0)
  } catch (error) {
    if (error instanceof RequestError && error.code === 'timed_out') return undefined
    throw error
  }
}
