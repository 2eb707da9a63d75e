import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { CreateMultipartUploadCommandInput, S3Client } from '@aws-sdk/client-s3'
import type { Config } from '../config.ts'
import { RequestError } from '../errors/request-error.ts'
import { attachmentDisposition } from './file-name.ts'

interface StoredObject {
  readonly body: FileContent
  readonly contentType: string
  /** The name under which a browser saves the file. */
  readonly fileName: string
  /** Ends the upload: it then fails as `unavailable`. */
  readonly signal?: AbortSignal
}

/**
 * Creates the key of an object. It is random, so that neither a list of keys nor a URL reveals the owner or the
 * content.
 */
export const newObjectKey = (): string => randomBytes(24).toString('base64url')

/** Creates the key of an uploaded file; the bucket's lifecycle removes those below this prefix after a day. */
export const newUploadKey = (): string => `imports/${newObjectKey()}`

/**
 * Stores a file of any size and returns its bytes. A file on disk is read in parts of 8 MiB, so that memory stays flat.
 * Throws `unavailable` if S3 fails, or the error of the disk, and stores nothing then.
 */
export async function putObject(
  config: StorageConfig,
  key: string,
  { body, contentType, fileName, signal }: StoredObject,
): Promise<number> {
  const storage = await findStorage(config)
  const target = {
    Bucket: storage.bucket,
    Key: key,
    ContentType: contentType,
    // Browsers save every type, and the name stays out of URLs.
    ContentDisposition: attachmentDisposition(fileName),
    CacheControl: 'private, no-store',
  }
  const parts = readParts(body)
  const first = await parts.next()
  const start = first.done === true ? new Uint8Array() : first.value
  const second = await parts.next()
  const options: SendOptions = signal === undefined ? {} : { abortSignal: signal }
  if (second.done !== true) return putParts(storage, target, prepend([start, second.value], parts), options)
  await withUnavailable(storage.client.send(new storage.s3.PutObjectCommand({ ...target, Body: start }), options))
  return start.byteLength
}

async function* prepend(read: readonly Uint8Array[], rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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

/** Aborting a failed upload may delay its caller by this much. */
const maxAbortMs = 2_000

async function putParts(
  { client, s3 }: Storage,
  target: Target,
  parts: AsyncIterable<Uint8Array>,
  options: SendOptions,
): Promise<number> {
  const { UploadId } = await withUnavailable(client.send(new s3.CreateMultipartUploadCommand(target), options))
  const upload = { Bucket: target.Bucket, Key: target.Key, UploadId }
  let bytes = 0
  try {
    const finished: { PartNumber: number; ETag: string | undefined }[] = []
    for await (const Body of parts) {
      const PartNumber = finished.length + 1
      const { ETag } = await withUnavailable(
        client.send(new s3.UploadPartCommand({ ...upload, PartNumber, Body }), options),
      )
      finished.push({ PartNumber, ETag })
      bytes += Body.byteLength
    }
    const end = new s3.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: finished } })
    await withUnavailable(client.send(end, options))
    return bytes
  } catch (error) {
    // The bucket's lifecycle removes the parts if this fails.
    const abort = new s3.AbortMultipartUploadCommand(upload)
    await client.send(abort, { abortSignal: AbortSignal.timeout(maxAbortMs) }).catch(() => {})
    throw error
  }
}

interface SignedUse {
  readonly seconds: number
  /** When the URL begins to work: the time of the database, because the clock of a frozen function may be late. */
  readonly signedAt: Date
}

/** Returns a URL that serves the object, or its headers, for `seconds`. Sends nothing to S3. */
export async function objectUrl(
  config: StorageConfig,
  key: string,
  { seconds, signedAt, method = 'GET' }: SignedUse & { readonly method?: 'GET' | 'HEAD' },
): Promise<string> {
  const { client, bucket, s3 } = await findStorage(config)
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner')
  const target = { Bucket: bucket, Key: key }
  const command = method === 'HEAD' ? new s3.HeadObjectCommand(target) : new s3.GetObjectCommand(target)
  return withUnavailable(getSignedUrl(client, command, { expiresIn: seconds, signingDate: signedAt }))
}

/** Returns a URL that takes one upload of exactly `bytes`, for `seconds`. Sends nothing to S3. */
export async function uploadUrl(
  config: StorageConfig,
  key: string,
  { bytes, contentType, seconds, signedAt }: SignedUse & { readonly bytes: number; readonly contentType: string },
): Promise<string> {
  const { client, bucket, s3 } = await findStorage(config)
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner')
  const command = new s3.PutObjectCommand({
    Bucket: bucket,
    Key: key,
    ContentLength: bytes,
    ContentType: contentType,
  })
  const signed = new Set(['content-type', 'content-length'])
  const options = { expiresIn: seconds, signingDate: signedAt, signableHeaders: signed }
  return withUnavailable(getSignedUrl(client, command, options))
}

