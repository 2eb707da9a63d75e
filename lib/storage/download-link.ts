import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import { deriveKey } from '../auth/derived-key.ts'
import type { Config } from '../config.ts'
import type { Database, DatabaseSession } from '../db/database.ts'
import { downloads } from '../db/service-tables.ts'
import { guardBasePath } from '../routes.ts'

/** An object in the bucket. */
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
  /** The file, if it is not in the bucket yet. */
  readonly content?: Uint8Array | undefined
  /** How long the link works, by the clock of the database. */
  readonly minutes: number
}

/** Stores a link to a file. Returns its id and when it ends. */
export async function createDownload(
  db: Pick<DatabaseSession, 'insert'>,
  { subject, objectKey, fileName, contentType, bytes, minutes, ...optional }: NewDownload,
): Promise<{ readonly id: string; readonly expiresAt: Date }> {
  const link = {
    id: randomUUID(),
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
    expires_at: sql`date_trunc('milliseconds', clock_timestamp()) + make_interval(mins => ${minutes})`,
  }
  const [stored] = await db
    .insert(downloads)
    .values(link)
    .returning({ id: downloads.id, expiresAt: downloads.expires_at })
  if (stored === undefined) throw new Error('the database has returned no link')
  return stored
}

const expiry = 'update table_control.downloads set expires_at = now() where id = any($1::uuid[])'

/** Ends links that were not sent to anybody. */
export async function expireDownloads(
  { transaction }: Pick<Database, 'transaction'>,
  ids: readonly string[],
): Promise<void> {
  if (ids.length > 0) await transaction(({ run }) => run(expiry, [ids]))
}

/**
 * Returns the URL of a download, which needs no token. With an empty `baseUrl` it is relative to the service's host.
 */
export const downloadUrl = (
  { SERVICE_SECRET }: Pick<Config, 'SERVICE_SECRET'>,
  baseUrl: string,
  guard: string,
  id: string,
  expiresAt: Date,
): string => `${baseUrl}${guardBasePath(guard)}/downloads/${writeDownloadToken(SERVICE_SECRET, id, expiresAt)}`

/** Returns the base URL of links outside of any page, as in a mail. Never empty where mails are sent. */
export const linkBaseUrl = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>, baseUrl: string): string =>
  PUBLIC_URL ?? baseUrl

/** A file that a working link leads to; `isPending` where the storage does not have it yet. */
interface FoundDownload {
  readonly objectKey: string
  readonly isPending: boolean
  /** The time of the database. */
  readonly foundAt: Date
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
    .select({
      objectKey: downloads.object_key,
      isPending: sql<boolean>`${downloads.content} is not null`,
      foundAt: sql`now()`.mapWith(downloads.expires_at),
    })
    .from(downloads)
    .where(and(eq(downloads.id, id), isNull(downloads.revoked_at), gt(downloads.expires_at, sql`now()`)))
  return download
}

/** 16 bytes of id, 6 of expiry and 32 of signature make 72 characters of base64 without a spare bit. */
const idBytes = 16
const signedBytes = idBytes + 6
const form = /^[\w-]{72}$/

/** Creates a token that names a download (a UUID) and cannot be made without the service's secret. */
export function writeDownloadToken(secret: string, id: string, expiresAt: Date): string {
  const signed = Buffer.alloc(signedBytes)
  signed.write(id.replaceAll('-', ''), 'hex')
  signed.writeUIntBE(expiresAt.getTime(), idBytes, 6)
  return Buffer.concat([signed, signToken(secret, signed)]).toString('base64url')
}

/**
 * Returns the id in a token; `undefined` for one that was altered or made up. The moment in the token is not checked:
 * the download's row decides, so that an extended link goes on working under its first URL.
 */
export function readDownloadToken(secret: string, token: string): string | undefined {
  if (!form.test(token)) return undefined
  const bytes = Buffer.from(token, 'base64url')
  const signed = bytes.subarray(0, signedBytes)
  if (!timingSafeEqual(signToken(secret, signed), bytes.subarray(signedBytes))) return undefined
  return signed.toString('hex', 0, idBytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

const signToken = (secret: string, signed: Uint8Array): Buffer =>
  createHmac('sha256', deriveKey(secret, 'table-control download link')).update(signed).digest()
