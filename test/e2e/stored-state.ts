import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs'
import { localCredentials } from '../../infra/local/local-account.ts'
import { sourceBucket } from '../../infra/local/queue/queue-definition.ts'
import type { DemoStack } from '../support/stack/demo-stack.ts'

export interface StoredState {
  /** The number of rows of each table, by `schema.table`. */
  readonly rows: Readonly<Record<string, number>>
  /** A hash of all that is in the tables of the schema `public`. */
  readonly content: string
  readonly files: readonly string[]
  readonly messages: number
}

/** Everything that a running stack keeps: rows, files, messages. */
export async function storedState(stack: DemoStack): Promise<StoredState> {
  const sql = stack.sql()
  const tables = await sql<{ schema: string; name: string }[]>`select table_schema as schema, table_name as name
    from information_schema.tables where table_schema in ('public', 'table_control') and table_type = 'BASE TABLE'`
  const rows: Record<string, number> = {}
  const hashes: string[] = []
  for (const { schema, name } of tables) {
    const [counted] = await sql`select count(*)::int as rows from ${sql(schema)}.${sql(name)}`
    rows[`${schema}.${name}`] = counted?.['rows']
    if (schema !== 'public') continue
    const [hashed] = await sql`select sum(hashtextextended(t::text, 0)) as hash from ${sql(schema)}.${sql(name)} t`
    hashes.push(`${name} ${hashed?.['hash']}`)
  }
  return { rows, content: hashes.sort().join(), files: await storedFiles(stack), messages: await messages(stack) }
}

export async function storedFiles(stack: DemoStack): Promise<readonly string[]> {
  const client = new S3Client({ ...localCredentials, endpoint: stack.facts().sqs_endpoint, forcePathStyle: true })
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: sourceBucket }))
  client.destroy()
  return Contents.flatMap(({ Key }) => Key ?? []).sort()
}

async function messages(stack: DemoStack): Promise<number> {
  const { queue_url, sqs_endpoint } = stack.facts()
  const client = new SQSClient({ ...localCredentials, endpoint: sqs_endpoint })
  const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: queue_url, AttributeNames: [...AttributeNames] }),
  )
  client.destroy()
  return AttributeNames.reduce((sum, name) => sum + Number(Attributes[name]), 0)
}
