import type { SQSClient } from '@aws-sdk/client-sqs'
import * as z from 'zod/mini'
import type { Config } from '../config.ts'
import { RequestError } from '../errors/request-error.ts'
import { log } from '../telemetry/log.ts'

type QueueConfig = Pick<Config, 'QUEUE_URL'>

const message = z.object({ v: z.literal(1), job: z.uuid() })

/** The queue's message: it names a job and holds nothing else, so a replay finds the job and what was done of it. */
const messageOf = (jobId: string): string => JSON.stringify({ v: 1, job: jobId } satisfies z.infer<typeof message>)

/** The job that a message names; `undefined` for a text that is no message of ours, or of another version. */
export function jobOfMessage(body: string): string | undefined {
  try {
    return message.safeParse(JSON.parse(body)).data?.job
  } catch {
    return undefined
  }
}

/** Gives a job to the worker. Throws `unavailable` where the queue cannot be reached or does not take it. */
export async function sendJob(config: QueueConfig, jobId: string): Promise<void> {
  await send(config, jobId).catch((cause: unknown) => Promise.reject(new RequestError('unavailable', {}, { cause })))
}

async function send({ QUEUE_URL }: QueueConfig, jobId: string): Promise<void> {
  if (QUEUE_URL === undefined) throw new Error('The setting QUEUE_URL is missing')
  const { client, SendMessageCommand } = await queue()
  await client.send(new SendMessageCommand({ QueueUrl: QUEUE_URL, MessageBody: messageOf(jobId) }))
}

/**
 * Makes a message that was received come back after so many seconds, and not only when the queue has lost patience. Where
 * that fails, it comes back then, and the log says so of its job. Never rejects.
 */
export async function hideMessage(
  { QUEUE_URL }: QueueConfig,
  receiptHandle: string,
  seconds: number,
  job?: string,
): Promise<void> {
  const hidden = {
    QueueUrl: QUEUE_URL,
    ReceiptHandle: receiptHandle,
    VisibilityTimeout: Math.min(seconds, mostSeconds),
  }
  try {
    const { client, ChangeMessageVisibilityCommand } = await queue()
    await client.send(new ChangeMessageVisibilityCommand(hidden))
  } catch (error) {
    const about = { job, code: error instanceof Error ? error.name : typeof error }
    log('warn', 'a message comes back when the queue decides', about)
  }
}

const mostSeconds = 43_200

interface Queue {
  readonly client: SQSClient
  readonly SendMessageCommand: typeof import('@aws-sdk/client-sqs').SendMessageCommand
  readonly ChangeMessageVisibilityCommand: typeof import('@aws-sdk/client-sqs').ChangeMessageVisibilityCommand
}

let opened: Promise<Queue> | undefined

/** One client per process, made at its first use. A repeated message is harmless, so the SDK may try twice. */
function queue(): Promise<Queue> {
  opened ??= import('@aws-sdk/client-sqs').then(({ SQSClient, ...commands }) => {
    const requestHandler = { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true }
    // The host in QUEUE_URL may have no IPv6 address, where the endpoint of the region, or of this machine, has one.
    const client = new SQSClient({ maxAttempts: 2, useQueueUrlAsEndpoint: false, requestHandler })
    return { client, ...commands }
  })
  return opened
}
