import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import type { QueueAndStorage } from '../../../infra/local/queue/queue-and-storage.ts'

/** Lists the keys of all objects in the bucket. */
export async function objectKeys({ endpoint, bucket }: QueueAndStorage): Promise<readonly string[]> {
  const client = new S3Client({ endpoint, forcePathStyle: true })
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
  client.destroy()
  return Contents.map(({ Key = '' }) => Key)
}
