import { fieldFault } from '../errors/field-fault.ts'
import { importError } from '../errors/import-error.ts'
import { validationFailed } from '../errors/request-error.ts'
import { maxImportBytes } from '../jobs/import-facts.ts'
import { uuid } from '../query/read-value.ts'
import { insertImport, maxImports, uploadSeconds } from '../storage/imports.ts'
import { newUploadKey, uploadUrl } from '../storage/object-store.ts'
import { hasEditing } from '../table/has-editing.ts'
import { requestPlace } from './request-place.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'

/** Browsers send the type of a file as they guess it, so the signature needs one that is always the same. */
const contentType = 'application/octet-stream'

/**
 * Begins an import: returns where its file is to be uploaded. Throws `validation_failed` for a file that is too large.
 */
export async function createImport(request: TableRequest): Promise<Payload> {
  const { config, database } = request
  await assertMayImport(request)
  const bytes = readBytes(ownValue(request.body, 'bytes'))
  const objectKey = newUploadKey()
  const stored = await database.transaction(({ run }) => insertImport(run, requestPlace(request), { objectKey, bytes }))
  if ('waitSeconds' in stored) {
    const headers = { 'retry-after': String(stored.waitSeconds) }
    throw importError('too_many_imports', { limit: maxImports }, undefined, headers)
  }
  const { id, createdAt: signedAt } = stored
  const url = await uploadUrl(config, objectKey, { bytes, contentType, seconds: uploadSeconds, signedAt })
  return {
    import: { id, state: 'waiting' },
    upload: { url, method: 'PUT', headers: { 'content-type': contentType } },
  }
}

function readBytes(value: unknown): number {
  if (value === undefined || value === null) throw validationFailed({ bytes: [fieldFault('required')] })
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxImportBytes) return Number(value)
  throw validationFailed({ bytes: [fieldFault('not_whole', { min: 1, max: maxImportBytes })] })
}

/** Throws `import_refused` where the caller can edit nothing, and what the table's middlewares throw. */
export async function assertMayImport(request: TableRequest): Promise<void> {
  if (!hasEditing(request.view)) throw importError('import_refused', nothingEditable)
  // An import is an edit of several rows.
  await request.assertAdmitted('rowBulkTableAction')
}

const nothingEditable = {
  en: 'you can edit no column of this table',
  ar: 'لا يوجد في هذا الجدول عمود يمكنك تعديله',
}

/** Reads the id in a path. Throws `import_not_found` for what can be none. */
export function readImportId(text = ''): string {
  if (!uuid.test(text)) throw importError('import_not_found')
  return text.toLowerCase()
}
