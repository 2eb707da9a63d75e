import { fieldFault } from '../errors/field-fault.ts'
import { importError, importRefusal } from '../errors/import-error.ts'
import { validationFailed } from '../errors/request-error.ts'
import { translate } from '../i18n/language.ts'
import { assertJobLimit, createJob, enqueueOrAbandon } from '../jobs/create-job.ts'
import { versionsStatement } from '../query/keys-statement.ts'
import { toRowId } from '../rows/row-id.ts'
import {
  findImport,
  type ImportEntry,
  isSealed,
  listImportEntries,
  lockImport,
  type StoredImport,
  setImportJob,
} from '../storage/imports.ts'
import { hasObject } from '../storage/object-store.ts'
import { listEditableColumns } from '../table/editable-columns.ts'
import { presentColumnNames } from '../table/former-names.ts'
import { storableParams } from '../table/storable-params.ts'
import { assertMayImport, readImportId } from './create-import.ts'
import { requestPlace } from './request-place.ts'
import type { Payload, TableRequest } from './table-request.ts'

/**
 * Returns the state of an import, and a page of what it would change. The first request after the upload starts the job
 * that reads the file. Throws `import_not_found` for an import of another caller or table.
 */
export async function showImport(request: TableRequest): Promise<Payload> {
  await assertMayImport(request)
  const page = readPage(request.query)
  const id = readImportId(request.path['id'])
  const found = await findImport(request.database.read, requestPlace(request), id)
  if (found === undefined) throw importError('import_not_found')
  const isStarted = isWaiting(found) && (await hasObject(request.config, found.objectKey))
  if (isStarted) await startReading(request, found)
  const entry = importEntry(request, found, isStarted ? 'reading' : importState(found))
  const { planId, summary } = found
  if (planId === undefined || summary === undefined) return { import: entry }
  const cells = await listImportEntries(request.database.read, id, { limit: page.size + 1, offset: page.offset })
  return {
    import: entry,
    plan: {
      id: planId,
      rows: summary.rows,
      counts: { change: summary.change, conflict: summary.conflict, refused: summary.refused },
      ...(summary.ignoredColumns.length > 0 && { ignored_columns: summary.ignoredColumns }),
      cells: await presentEntries(request, cells.slice(0, page.size)),
      ...(cells.length > page.size && { next_page: page.number + 1 }),
    },
  }
}

const defaultPageSize = 100
const maxPageSize = 1_000

function readPage(query: string): { readonly number: number; readonly size: number; readonly offset: number } {
  const asked = new URLSearchParams(query)
  const read = (name: string, fallback: number, max: number) => {
    const text = asked.get(name) ?? String(fallback)
    if (/^[1-9]\d{0,5}$/.test(text) && Number(text) <= max) return Number(text)
    throw validationFailed({ [name]: [fieldFault('not_whole', { min: 1, max })] })
  }
  const number = read('page', 1, 100_000)
  const size = read('per_page', defaultPageSize, maxPageSize)
  return { number, size, offset: (number - 1) * size }
}

/** Whether no job reads the file: none was started, or the queue did not take it. */
const isWaiting = ({ jobId, jobState, failure, planId }: StoredImport): boolean =>
  planId === undefined && (jobId === undefined || (jobState === 'failed' && failure?.code === 'unavailable'))

function importState(found: StoredImport): string {
  if (found.isApplied) return 'applied'
  if (found.planId !== undefined) return 'planned'
  if (isWaiting(found)) return 'waiting'
  return found.jobState === 'queued' || found.jobState === 'running' ? 'reading' : 'failed'
}

function importEntry({ language }: TableRequest, found: StoredImport, state: string): Payload {
  const { id, expiresAt, failure } = found
  const isFailed = state === 'failed' && failure !== undefined
  return {
    id,
    state,
    expires_at: expiresAt,
    ...(isFailed && { code: failure.code, text: failure.text[language], errors: [failure.text.en, failure.text.ar] }),
  }
}

/** Starts the job that reads an uploaded file, unless another request has. */
async function startReading(request: TableRequest, { id }: StoredImport): Promise<void> {
  const { config, database, identity, table } = request
  const jobId = await database.transaction(async ({ run }) => {
    const found = await lockImport(run, requestPlace(request), id)
    if (found === undefined || !isWaiting(found)) return undefined
    const body = { import_id: id, params: storableParams(request.view, request.context) }
    const job = { ...request, body, tableName: table.name, action: 'import', recipients: [] }
    const created = await createJob(run, { ...job, kind: 'import', response: 'websocket' }, config.JOBS_PER_CALLER)
    await setImportJob(run, id, created)
    await assertJobLimit(run, identity.subject, config.JOBS_PER_CALLER)
    return created
  })
  if (jobId !== undefined) await enqueueOrAbandon({ config, database }, jobId, { charges: [] })
}

/**
 * Returns the entries as the caller may see them today: values of hidden columns and of rows that have left the scope
 * are absent.
 */
async function presentEntries(request: TableRequest, entries: readonly ImportEntry[]): Promise<readonly Payload[]> {
  const { database, view, language } = request
  const keys = [...new Set(entries.flatMap(({ rowKey }) => rowKey ?? []))]
  const { text, parameters } = versionsStatement(request, keys, false)
  const there = new Set(keys.length === 0 ? [] : (await database.read(text, parameters)).map(([key]) => String(key)))
  const present = presentColumnNames(view.columns)
  const editable = listEditableColumns(view)
  return entries.map((entry) => {
    const { rowKey, kind, place, values, code, en, ar } = entry
    const field = present.get(entry.field ?? '') ?? entry.field
    const column = view.columns.find(({ key }) => key === field)
    const isSensitive = column !== undefined && (column.definition.sensitive === true || isSealed(entry))
    // A column that cannot be edited any more may have a format that hides a part of its values.
    const isShown = editable.has(field ?? '') && !isSensitive && rowKey !== null && there.has(rowKey)
    const { base, file, now } = isShown ? JSON.parse(values) : {}
    // The reason of a hidden cell may name values of its column.
    const hidden = column === undefined && field !== null ? importRefusal('not_editable') : undefined
    const reason = hidden ?? { code, text: { en, ar } }
    return {
      kind,
      place,
      ...(rowKey !== null && { id: toRowId(view.table.key, rowKey) }),
      ...(column !== undefined && { field, label: translate(column.definition.label, language) }),
      ...(isSensitive && { sensitive: true }),
      base,
      file,
      now,
      ...(code !== null && { code: reason.code, errors: [reason.text.en, reason.text.ar] }),
    }
  })
}
