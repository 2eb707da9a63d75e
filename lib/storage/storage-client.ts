import type { S3Client } from '@aws-sdk/client-s3'
import type { Config } from '../config.ts'
import { RequestError } from '../errors/request-error.ts'

/** What the clients of S3 read from the environment themselves are region, credentials and AWS_ENDPOINT_URL_S3. */
export type StorageConfig = Pick<Config, 'REPORT_BUCKET' | 'STORAGE_PATH_STYLE'>

export interface Storage {
  readonly client: S3Client
  readonly bucket: string
  readonly s3: typeof import('@aws-sdk/client-s3')
}

const known = new WeakMap<StorageConfig, Promise<Storage>>()

/** The client of this deployment's bucket, made at its first use. Throws where the deployment has no bucket. */
export function storageOf(config: StorageConfig): Promise<Storage> {
  const storage = known.get(config) ?? openStorage(config)
  known.set(config, storage)
  return storage
}

async function openStorage({ REPORT_BUCKET, STORAGE_PATH_STYLE }: StorageConfig): Promise<Storage> {
  if (REPORT_BUCKET === undefined) throw new Error('The setting REPORT_BUCKET is missing')
  const s3 = await import('@aws-sdk/client-s3')
  const client = new s3.S3Client({
    forcePathStyle: STORAGE_PATH_STYLE === 'on',
    // A request that waits for a file is itself given up before 30 seconds.
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 8_000, throwOnRequestTimeout: true },
  })
  return { client, bucket: REPORT_BUCKET, s3 }
}

/** Every failure of S3 is one of a moment to a client: a missing right is repaired without the client, too. */
export const fromStorage = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((cause) => Promise.reject(new RequestError('unavailable', {}, { cause })))
