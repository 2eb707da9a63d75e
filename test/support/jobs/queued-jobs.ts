import { DeleteMessageBatchCommand, PurgeQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { Sql } from 'postgres'
import { localCredentials } from '../../../infra/local/local-account.ts'
import type { QueueAndStorage } from '../../../infra/local/queue/queue-and-storage.ts'

/** Takes all messages off the queue, parsed. */
export async function queuedMessages({ endpoint, queueUrl }: QueueAndStorage): Promise<readonly unknown[]> {
  const client = new SQSClient({ endpoint, maxAttempts: 1, ...localCredentials })
  const bodies: unknown[] = []
  for (;;) {
    const asked = { QueueUrl: queueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 0, VisibilityTimeout: 60 }
    const { Messages = [] } = await client.send(new ReceiveMessageCommand(asked))
    if (Messages.length === 0) break
    bodies.push(...Messages.map(({ Body = '' }) => JSON.parse(Body)))
    const Entries = Messages.map(({ MessageId: Id, ReceiptHandle }) => ({ Id, ReceiptHandle }))
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }))
  }
  client.destroy()
  return bodies
}

/** Loses the messages of the queue, also those that wait for their time. */
export async function purgeQueue({ endpoint, queueUrl }: QueueAndStorage): Promise<void> {
  const client = new SQSClient({ endpoint, maxAttempts: 1, ...localCredentials })
  await client.send(new PurgeQueueCommand({ QueueUrl: queueUrl }))
  client.destroy()
}

export async function jobRow(sql: Sql, id: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const [row] = await sql`select * from table_control.jobs where id = ${id}`
  return row
}
