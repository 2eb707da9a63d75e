import { isoMoment } from '../db/iso-moment.ts'
import type { Run } from '../db/transaction.ts'
import type { ImportRefusal } from '../errors/import-error.ts'
import type { RequestPlace } from './request-place.ts'

/** The numbers of a file. */
export interface ImportSummary {
  readonly rows: number
  readonly change: number
  readonly conflict: number
  readonly refused: number
  /** The headers of columns that the table does not have. */
  readonly ignoredColumns: readonly string[]
}

/** An import as it is stored. */
export interface StoredImport {
  readonly id: string
  readonly objectKey: string
  readonly bytes: number
  readonly jobId: string | undefined
  readonly jobState: string | undefined
  /** Why the file could not be read. */
  readonly failure: ImportRefusal | undefined
  readonly planId: string | undefined
  readonly summary: ImportSummary | undefined
  readonly expiresAt: string
  readonly isApplied: boolean
  readonly response: string | undefined
  readonly rights: string | undefined
}

/** One cell of a plan, or a row without a `field`. */
export interface ImportEntry {
  readonly rowKey: string | null
  readonly field: string | null
  readonly kind: 'change' | 'conflict' | 'refused'
  /** The place in the file, such as `C12`. */
  readonly place: string
  /** The values as JSON, sealed if the column is sensitive. */
  readonly values: string
  readonly code: string | null
  readonly en: string | null
  readonly ar: string | null
}

/** Whether the values of an entry are sealed, which they are if its column was sensitive when the file was read. */
export const isSealed = ({ values }: ImportEntry): boolean => !values.startsWith('{')

const places = ({ subject, guard, tableName, params }: RequestPlace) => [subject, guard, tableName, params]

/** The most imports of one caller that are neither applied, failed nor expired. */
export const maxImports = 20

/** How long an uploaded file is waited for. */
export const uploadSeconds = 900

/**
 * Selects the imports that count, each until `leaves_at`. Before a request starts its job, an import counts only while
 * its file may be uploaded.
 */
const counted = `select leaves_at from (select applied_at, jobs.state, case when job_id is null
      then imports.created_at + ${uploadSeconds} * interval '1 second' else imports.expires_at end as leaves_at
    from table_control.imports left join table_control.jobs on jobs.id = job_id
    where imports.subject = $1::text and imports.expires_at > now()) own
  where leaves_at > now() and applied_at is null and state is distinct from 'failed'`

const insertion = `insert into table_control.imports (subject, guard, table_name, params, object_key, bytes, expires_at)
  select $1::text, $2, $3, $4, $5, $6::int, now() + interval '1 day'
  where (select count(*) from (${counted} limit ${maxImports}) waiting) < ${maxImports}
  returning id, ${isoMoment('created_at')}`

/** How many seconds it takes until there is room for another. */
const untilRoom = `select ceil(extract(epoch from leaves_at - now())) from (${counted}) waiting
  order by leaves_at desc offset ${maxImports - 1} limit 1`

/**
 * Stores an import whose file is yet to come. Returns its id and time, or in how many seconds there is room for it if
 * its caller has too many.
 */
export async function insertImport(
  run: Run,
  place: RequestPlace,
  file: { readonly objectKey: string; readonly bytes: number },
): Promise<{ readonly id: string; readonly createdAt: Date } | { readonly waitSeconds: number }> {
  // Calls at once would each find room.
  await run("select pg_advisory_xact_lock(hashtextextended('imports of ' || $1::text, 0))", [place.subject])
  const [row] = await run(insertion, [...places(place), file.objectKey, file.bytes])
  if (row !== undefined) return { id: String(row[0]), createdAt: new Date(String(row[1])) }
  const [wait] = await run(untilRoom, [place.subject])
  return { waitSeconds: Number(wait?.[0] ?? 1) }
}

const fields = `imports.id, object_key, bytes, job_id, jobs.state, jobs.failure, plan_id, summary::text,
  ${isoMoment('imports.expires_at')}, applied_at is not null, imports.response, rights`

function toImport(row: readonly unknown[]): StoredImport {
  const [id, objectKey, bytes, jobId, jobState, failure, planId, summary, expiresAt, applied, response, rights] = row
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const failed = failure as { readonly code: string; readonly en: string; readonly ar: string } | null
  return {
    id: String(id),
    objectKey: String(objectKey),
    bytes: Number(bytes),
    expiresAt: String(expiresAt),
    jobId: text(jobId),
    jobState: text(jobState),
    planId: text(planId),
    isApplied: applied === true,
    failure: failed === null ? undefined : { code: failed.code, text: { en: failed.en, ar: failed.ar } },
    summary: typeof summary === 'string' ? JSON.parse(summary) : undefined,
    response: text(response),
    rights: text(rights),
  }
}

