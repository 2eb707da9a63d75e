import { DeleteObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { RemoveObjects } from './erase-row.ts'

const objectsAtOnce = 10

/** Opens the bucket of reports. Without its name, only an empty list of objects can be removed. */
export function openBucket(name: string | undefined): RemoveObjects {
  return async (keys) => {
    if (keys.length === 0) return
    if (name === undefined || name === '')
      throw new Error(`There are ${keys.length} files to remove: name the bucket of reports with --bucket <name>`)
    const client = new S3Client({ forcePathStyle: process.env['STORAGE_PATH_STYLE'] === 'on' })
    try {
      for (let start = 0; start < keys.length; start += objectsAtOnce) {
        const some = keys.slice(start, start + objectsAtOnce)
        await Promise.all(some.map((key) => client.send(new DeleteObjectCommand({ Bucket: name, Key: key }))))
      }
    } finally {
      client.destroy()
    }
  }
}
