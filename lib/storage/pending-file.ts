import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { safeFileName } from './file-name.ts'
import { newObjectKey, putObject } from './object-store.ts'
import { createLink, type FileLink, type FileOwner, type LinkFacts } from './store-file.ts'

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
 * Creates a link to a file that the database keeps until it is uploaded. For files that are made in a transaction: a storage that
 * hangs must not keep its locks, and one that fails must not lose the file.
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

const completion = 'update table_control.downloads set content = null where object_key = $1'

const minUploadMs = 3_000
const bytesPerMs = 4_000

/** A storage that answers takes far more bytes in this time, so one that takes longer hangs. */
const maxUploadMs = (bytes: number): number => minUploadMs + Math.ceil(bytes / bytesPerMs)

/**
 * Uploads a file that the database keeps, unless that has been done. Throws `unavailable` if the storage fails, or takes longer
 * than three seconds and a quarter of a second for each megabyte.
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
  await database.transaction(({ run }) => run(completion, [objectKey]))
}

/** Tries to upload a file at once, for three seconds. Never rejects: if it fails, the first download uploads the file. */
export async function tryUpload(service: StorageService, { objectKey }: PendingFile): Promise<void> {
  const signal = AbortSignal.timeout(minUploadMs)
  const timedOut = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  await Promise.race([uploadPendingFile(service, objectKey, signal).catch(() => {}), timedOut])
}
