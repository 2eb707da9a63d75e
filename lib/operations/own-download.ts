import { recordAudit } from '../actions/audit.ts'
import type { Run } from '../db/transaction.ts'
import { RequestError } from '../errors/request-error.ts'
import { uuid } from '../query/read-value.ts'
import { downloadUrl, linkBaseUrl, readDownloadToken } from '../storage/download-link.ts'
import type { ChangedDownload, OwnDownload } from '../storage/own-downloads.ts'
import type { CallerRequest, Payload } from './table-request.ts'

/** Returns a link of the caller as clients see it; a revoked one has no URL. */
export function downloadEntry({ config, guard, baseUrl }: CallerRequest, download: OwnDownload): Payload {
  const { id, revokedAt, expiresAt } = download
  const url =
    revokedAt === null ? downloadUrl(config, linkBaseUrl(config, baseUrl), guard, id, new Date(expiresAt)) : null
  return {
    ...{ id, url, filename: download.fileName, content_type: download.contentType, bytes: download.bytes },
    ...{ table: download.tableName, action: download.action, job_id: download.jobId, recipient: download.recipient },
    ...{ created_at: download.createdAt, expires_at: expiresAt, revoked_at: revokedAt },
  }
}

type Change = (run: Run, id: string, subject: string) => Promise<ChangedDownload | undefined>

/**
 * Changes the link in the path, given by its id or its token, and adds the change to the audit. Throws `download_not_found`
 * for a link that the caller did not request.
 */
export async function changeOwnDownload(request: CallerRequest, action: string, change: Change): Promise<Payload> {
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
export function readDownloadId({ config, path }: CallerRequest): string {
  const text = path['download'] ?? ''
  const id = uuid.test(text) ? text.toLowerCase() : readDownloadToken(config.SERVICE_SECRET, text)
  if (id === undefined) throw new RequestError('download_not_found')
  return id
}
