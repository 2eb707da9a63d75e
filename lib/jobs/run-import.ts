import { importError } from '../errors/import-error.ts'
import { openSentFile } from '../reports/open-sent-file.ts'
import { hasVersions } from '../rows/row-version.ts'
import { findImportOfJob, type ImportSummary, storeImportPlan } from '../storage/imports.ts'
import { readObject, removeObject } from '../storage/object-store.ts'
import { compareFile } from './compare-file.ts'
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
  const file = await openSentFile(bytes)
  signal.throwIfAborted()
  const secret = config.SERVICE_SECRET
  const versioned = await hasVersions(database, target.view.table)
  const { summary, entries } = await compareFile(file, target, {
    importId: found.id,
    secret,
    hasVersions: versioned,
    signal,
    run: work.read,
  })
  signal.throwIfAborted()
  const stored = await work.transaction(({ run }) => storeImportPlan(run, found.id, summary, entries))
  // The sweep has removed the import meanwhile.
  if (stored === undefined) throw importError('import_not_found')
  // The bucket's lifecycle removes a file that cannot be removed now.
  await removeObject(config, found.objectKey).catch(() => {})
  return stored
}
