import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Config } from '../config.ts'
import { RequestError } from '../errors/request-error.ts'

/** The queue's message: it names a job and holds nothing else, so a replay finds the job and what was done of it. */
export const messageOf = (jobId: string): string => JSON.stringify({ v: 1, job: jobId })

let client: Promise<SQSClient> | undefined

/** One client per process. A repeated message is harmless, so the SDK may try twice. */
export function queueClient(): Promise<SQSClient> {
  client ??= import('@aws-sdk/client-sqs').then(
    ({ SQSClient }) =>
      new SQSClient({
        maxAttempts: 2,
        requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
      }),
  )
  return client
}

/** Gives a job to the worker. Throws `unavailable` where the queue cannot be reached or does not take it. */
export async function sendJob(config: Pick<Config, 'QUEUE_URL'>, jobId: string): Promise<void> {
  await send(config, jobId).catch((cause: unknown) => Promise.reject(new RequestError('unavailable', {}, { cause })))
}

async function send({ QUEUE_URL }: Pick<Config, 'QUEUE_URL'>, jobId: string): Promise<void> {
  if (QUEUE_URL === undefined) throw new Error('QUEUE_URL is not set')
  const { SendMessageCommand } = await import('@aws-sdk/client-sqs')
  await (await queueClient()).send(new SendMessageCommand({ QueueUrl: QUEUE_URL, MessageBody: messageOf(jobId) }))
}
