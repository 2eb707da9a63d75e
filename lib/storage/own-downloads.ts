import { maxFileDays } from '../config.ts'
import { isoMoment } from '../db/iso-moment.ts'
import { bind, createStatement } from '../db/statement.ts'
import type { Run } from '../db/transaction.ts'

/** A link as its requester sees it; times are ISO 8601 in UTC. */
export interface OwnDownload {
  readonly id: string
  readonly fileName: string
  readonly contentType: string
  readonly bytes: number
  readonly tableName: string | null
  readonly action: string | null
  readonly jobId: string | null
  /** The address to which the link was mailed. */
  readonly recipient: string | null
  readonly createdAt: string
  readonly expiresAt: string
  readonly revokedAt: string | null
}

export interface DownloadPage {
  readonly jobId: string | undefined
  /** The `position` of the last entry of the page before. */
  readonly before: DownloadPosition | undefined
  readonly limit: number
}

/** The place of a link in the list, newest first. */
export interface DownloadPosition {
  readonly microseconds: string
  readonly id: string
}

const microseconds = '(extract(epoch from created_at) * 1000000)::bigint'

const fields = `id, file_name, content_type, bytes, table_name, action, job_id, recipient,
  ${isoMoment('created_at')}, ${isoMoment('expires_at')}, ${isoMoment('revoked_at')}`

function toDownload(row: readonly unknown[]): OwnDownload {
  const [id, fileName, contentType, bytes, tableName, action, jobId, recipient, createdAt, expiresAt, revokedAt] = row
  const texts = { id, fileName, contentType, tableName, action, jobId, recipient, createdAt, expiresAt, revokedAt }
  // The table's own columns say what they hold.
  return { ...(texts as Omit<OwnDownload, 'bytes'>), bytes: Number(bytes) }
}

/** Selects one page of links; each condition that is not needed is left out, so that an index serves the others. */
function createPage(subject: string, { jobId, before, limit }: DownloadPage) {
  const statement = createStatement()
  const conditions = [`subject = ${bind(statement, subject)} and expires_at > now()`]
  if (jobId !== undefined) conditions.push(`job_id = ${bind(statement, jobId)}`)
  if (before !== undefined) {
    const moment = `'epoch'::timestamptz + ${bind(statement, before.microseconds)}::bigint * interval '1 microsecond'`
    conditions.push(`(created_at, id) < (${moment}, ${bind(statement, before.id)})`)
  }
  const text = `select ${fields}, ${microseconds}::text from table_control.downloads where ${conditions.join(' and ')}
    order by created_at desc, id desc limit ${bind(statement, limit + 1)}`
  return { text, parameters: statement.parameters }
}

/** Returns the links of a requester that have not expired, newest first, and where the next page begins. */
export async function listOwnDownloads(
  run: Run,
  subject: string,
  page: DownloadPage,
): Promise<{ readonly downloads: readonly OwnDownload[]; readonly next: DownloadPosition | undefined }> {
  const { limit } = page
  const { text, parameters } = createPage(subject, page)
  const rows = await run(text, parameters)
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    downloads: rows.slice(0, limit).map(toDownload),
    next: last && { microseconds: String(last.at(-1)), id: String(last[0]) },
  }
}

/** A link after a change; `changed` is false where it had that state before. */
export interface ChangedDownload {
  readonly download: OwnDownload
  readonly changed: boolean
}

// A pending file is removed at once, so that it is neither read nor uploaded later.
const revocation = `update table_control.downloads set revoked_at = coalesce(revoked_at, now()), content = null
  where id = $1 and subject = $2 returning ${fields}, revoked_at = now()`

/** Ends a link of this requester. Returns `undefined` where they have none of this id. */
export const revokeOwnDownload = (run: Run, id: string, subject: string): Promise<ChangedDownload | undefined> =>
  run(revocation, [id, subject]).then(toChanged)

const origin = `select table_name, action, params from table_control.downloads
  where id = $1 and subject = $2 and revoked_at is null and expires_at > now()`

/** The bulk action that made a file, and the `params` of its request. */
export interface DownloadOrigin {
  readonly tableName: string
  readonly action: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Returns the action behind a working link of this requester; `undefined` if they have no such link. */
export async function findDownloadOrigin(run: Run, id: string, subject: string): Promise<DownloadOrigin | undefined> {
  const [row] = await run(origin, [id, subject])
  if (row === undefined) return undefined
  const [tableName, action, params] = row
  return { tableName: String(tableName ?? ''), action: String(action ?? ''), params: Object(params ?? {}) }
}

const extension = `with link as (select id as of, expires_at as until from table_control.downloads
    where id = $1 and subject = $2 and revoked_at is null and expires_at > now() for update)
  update table_control.downloads
  set expires_at = greatest(expires_at,
    least(now() + make_interval(days => $3), created_at + interval '${maxFileDays} days'))
  from link where id = link.of returning ${fields}, expires_at > link.until`

/**
 * Lets a link of this requester work for `days` from now, but never beyond the life of its file. Returns `undefined`
 * for a link that is revoked, expired, or another requester's.
 */
export const extendOwnDownload = (
  run: Run,
  id: string,
  subject: string,
  days: number,
): Promise<ChangedDownload | undefined> => run(extension, [id, subject, days]).then(toChanged)

const toChanged = ([row]: readonly (readonly unknown[])[]): ChangedDownload | undefined =>
  row && { download: toDownload(row), changed: row.at(-1) === true }
