import { randomUUID } from 'node:crypto'
import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { DatabaseSession } from '../db/database.ts'
import { downloads } from '../db/service-tables.ts'
import { guardBasePath } from '../routes.ts'
import { readDownloadToken, writeDownloadToken } from './download-token.ts'

export interface NewDownload {
  /** To whom the file belongs: only they may revoke its link. */
  readonly subject: string
  readonly objectKey: string
  readonly fileName: string
  readonly contentType: string
  readonly bytes: number
  readonly jobId?: string | undefined
  readonly expiresAt: Date
}

/** Records a file that is to have a link. */
export async function createDownload(
  db: Pick<DatabaseSession, 'insert'>,
  { subject, objectKey, fileName, contentType, bytes, jobId, expiresAt }: NewDownload,
): Promise<{ readonly id: string }> {
  const id = randomUUID()
  await db.insert(downloads).values({
    id,
    subject,
    object_key: objectKey,
    file_name: fileName,
    content_type: contentType,
    bytes,
    job_id: jobId ?? null,
    expires_at: expiresAt,
  })
  return { id }
}

/** The link of a download: whoever holds it needs no token. With an empty `baseUrl` it is relative to the service's host. */
export const downloadUrl = (
  { SERVICE_SECRET }: Pick<Config, 'SERVICE_SECRET'>,
  baseUrl: string,
  guard: string,
  id: string,
  expiresAt: Date,
): string => `${baseUrl}${guardBasePath(guard)}/downloads/${writeDownloadToken(SERVICE_SECRET, id, expiresAt)}`

/** What stands in front of a link that is read outside of any page, as in a mail: never nothing where mails are sent. */
export const linkBaseUrl = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>, baseUrl: string): string =>
  PUBLIC_URL ?? baseUrl

/** The key of the object behind a token that still works; `undefined` for every other text, whatever is wrong with it. */
export async function findDownload(
  { SERVICE_SECRET }: Pick<Config, 'SERVICE_SECRET'>,
  db: Pick<DatabaseSession, 'select'>,
  token: string,
): Promise<string | undefined> {
  const id = readDownloadToken(SERVICE_SECRET, token)
  if (id === undefined) return undefined
  const [download] = await db
    .select({ objectKey: downloads.object_key })
    .from(downloads)
    .where(and(eq(downloads.id, id), isNull(downloads.revoked_at), gt(downloads.expires_at, sql`now()`)))
  return download?.objectKey
}

/** Makes a link of this subject useless, again as often as one likes; false where it is not theirs, or is none. */
export async function revokeDownload(
  { SERVICE_SECRET }: Pick<Config, 'SERVICE_SECRET'>,
  db: Pick<DatabaseSession, 'update'>,
  token: string,
  subject: string,
): Promise<boolean> {
  const id = readDownloadToken(SERVICE_SECRET, token)
  if (id === undefined) return false
  const revoked = await db
    .update(downloads)
    .set({ revoked_at: sql`coalesce(${downloads.revoked_at}, now())` })
    .where(and(eq(downloads.id, id), eq(downloads.subject, subject)))
    .returning({ id: downloads.id })
  return revoked.length > 0
}