/** Returns whether an object is there. */
export async function hasObject(config: StorageConfig, key: string): Promise<boolean> {
  const storage = await findStorage(config)
  const { client, bucket, s3 } = storage
  const head = await catchMissing(storage, client.send(new s3.HeadObjectCommand({ Bucket: bucket, Key: key })))
  return head !== undefined
}

/** Reads an object of at most `maxBytes`; `undefined` for one that is larger or not there. */
export async function readObject(config: StorageConfig, key: string, maxBytes: number): Promise<Buffer | undefined> {
  const storage = await findStorage(config)
  const { client, bucket, s3 } = storage
  const got = await catchMissing(storage, client.send(new s3.GetObjectCommand({ Bucket: bucket, Key: key })))
  if (got?.Body === undefined || (got.ContentLength ?? 0) > maxBytes) return undefined
  return Buffer.from(await withUnavailable(got.Body.transformToByteArray()))
}

/** Without the right to list a bucket, S3 answers 403 for an object that is not there. */
const catchMissing = <T>({ s3 }: Storage, response: Promise<T>): Promise<T | undefined> =>
  response.catch((cause) => {
    const status = cause instanceof s3.S3ServiceException ? cause.$metadata.httpStatusCode : undefined
    return status === 403 || status === 404 ? undefined : withUnavailable(Promise.reject(cause))
  })

/** Removes an object. An object that does not exist is no error. */
export async function removeObject(config: StorageConfig, key: string, signal?: AbortSignal): Promise<void> {
  const { client, bucket, s3 } = await findStorage(config)
  const options = signal === undefined ? {} : { abortSignal: signal }
  await withUnavailable(client.send(new s3.DeleteObjectCommand({ Bucket: bucket, Key: key }), options))
}

/** The bytes of a file, or the path of one on disk. */
export type FileContent = Uint8Array | { readonly file: string }

/** S3 takes parts of 5 MiB at least, and 10,000 of them. */
const partBytes = 8 * 1024 * 1024

/**
 * Reads the content in parts of 8 MiB, the last one shorter; yields nothing for an empty file. Parts are never
 * overwritten.
 */
async function* readParts(content: FileContent): AsyncGenerator<Uint8Array, undefined> {
  if (content instanceof Uint8Array) {
    for (let at = 0; at < content.byteLength; at += partBytes) yield content.subarray(at, at + partBytes)
    return
  }
  const file = await open(content.file)
  try {
    for (;;) {
      const part = await readPart(file)
      if (part.byteLength > 0) yield part
      if (part.byteLength < partBytes) return
    }
  } finally {
    await file.close()
  }
}

/** One read may return less than the file still has. */
async function readPart(file: Awaited<ReturnType<typeof open>>): Promise<Uint8Array> {
  const part = Buffer.allocUnsafe(partBytes)
  let filled = 0
  while (filled < partBytes) {
    const { bytesRead } = await file.read(part, filled, partBytes - filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return part.subarray(0, filled)
}

/** The S3 client reads region, credentials and AWS_ENDPOINT_URL_S3 from the environment itself. */
export type StorageConfig = Pick<Config, 'REPORT_BUCKET' | 'STORAGE_PATH_STYLE'>

export interface Storage {
  readonly client: S3Client
  readonly bucket: string
  readonly s3: typeof import('@aws-sdk/client-s3')
}

const storages = new WeakMap<StorageConfig, Promise<Storage>>()

/** Returns the one client of a configuration. Throws without REPORT_BUCKET. */
function findStorage(config: StorageConfig): Promise<Storage> {
  const storage = storages.get(config) ?? openStorage(config)
  storages.set(config, storage)
  return storage
}

async function openStorage({ REPORT_BUCKET, STORAGE_PATH_STYLE }: StorageConfig): Promise<Storage> {
  if (REPORT_BUCKET === undefined) throw new Error('The setting REPORT_BUCKET is missing')
  const s3 = await import('@aws-sdk/client-s3')
  const client = new s3.S3Client({
    forcePathStyle: STORAGE_PATH_STYLE === 'on',
    // The signature covers each body already. S3 refuses a part with a checksum if the upload did not begin with one,
    // and an upload by a browser has another body than the one that is signed here.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    // API Gateway ends a request after 30 seconds.
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 8_000, throwOnRequestTimeout: true },
  })
  return { client, bucket: REPORT_BUCKET, s3 }
}

/** Every failure of S3 is temporary for a client: operators repair missing rights. */
const withUnavailable = <T>(response: Promise<T>): Promise<T> =>
  response.catch((cause) => Promise.reject(new RequestError('unavailable', {}, { cause })))
