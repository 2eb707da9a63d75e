import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import { createDownload, downloadUrl, linkBaseUrl, type NewDownload, type StoredFile } from './download-link.ts'
import { safeFileName } from './file-name.ts'
import { type FileContent, newObjectKey, putObject, removeObject } from './object-store.ts'

/** A database, or a transaction under way. */
type Writable = Pick<Database, 'session'> | Pick<Transaction, 'drizzle'>

const writing = async (database: Writable) => ('drizzle' in database ? database.drizzle : database.session())

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

/** How long a link works, and what it is listed under. */
export interface LinkFacts
  extends Pick<NewDownload, 'jobId' | 'tableName' | 'action' | 'params' | 'recipient' | 'content'> {
  readonly minutes: number
}

export interface FileLink {
  readonly url: string
  readonly filename: string
  /** ISO 8601, in UTC. */
  readonly expires_at: string
  /** By which the requester extends or revokes the link. */
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

/** Stores a file to which nothing leads yet. */
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
  { minutes, ...facts }: LinkFacts,
): Promise<FileLink> {
  const expiresAt = new Date(Date.now() + minutes * 60_000)
  const { id } = await createDownload(await writing(database), {
    ...{ ...file, ...facts },
    ...{ subject: identity.subject, expiresAt },
  })
  const url = downloadUrl(config, linkBaseUrl(config, baseUrl), guard, id, expiresAt)
  return { url, filename: file.fileName, expires_at: expiresAt.toISOString(), download_id: id }
}
