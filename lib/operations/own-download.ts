import { recordAudit } from '../actions/audit.ts'
import { maxFileDays } from '../config.ts'
import type { Run } from '../db/transaction.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import { uuid } from '../query/read-value.ts'
import { downloadUrl, linkBaseUrl, readDownloadToken } from '../storage/download-link.ts'
import {
  type ChangedDownload,
  extendOwnDownload,
  findDownloadOrigin,
  type OwnDownload,
  revokeOwnDownload,
} from '../storage/own-downloads.ts'
import { type CallerOperation, type CallerRequest, ownValue, type Payload, type UnknownBody } from './table-request.ts'

/** Returns a link of the caller as clients see it; a revoked one has no URL. */
export function downloadEntry({ config, guard, baseUrl }: CallerRequest, download: OwnDownload): Payload {
  const { id, revokedAt, expiresAt } = download
  const url =
    revokedAt === null ? downloadUrl(config, linkBaseUrl(config, baseUrl), guard, id, new Date(expiresAt)) : null
  return {
    id,
    url,
    filename: download.fileName,
    content_type: download.contentType,
    bytes: download.bytes,
    table: download.tableName,
    action: download.action,
    job_id: download.jobId,
    recipient: download.recipient,
    created_at: download.createdAt,
    expires_at: expiresAt,
    revoked_at: revokedAt,
  }
}

type Change = (run: Run, id: string, subject: string) => Promise<ChangedDownload | undefined>

/**
 * Changes the link in the path, given by its id or its token, and adds the change to the audit. Throws
 * `download_not_found` for a link that the caller did not request.
 */
async function changeOwnDownload(request: CallerRequest, action: string, change: Change): Promise<Payload> {
  const { database, identity, guard, requestId } = request
  const id = readDownloadId(request)
  const download = await database.transaction(async ({ run }) => {
    const changed = await change(run, id, identity.subject)
    if (changed === undefined) throw new RequestError('download_not_found')
    if (changed.changed) {
      const { tableName, jobId } = changed.download
      const about = { table: tableName ?? '', ...(jobId !== null && { jobId }) }
      const entry = { ...about, subject: identity.subject, action, guard, requestId, filterHash: undefined }
      await recordAudit(run, { ...entry, kind: 'download' }, 0)
    }
    return changed.download
  })
  return { download: downloadEntry(request, download) }
}

/** Reads which link the path names, by its id or its token. Throws `download_not_found` for any other text. */
function readDownloadId({ config, path }: CallerRequest): string {
  const text = path['download'] ?? ''
  const id = uuid.test(text) ? text.toLowerCase() : readDownloadToken(config.SERVICE_SECRET, text)
  if (id === undefined) throw new RequestError('download_not_found')
  return id
}

/** Ends a link of the caller; repeating it is harmless. Another caller's link is `download_not_found`. */
export const revokeDownload: CallerOperation = (request) =>
  changeOwnDownload(request, 'revoke_download', revokeOwnDownload)

/**
 * Lets a link of the caller work for `days` from now, as long as its file is kept. Throws `download_not_found` for a
 * dead link, and refuses a caller who could not request the file again.
 */
export const extendDownload: CallerOperation = async (request) => {
  const { config, database, identity } = request
  const days = readDays(request.body) ?? config.MAIL_LINK_DAYS
  const origin = await findDownloadOrigin(database.read, readDownloadId(request), identity.subject)
  if (origin === undefined) throw new RequestError('download_not_found')
  await request.assertMayRun(origin)
  return changeOwnDownload(request, 'extend_download', (run, id, subject) => extendOwnDownload(run, id, subject, days))
}

function readDays(body: UnknownBody): number | undefined {
  // A misspelt key must not extend a link by another time than was meant.
  if (Object.keys(body).length === 0) return undefined
  const days = ownValue(body, 'days')
  if (typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= maxFileDays) return days
  throw validationFailed({ days: [fieldFault('not_whole', { min: 1, max: maxFileDays })] })
}
