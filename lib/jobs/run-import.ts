import { importError, importFailures } from '../errors/import-error.ts'
import { RequestError } from '../errors/request-error.ts'
import { openSentFile } from '../reports/open-sent-file.ts'
import { hasVersions } from '../rows/row-version.ts'
import { findImportOfJob, type ImportSummary, storeImportPlan } from '../storage/imports.ts'
import { readObject, removeObject } from '../storage/object-store.ts'
import { compareFile } from './compare-file.ts'
import type { Comparison } from './compare-rows.ts'
import { maxImportBytes } from './import-facts.ts'
import type { JobWorker, LeasedJob, OpenedTarget } from './job.ts'

/** Reads the uploaded file of an import, stores what it would change, and removes the file. Changes no row. */
export async function runImport(
  { config, database, work }: JobWorker,
  job: LeasedJob,
  target: OpenedTarget,
  signal: AbortSignal,
): Promise<ImportSummary> {
  const found = await findImportOfJob(database.read, job.id)
  if (found === undefined) throw importError('import_not_found')
  // A worker that was killed before the end of the job has stored the plan, and may have removed the file.
  if (found.summary !== undefined) return found.summary
  const bytes = await readObject(config, found.objectKey, maxImportBytes)
  // The upload was signed for a size that an import may have.
  if (bytes === undefined) throw importError('import_unreadable')
  // The bucket's lifecycle removes a file that cannot be removed now.
  const removeFile = () => removeObject(config, found.objectKey).catch(() => {})
  const versioned = await hasVersions(database, target.view.table)
  const means = { importId: found.id, secret: config.SERVICE_SECRET, hasVersions: versioned, signal, run: work.read }
  const { summary, entries } = await readFile(bytes, target, means).catch(async (error) => {
    if (isRefusedFile(error)) await removeFile()
    throw error
  })
  signal.throwIfAborted()
  const stored = await work.transaction(({ run }) => storeImportPlan(run, found.id, summary, entries))
  // The sweep has removed the import meanwhile.
  if (stored === undefined) throw importError('import_not_found')
  await removeFile()
  return stored
}

async function readFile(bytes: Buffer, target: OpenedTarget, comparison: Comparison) {
  const file = await openSentFile(bytes)
  comparison.signal.throwIfAborted()
  return compareFile(file, target, comparison)
}

/** Returns whether the file would be refused again. */
const isRefusedFile = (error: unknown): boolean =>
  error instanceof RequestError && Object.hasOwn(importFailures, error.code)
