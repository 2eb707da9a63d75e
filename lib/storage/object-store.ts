import { randomBytes } from 'node:crypto'
import type { CreateMultipartUploadCommandInput } from '@aws-sdk/client-s3'
import { attachmentDisposition } from './attachment-disposition.ts'
import { type FileContent, partsOf } from './file-parts.ts'
import { fromStorage, type Storage, type StorageConfig, storageOf } from './storage-client.ts'

export type { FileContent } from './file-parts.ts'

interface StoredObject {
  readonly body: FileContent
  readonly contentType: string
  /** Under which a browser saves it. */
  readonly fileName: string
  /** Ends the upload: it then fails as `unavailable`. */
  readonly signal?: AbortSignal
}

/** The name of a new object. It is random, so that neither a list of keys nor a URL tells whose file it is, or of what. */
export const newObjectKey = (): string => randomBytes(24).toString('base64url')

/**
 * Stores a file of any size and resolves with its size in bytes. A file on disk is read in parts of 8 MiB, so that memory
 * stays flat. Nothing is left behind where it fails: `unavailable` where S3 does, and the disk's own error where the disk does.
 */
export async function putObject(
  config: StorageConfig,
  key: string,
  { body, contentType, fileName, signal }: StoredObject,
): Promise<number> {
  const storage = await storageOf(config)
  const target = {
    Bucket: storage.bucket,
    Key: key,
    ContentType: contentType,
    // A download, whatever the type; and its name is kept out of URLs.
    ContentDisposition: attachmentDisposition(fileName),
    CacheControl: 'private, no-store',
  }
  const parts = partsOf(body)
  const first = await parts.next()
  const start = first.done === true ? new Uint8Array() : first.value
  const second = await parts.next()
  const options: SendOptions = signal === undefined ? {} : { abortSignal: signal }
  if (second.done !== true) return putParts(storage, target, prepended([start, second.value], parts), options)
  await fromStorage(storage.client.send(new storage.s3.PutObjectCommand({ ...target, Body: start }), options))
  return start.byteLength
}

async function* prepended(read: readonly Uint8Array[], rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* read
  yield* rest
}

interface SendOptions {
  readonly abortSignal?: AbortSignal
}

type Target = Pick<CreateMultipartUploadCommandInput, 'ContentType' | 'ContentDisposition' | 'CacheControl'> & {
  readonly Bucket: string
  readonly Key: string
}

/** Ending a failed upload is worth this much of its caller's time. */
const maxAbortMs = 2_000

async function putParts(
  { client, s3 }: Storage,
  target: Target,
  parts: AsyncIterable<Uint8Array>,
  options: SendOptions,
): Promise<number> {
  const { UploadId } = await fromStorage(client.send(new s3.CreateMultipartUploadCommand(target), options))
  const upload = { Bucket: target.Bucket, Key: target.Key, UploadId }
  let bytes = 0
  try {
    const finished: { PartNumber: number; ETag: string | undefined }[] = []
    for await (const Body of parts) {
      const PartNumber = finished.length + 1
      const { ETag } = await fromStorage(
        client.send(new s3.UploadPartCommand({ ...upload, PartNumber, Body }), options),
      )
      finished.push({ PartNumber, ETag })
      bytes += Body.byteLength
    }
    const end = new s3.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: finished } })
    await fromStorage(client.send(end, options))
    return bytes
  } catch (error) {
    // The bucket's lifecycle ends what cannot be ended here.
    const abort = new s3.AbortMultipartUploadCommand(upload)
    await client.send(abort, { abortSignal: AbortSignal.timeout(maxAbortMs) }).catch(() => {})
    throw error
  }
}

/** Returns a URL that gives the object, or its headers, to its holder for so many seconds. Sends nothing to S3. */
export async function objectUrl(
  config: StorageConfig,
  key: string,
  seconds: number,
  method: 'GET' | 'HEAD' = 'GET',
): Promise<string> {
  const { client, bucket, s3 } = await storageOf(config)
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner')
  const target = { Bucket: bucket, Key: key }
  const command = method === 'HEAD' ? new s3.HeadObjectCommand(target) : new s3.GetObjectCommand(target)
  return fromStorage(getSignedUrl(client, command, { expiresIn: seconds }))
}

/** Removes an object; one that is not there is removed already. */
export async function removeObject(config: StorageConfig, key: string, signal?: AbortSignal): Promise<void> {
  const { client, bucket, s3 } = await storageOf(config)
  const options = signal === undefined ? {} : { abortSignal: signal }
  await fromStorage(client.send(new s3.DeleteObjectCommand({ Bucket: bucket, Key: key }), options))
}