const search = `select ${fields} from table_control.imports left join table_control.jobs on jobs.id = job_id
  where imports.subject = $1 and imports.guard = $2 and imports.table_name = $3 and params = $4 and imports.id = $5
    and imports.expires_at > now()`

/**
 * Returns the import of this id and place; `undefined` for one of another caller or table, and for one that has
 * expired.
 */
export async function findImport(run: Run, place: RequestPlace, id: string): Promise<StoredImport | undefined> {
  const [row] = await run(search, [...places(place), id])
  return row && toImport(row)
}

/** Locks an import until the end of the transaction, so that of two calls at once one finds what the other has done. */
export async function lockImport(run: Run, place: RequestPlace, id: string): Promise<StoredImport | undefined> {
  const [row] = await run(`${search} for update of imports`, [...places(place), id])
  return row && toImport(row)
}

/** Returns the import whose file a job reads. */
export async function findImportOfJob(
  run: Run,
  jobId: string,
): Promise<{ readonly id: string; readonly objectKey: string; readonly summary?: ImportSummary } | undefined> {
  const text = 'select id, object_key, summary::text from table_control.imports where job_id = $1'
  const [row] = await run(text, [jobId])
  const summary = row?.[2]
  if (row === undefined) return undefined
  const found = { id: String(row[0]), objectKey: String(row[1]) }
  return typeof summary === 'string' ? { ...found, summary: JSON.parse(summary) } : found
}

/** Stores the job that reads the file. */
export async function setImportJob(run: Run, id: string, jobId: string | null): Promise<void> {
  await run('update table_control.imports set job_id = $2 where id = $1', [id, jobId])
}

const batch = 1_000

const entryInsertion = `insert into table_control.import_cells
  (import_id, position, row_key, field, kind, place, cell_values, code, en, ar)
  select $1::uuid, position, row_key, field, kind, place, cell_values, code, en, ar
  from json_to_recordset(($2::text)::json) as entry
    (position int, row_key text, field text, kind text, place text, cell_values text, code text, en text, ar text)`

const planning = `update table_control.imports set plan_id = gen_random_uuid(), summary = ($2::text)::json where id = $1`

/**
 * Stores what an import would do. Returns the summary that its caller sees: another attempt's, if that has stored its
 * plan already, and `undefined` for an import that is gone.
 */
export async function storeImportPlan(
  run: Run,
  id: string,
  summary: ImportSummary,
  entries: readonly ImportEntry[],
): Promise<ImportSummary | undefined> {
  const [found] = await run('select summary::text from table_control.imports where id = $1 for update', [id])
  if (found === undefined) return undefined
  // An attempt that has lost its lease must not replace the plan that another one has stored, and that its caller has
  // seen.
  if (typeof found[0] === 'string') return JSON.parse(found[0])
  await run('delete from table_control.import_cells where import_id = $1', [id])
  for (let at = 0; at < entries.length; at += batch) {
    const rows = entries.slice(at, at + batch).map(({ rowKey, values, ...entry }, index) => ({
      ...entry,
      position: at + index,
      row_key: rowKey,
      cell_values: values,
    }))
    await run(entryInsertion, [id, JSON.stringify(rows)])
  }
  await run(planning, [id, JSON.stringify(summary)])
  return summary
}

const listing = `select row_key, field, kind, place, cell_values, code, en, ar from table_control.import_cells where import_id = $1`

function toEntry(row: readonly unknown[]): ImportEntry {
  const [rowKey, field, kind, place, values, code, en, ar] = row
  const texts = { rowKey, field, kind, place, values, code, en, ar }
  // The table's own columns say what they hold.
  return texts as ImportEntry
}

/** Returns one page of what an import would do, in the order of the file. */
export async function listImportEntries(
  run: Run,
  id: string,
  page: { readonly limit: number; readonly offset: number },
): Promise<readonly ImportEntry[]> {
  const rows = await run(`${listing} order by position limit $2::int offset $3::int`, [id, page.limit, page.offset])
  return rows.map(toEntry)
}

/** Returns the cells that an import would change, in the order of the file. */
export const listImportChanges = async (run: Run, id: string): Promise<readonly ImportEntry[]> =>
  (await run(`${listing} and kind = 'change' order by position`, [id])).map(toEntry)

/** Stores the first response, in the transaction that has applied the import. */
export async function completeImport(run: Run, id: string, response: string, rights: string): Promise<void> {
  const text = 'update table_control.imports set applied_at = now(), response = $2, rights = $3 where id = $1'
  await run(text, [id, response, rights])
}
