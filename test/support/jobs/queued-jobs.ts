import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { Sql } from 'postgres'
import { localCredentials } from '../../../infra/local/local-account.ts'
import type { QueueAndStorage } from '../../../infra/local/queue/queue-and-storage.ts'

/** Takes all messages off the queue, parsed. */
export async function queuedMessages({ endpoint, queueUrl }: QueueAndStorage): Promise<readonly unknown[]> {
  const client = new SQSClient({ endpoint, maxAttempts: 1, ...localCredentials })
  const bodies: unknown[] = []
  for (;;) {
    const asked = new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 0 })
    const { Messages = [] } = await client.send(asked)
    for (const { Body = '', ReceiptHandle } of Messages) {
      bodies.push(JSON.parse(Body))
      await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }))
    }
    if (Messages.length === 0) break
  }
  client.destroy()
  return bodies
}

export async function jobRow(sql: Sql, id: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const [row] = await sql`select * from table_control.jobs where id = ${id}`
  return row
}
