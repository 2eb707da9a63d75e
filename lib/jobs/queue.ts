import type { SQSClient } from '@aws-sdk/client-sqs'
import * as z from 'zod/mini'
import type { Config } from '../config.ts'
import { RequestError } from '../errors/request-error.ts'
import { errorName, log } from '../telemetry/log.ts'

type QueueConfig = Pick<Config, 'QUEUE_URL'>

const message = z.union([
  z.object({ v: z.literal(1), job: z.uuid() }),
  z.object({ v: z.literal(1), watched: z.string(), poll: z.optional(z.number()) }),
])

/**
 * Names the job to run, or the table whose watchers to notify of changes; `poll` numbers a message that is sent again.
 */
export type QueueMessage = z.infer<typeof message>

/**
 * Parses a message of the queue; `undefined` for any other text. Messages only name a job or a table, so repeats are
 * harmless.
 */
export function parseMessage(body: string): QueueMessage | undefined {
  try {
    return message.safeParse(JSON.parse(body)).data
  } catch {
    return undefined
  }
}

/** Sends a job to the queue. Throws `unavailable` if the queue cannot be reached or refuses it. */
export async function enqueueJob(config: QueueConfig, jobId: string): Promise<void> {
  await send(config, { v: 1, job: jobId }).catch((cause: unknown) =>
    Promise.reject(new RequestError('unavailable', {}, { cause })),
  )
}

/**
 * Asks a worker to notify a table's watchers after `afterSeconds`. Never rejects: the sweep asks within two minutes.
 */
export async function wakeWatchers(
  config: QueueConfig,
  tableName: string,
  afterSeconds = 0,
  poll?: number,
): Promise<void> {
  try {
    await send(config, { v: 1, watched: tableName, ...(poll !== undefined && { poll }) }, afterSeconds)
  } catch (error) {
    log('warn', 'the queue did not take a change of rows; the sweep sends it within two minutes', {
      table: tableName,
      code: errorName(error),
    })
  }
}

async function send(config: QueueConfig, message: QueueMessage, afterSeconds = 0): Promise<void> {
  const { QUEUE_URL } = config
  if (QUEUE_URL === undefined) throw new Error('The setting QUEUE_URL is missing')
  const { client, SendMessageCommand } = await findQueue(config)
  const delay = afterSeconds > 0 ? { DelaySeconds: afterSeconds } : {}
  await client.send(new SendMessageCommand({ QueueUrl: QUEUE_URL, MessageBody: JSON.stringify(message), ...delay }))
}

/**
 * Makes a received message come back after `seconds`, for a retry about an hour at most, instead of at the end of the
 * queue's visibility timeout. Never rejects: a failure is logged.
 */
export async function hideMessage(
  config: QueueConfig,
  receiptHandle: string,
  seconds: number,
  job?: string,
): Promise<void> {
  const hidden = { QueueUrl: config.QUEUE_URL, ReceiptHandle: receiptHandle, VisibilityTimeout: seconds }
  try {
    const { client, ChangeMessageVisibilityCommand } = await findQueue(config)
    await client.send(new ChangeMessageVisibilityCommand(hidden))
  } catch (error) {
    log(
      'warn',
      'the visibility timeout of a queue message was not changed; the message comes back when the timeout of the queue ends',
      { job, code: errorName(error) },
    )
  }
}

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
