import type { Config } from '../config.ts'
import type { Database, Transaction } from '../db/database.ts'
import { createDownload, downloadUrl } from './download-link.ts'
import { safeFileName } from './file-name.ts'
import { type FileContent, newObjectKey, putObject, removeObject } from './object-store.ts'

/** A database, or a transaction under way. */
type Writable = Pick<Database, 'session'> | Pick<Transaction, 'drizzle'>

const writing = async (database: Writable) => ('drizzle' in database ? database.drizzle : database.session())

/** For whom a file is stored, and where its link leads; a request is one. */
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

interface FileLifetime {
  readonly minutes: number
  readonly jobId?: string
}

export interface FileLink {
  readonly url: string
  readonly filename: string
  /** ISO 8601, in UTC. */
  readonly expires_at: string
}

/** Stores a file and answers with a link to it that works for so many minutes. Where that fails, no object stays behind. */
export async function storeFile(
  { config, database, identity, guard, baseUrl }: FileOwner,
  { name, contentType, content }: NewFile,
  { minutes, jobId }: FileLifetime,
): Promise<FileLink> {
  const filename = safeFileName(name)
  const objectKey = newObjectKey()
  const bytes = await putObject(config, objectKey, { body: content, contentType, fileName: filename })
  const expiresAt = new Date(Date.now() + minutes * 60_000)
  const file = { subject: identity.subject, objectKey, fileName: filename, contentType, bytes, jobId, expiresAt }
  try {
    const { id } = await createDownload(await writing(database), file)
    return { url: downloadUrl(config, baseUrl, guard, id, expiresAt), filename, expires_at: expiresAt.toISOString() }
  } catch (error) {
    // What cannot be removed now is removed by the bucket's lifecycle: without a row nobody can reach it.
    await removeObject(config, objectKey).catch(() => {})
    throw error
  }
}
