import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { localCredentials } from '../../../infra/local/local-account.ts'
import { eventually } from '../run/patience.ts'
import type { DemoStack } from './demo-stack.ts'

const sizes = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const

/** The queue of a running stack, as any other client of SQS sees it. */
export function demoQueue({ facts }: DemoStack) {
  const withClient = async <T>(work: (client: SQSClient) => Promise<T>): Promise<T> => {
    const client = new SQSClient({ endpoint: facts().sqs_endpoint, ...localCredentials })
    try {
      return await work(client)
    } finally {
      client.destroy()
    }
  }
  return {
    send: (MessageBody: string) =>
      withClient((client) => client.send(new SendMessageCommand({ QueueUrl: facts().queue_url, MessageBody }))),
    /** Resolves when there is no message any more, neither waiting nor in a worker's hands. */
    emptied: () =>
      withClient((client) =>
        eventually(async () => {
          const asked = { QueueUrl: facts().queue_url, AttributeNames: [...sizes] }
          const { Attributes } = await client.send(new GetQueueAttributesCommand(asked))
          return sizes.every((name) => Attributes?.[name] === '0') ? true : undefined
        }),
      ),
    /** The text of the first message in the dead-letter queue, as soon as there is one. */
    firstDead: () =>
      withClient((client) =>
        eventually(async () => {
          const asked = { QueueUrl: facts().dead_letter_queue_url, WaitTimeSeconds: 5 }
          const { Messages = [] } = await client.send(new ReceiveMessageCommand(asked))
          return Messages[0]?.Body
        }),
      ),
  }
}
