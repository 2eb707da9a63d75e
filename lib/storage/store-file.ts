import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import { createDownload, downloadUrl, linkBaseUrl, type NewDownload, type StoredFile } from './download-link.ts'
import { safeFileName } from './file-name.ts'
import { type FileContent, newObjectKey, putObject, removeObject } from './object-store.ts'

/** A database or an open transaction. */
type Writable = Pick<Database, 'session'> | Pick<Transaction, 'drizzle'>

const openSession = async (database: Writable) => ('drizzle' in database ? database.drizzle : database.session())

/** The requester of a file and the place of its link; a request is one. */
export interface FileOwner {
  readonly config: Config
  readonly database: Writable
  readonly identity: { readonly subject: string }
  readonly guard: string
  readonly baseUrl: string
}

export interface NewFile {
  readonly name: string
  readonly contentType: string
  readonly content: FileContent
}

/** A file that an export or an action delivers. */
export interface ReportFile extends NewFile {
  readonly bytes: number
}

/** The facts of a link, and how long it works. */
export interface LinkFacts
  extends Pick<NewDownload, 'jobId' | 'tableName' | 'action' | 'params' | 'recipient' | 'content' | 'minutes'> {}

export interface FileLink {
  readonly url: string
  readonly filename: string
  /** ISO 8601, in UTC. */
  readonly expires_at: string
  /** The id with which the requester extends or revokes the link. */
  readonly download_id: string
}

/** Stores a file and returns a link to it. If that fails, no object stays behind. */
export async function storeFile(owner: FileOwner, file: NewFile, facts: LinkFacts): Promise<FileLink> {
  const stored = await storeObject(owner, file)
  try {
    return await createLink(owner, stored, facts)
  } catch (error) {
    // An object that cannot be removed now is removed by the bucket's lifecycle: nothing refers to it.
    await removeObject(owner.config, stored.objectKey).catch(() => {})
    throw error
  }
}

/** Stores a file without a link. */
export async function storeObject(
  { config }: Pick<FileOwner, 'config'>,
  { name, contentType, content }: NewFile,
): Promise<StoredFile> {
  const fileName = safeFileName(name)
  const objectKey = newObjectKey()
  const bytes = await putObject(config, objectKey, { body: content, contentType, fileName })
  return { objectKey, fileName, contentType, bytes }
}

/** Creates one more link to a stored file. */
export async function createLink(
  { config, database, identity, guard, baseUrl }: FileOwner,
  file: StoredFile,
  facts: LinkFacts,
): Promise<FileLink> {
  const { id, expiresAt } = await createDownload(await openSession(database), {
    ...file,
    ...facts,
    subject: identity.subject,
  })
  const url = downloadUrl(config, linkBaseUrl(config, baseUrl), guard, id, expiresAt)
  return { url, filename: file.fileName, expires_at: expiresAt.toISOString(), download_id: id }
}

interface NewPendingFile {
  readonly name: string
  readonly contentType: string
  readonly content: Uint8Array
}

export interface PendingFile {
  readonly objectKey: string
  readonly link: FileLink
}

/**
 * Creates a link to a file that the database keeps until it is uploaded. For files that are made in a transaction: a
 * storage that hangs must not keep its locks, and one that fails must not lose the file.
 */
export async function createPendingFile(
  owner: FileOwner,
  { name, contentType, content }: NewPendingFile,
  facts: LinkFacts,
): Promise<PendingFile> {
  const objectKey = newObjectKey()
  const stored = { objectKey, fileName: safeFileName(name), contentType, bytes: content.byteLength }
  return { objectKey, link: await createLink(owner, stored, { ...facts, content }) }
}

interface StorageService {
  readonly config: Config
  readonly database: Database
}

const selection = `select content, content_type, file_name from table_control.downloads
  where object_key = $1 and content is not null limit 1`

const completion = 'update table_control.downloads set content = null where object_key = $1 returning id'

const minUploadMs = 3_000
const bytesPerMs = 4_000

/** A storage that answers takes far more bytes in this time, so one that takes longer hangs. */
const maxUploadMs = (bytes: number): number => minUploadMs + Math.ceil(bytes / bytesPerMs)

/**
 * Uploads a file that the database keeps, unless that has been done. Throws `unavailable` if the storage fails, or
 * takes longer than three seconds and a quarter of a second for each megabyte.
 */
export async function uploadPendingFile(
  { config, database }: StorageService,
  objectKey: string,
  ownSignal?: AbortSignal,
): Promise<void> {
  const [row] = await database.read(selection, [objectKey])
  if (row === undefined) return
  const [content, contentType, fileName] = row
  const body = Buffer.from(content as Uint8Array)
  const signal = ownSignal ?? AbortSignal.timeout(maxUploadMs(body.byteLength))
  await putObject(config, objectKey, { body, contentType: String(contentType), fileName: String(fileName), signal })
  const links = await database.transaction(({ run }) => run(completion, [objectKey]))
  // The links were erased during the upload, and nothing else names the file.
  if (links.length === 0) await removeObject(config, objectKey)
}

/**
 * Tries to upload a file at once, for three seconds. Never rejects: if it fails, the first download uploads the file.
 */
export async function tryUpload(service: StorageService, { objectKey }: PendingFile): Promise<void> {
  const signal = AbortSignal.timeout(minUploadMs)
  const timedOut = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  await Promise.race([uploadPendingFile(service, objectKey, signal).catch(() => {}), timedOut])
}

const minutesPerDay = 1_440

/** Returns the minutes for which links of jobs work: mails are read hours or days later. */
export const jobLinkMinutes = ({ MAIL_LINK_DAYS }: Pick<Config, 'MAIL_LINK_DAYS'>): number =>
  MAIL_LINK_DAYS * minutesPerDay
