import { randomUUID } from 'node:crypto'
import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Config } from '../config.ts'
import type { DatabaseSession } from '../db/database.ts'
import { downloads } from '../db/service-tables.ts'
import { guardBasePath } from '../routes.ts'
import { readDownloadToken, writeDownloadToken } from './download-token.ts'

/** A file that was stored under a random key. */
export interface StoredFile {
  readonly objectKey: string
  readonly fileName: string
  readonly contentType: string
  readonly bytes: number
}

export interface NewDownload extends StoredFile {
  /** The requester, who alone lists, extends and revokes the link. */
  readonly subject: string
  readonly jobId?: string | undefined
  /** The bulk action that made the file, and the `params` of its request. */
  readonly tableName?: string | undefined
  readonly action?: string | undefined
  readonly params?: Readonly<Record<string, unknown>> | undefined
  /** The address to which the link is mailed; absent for a link of the requester. */
  readonly recipient?: string | undefined
  /** The file, where it is not in the storage yet. */
  readonly content?: Uint8Array | undefined
  readonly expiresAt: Date
}

/** Stores a link to a file. */
export async function createDownload(
  db: Pick<DatabaseSession, 'insert'>,
  { subject, objectKey, fileName, contentType, bytes, expiresAt, ...optional }: NewDownload,
): Promise<{ readonly id: string }> {
  const id = randomUUID()
  await db.insert(downloads).values({
    id,
    subject,
    object_key: objectKey,
    file_name: fileName,
    content_type: contentType,
    bytes,
    job_id: optional.jobId ?? null,
    table_name: optional.tableName ?? null,
    action: optional.action ?? null,
    // A copy, because drizzle cannot read an object without a prototype.
    params: optional.params === undefined ? null : { ...optional.params },
    recipient: optional.recipient ?? null,
    content: optional.content ?? null,
    expires_at: expiresAt,
  })
  return { id }
}

/** Returns the URL of a download, which needs no token. With an empty `baseUrl` it is relative to the service's host. */
export const downloadUrl = (
  { SERVICE_SECRET }: Pick<Config, 'SERVICE_SECRET'>,
  baseUrl: string,
  guard: string,
  id: string,
  expiresAt: Date,
): string => `${baseUrl}${guardBasePath(guard)}/downloads/${writeDownloadToken(SERVICE_SECRET, id, expiresAt)}`

/** Returns the base URL of links that are read outside of any page, as in a mail. Never empty where mails are sent. */
export const linkBaseUrl = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>, baseUrl: string): string =>
  PUBLIC_URL ?? baseUrl

/** A file that a working link leads to; `isPending` where the storage does not have it yet. */
interface FoundDownload {
  readonly objectKey: string
  readonly isPending: boolean
}

/** Returns the file of a token whose link works; `undefined` for any other text. */
export async function findDownload(
  { SERVICE_SECRET }: Pick<Config, 'SERVICE_SECRET'>,
  db: Pick<DatabaseSession, 'select'>,
  token: string,
): Promise<FoundDownload | undefined> {
  const id = readDownloadToken(SERVICE_SECRET, token)
  if (id === undefined) return undefined
  const [download] = await db
    .select({ objectKey: downloads.object_key, isPending: sql<boolean>`${downloads.content} is not null` })
    .from(downloads)
    .where(and(eq(downloads.id, id), isNull(downloads.revoked_at), gt(downloads.expires_at, sql`now()`)))
  return download
}
