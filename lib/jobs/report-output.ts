import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Database } from '../db/database.ts'
import { RequestError } from '../errors/request-error.ts'
import type { ReportOptions, ReportRequest } from '../reports/report-request.ts'
import { writeReport } from '../reports/write-report.ts'
import { JobStopped } from './job-stopped.ts'

/**
 * Writes a report to a file and tells its rows and bytes. Throws `report_too_large` where the disk is full, and where the time
 * of the function is over: another try would end no better.
 */
export function writeReportFile(
  database: Database,
  request: ReportRequest,
  path: string,
  options: ReportOptions,
): Promise<{ readonly rows: number; readonly bytes: number }> {
  return written(database, request, path, options).catch((cause: unknown) =>
    Promise.reject(isTooLarge(cause) ? new RequestError('report_too_large', {}, { cause }) : cause),
  )
}

const noSpace: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

const isTooLarge = (error: unknown): boolean =>
  error instanceof JobStopped
    ? error.reason === 'deadline'
    : error instanceof Error && 'code' in error && noSpace.has(error.code)

async function written(
  database: Database,
  request: ReportRequest,
  path: string,
  options: ReportOptions,
): Promise<{ readonly rows: number; readonly bytes: number }> {
  try {
    const { rows } = await writeReport(database, request, createWriteStream(path), options)
    return { rows, bytes: (await stat(path)).size }
  } catch (error) {
    // What the file system and the database say of an end that was asked for depends on where they were.
    options.signal?.throwIfAborted()
    throw error
  }
}
