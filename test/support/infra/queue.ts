import { S3Client } from '@aws-sdk/client-s3'
import {
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { onTestFinished } from 'vitest'
import { localCredentials } from '../../../infra/local/local-account.ts'
import {
  type QueueAndStorage,
  type QueueAndStorageOptions,
  startQueueAndStorage,
} from '../../../infra/local/queue/queue-and-storage.ts'

export interface ServedQueue extends QueueAndStorage {
  readonly sqs: SQSClient
  readonly s3: S3Client
  readonly send: (...bodies: readonly string[]) => Promise<void>
  /** Waits up to `seconds` for messages of the queue, or of another one. */
  readonly receive: (seconds: number, queueUrl?: string) => Promise<readonly Message[]>
  /** How many messages are neither deleted nor moved, hidden ones included. */
  readonly left: () => Promise<number>
}

/** The local SQS and S3 with SDK clients for them, until the test ends. */
export async function serveQueue(options: QueueAndStorageOptions = {}): Promise<ServedQueue> {
  const queue = await startQueueAndStorage({ visibilitySeconds: 1, ...options })
  const sqs = new SQSClient({ endpoint: queue.endpoint, maxAttempts: 1, ...localCredentials })
  const s3 = new S3Client({ endpoint: queue.endpoint, forcePathStyle: true, maxAttempts: 1, ...localCredentials })
  onTestFinished(async () => {
    sqs.destroy()
    s3.destroy()
    await queue.stop()
  })
  return {
    ...queue,
    sqs,
    s3,
    send: async (...bodies) => {
      for (const MessageBody of bodies)
        await sqs.send(new SendMessageCommand({ QueueUrl: queue.queueUrl, MessageBody }))
    },
    receive: async (seconds, QueueUrl = queue.queueUrl) => {
      const asked = { QueueUrl, WaitTimeSeconds: seconds, MaxNumberOfMessages: 10 }
      const receive = new ReceiveMessageCommand({ ...asked, MessageSystemAttributeNames: ['All'] })
      return (await sqs.send(receive)).Messages ?? []
    },
    left: async () => {
      const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const
      const asked = { QueueUrl: queue.queueUrl, AttributeNames: [...AttributeNames] }
      const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand(asked))
      return AttributeNames.reduce((sum, name) => sum + Number(Attributes[name]), 0)
    },
  }
}
