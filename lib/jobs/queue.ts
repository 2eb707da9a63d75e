import type { SQSClient } from '@aws-sdk/client-sqs'
import * as z from 'zod/mini'
import type { Config } from '../config.ts'
import { RequestError } from '../errors/request-error.ts'
import { log } from '../telemetry/log.ts'

type QueueConfig = Pick<Config, 'QUEUE_URL'>

const message = z.object({ v: z.literal(1), job: z.uuid() })

/** Returns the queue's message, which holds the job's id alone: a repeated message finds the job as it is by then. */
const formatMessage = (jobId: string): string => JSON.stringify({ v: 1, job: jobId } satisfies z.infer<typeof message>)

/** Returns the id of the job in a message; `undefined` for any other text, or another version. */
export function parseJobMessage(body: string): string | undefined {
  try {
    return message.safeParse(JSON.parse(body)).data?.job
  } catch {
    return undefined
  }
}

/** Sends a job to the queue. Throws `unavailable` if the queue cannot be reached or refuses it. */
export async function enqueueJob(config: QueueConfig, jobId: string): Promise<void> {
  await send(config, jobId).catch((cause: unknown) => Promise.reject(new RequestError('unavailable', {}, { cause })))
}

async function send(config: QueueConfig, jobId: string): Promise<void> {
  const { QUEUE_URL } = config
  if (QUEUE_URL === undefined) throw new Error('The setting QUEUE_URL is missing')
  const { client, SendMessageCommand } = await findQueue(config)
  await client.send(new SendMessageCommand({ QueueUrl: QUEUE_URL, MessageBody: formatMessage(jobId) }))
}

/**
 * Makes a received message come back after so many seconds instead of at the end of the queue's visibility timeout. Never
 * rejects: a failure is logged.
 */
export async function hideMessage(
  config: QueueConfig,
  receiptHandle: string,
  seconds: number,
  job?: string,
): Promise<void> {
  const hidden = {
    QueueUrl: config.QUEUE_URL,
    ReceiptHandle: receiptHandle,
    VisibilityTimeout: Math.min(seconds, maxSeconds),
  }
  try {
    const { client, ChangeMessageVisibilityCommand } = await findQueue(config)
    await client.send(new ChangeMessageVisibilityCommand(hidden))
  } catch (error) {
    const about = { job, code: error instanceof Error ? error.name : typeof error }
    log(
      'warn',
      'the visibility timeout of a queue message was not changed; it comes back when the timeout of the queue ends',
      about,
    )
  }
}

/** SQS hides a message for twelve hours at most. */
const maxSeconds = 43_200

interface Queue {
  readonly client: SQSClient
  readonly SendMessageCommand: typeof import('@aws-sdk/client-sqs').SendMessageCommand
  readonly ChangeMessageVisibilityCommand: typeof import('@aws-sdk/client-sqs').ChangeMessageVisibilityCommand
}

const queues = new WeakMap<QueueConfig, Promise<Queue>>()

/** Returns the one client of a configuration. A repeated message is harmless, so the SDK may try twice. */
function findQueue(config: QueueConfig): Promise<Queue> {
  const queue = queues.get(config) ?? openQueue()
  queues.set(config, queue)
  return queue
}

async function openQueue(): Promise<Queue> {
  const { SQSClient, ...commands } = await import('@aws-sdk/client-sqs')
  const requestHandler = { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true }
  // The host in QUEUE_URL may have no IPv6 address, where the endpoint of the region, or of this machine, has one.
  const client = new SQSClient({ maxAttempts: 2, useQueueUrlAsEndpoint: false, requestHandler })
  return { client, ...commands }
}
