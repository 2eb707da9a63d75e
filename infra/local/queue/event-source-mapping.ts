import { setTimeout as sleep } from 'node:timers/promises'
import { DeleteMessageBatchCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import { atMost } from '../at-most.ts'
import { type FailureReport, invoke, type LocalFunction } from '../lambda/local-function.ts'
import { queueEvent } from './queue-event.ts'
import { selectHandled } from './select-handled.ts'

export interface EventSourceMappingOptions {
  readonly client: SQSClient
  readonly queueUrl: string
  readonly target: LocalFunction<SQSEvent>
  /** The maximum number of messages of an event, 1 to 10. Default: 10. */
  readonly batchSize?: number
  /** The number of simultaneous batches. Default: 2. */
  readonly concurrency?: number
  /** Whether the function says which messages failed (ReportBatchItemFailures). Default: true. */
  readonly reportsFailures?: boolean
  /** Lambda's 15 minutes, unless a test wants less. */
  readonly timeoutMs?: number
  readonly onFailure?: FailureReport
}

export interface EventSourceMapping {
  /** Ends the waiting for messages at once and waits up to 5 seconds for the batches under way. */
  readonly stop: () => Promise<void>
}

const patienceMs = 5_000
const maxPauseMs = 5_000

/**
 * Hands the messages of a queue to a function as Lambda does. What succeeds is deleted; what
 * fails is left alone, so that the queue shows it again after its visibility timeout, which is never changed here.
 */
export function startEventSourceMapping(options: EventSourceMappingOptions): EventSourceMapping {
  const stopping = new AbortController()
  const pollers = Array.from({ length: options.concurrency ?? 2 }, () => poll(options, stopping.signal))
  return {
    stop: async () => {
      stopping.abort()
      await atMost(patienceMs, Promise.all(pollers))
    },
  }
}

/** A queue that cannot be reached is asked again, less and less often; the first failure of a row is reported. */
async function poll(options: EventSourceMappingOptions, stopping: AbortSignal): Promise<void> {
  let pauseMs = 0
  while (!stopping.aborted) {
    try {
      await takeBatch(options, stopping)
      pauseMs = 0
    } catch (error) {
      if (stopping.aborted) return
      if (pauseMs === 0) options.onFailure?.(`${options.target.name} (its queue)`, error)
      pauseMs = Math.min(Math.max(200, pauseMs * 2), maxPauseMs)
      await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined)
    }
  }
}

async function takeBatch(options: EventSourceMappingOptions, stopping: AbortSignal): Promise<void> {
  const { client, queueUrl, target, batchSize = 10, reportsFailures = true, timeoutMs = 900_000, onFailure } = options
  const receive = new ReceiveMessageCommand({
    QueueUrl: queueUrl,
    MaxNumberOfMessages: batchSize,
    WaitTimeSeconds: 20,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  })
  const { Messages = [] } = await client.send(receive, { abortSignal: stopping })
  if (Messages.length === 0) return
  const event = queueEvent(queueUrl, Messages)
  const handled = await invoke(target, structuredClone(event), timeoutMs).then(
    (result) => (reportsFailures ? selectHandled(event.Records, result) : event.Records),
    (error: unknown) => {
      onFailure?.(target.name, error)
      return []
    },
  )
  if (handled.length === 0) return
  const entries = handled.map(({ receiptHandle }, at) => ({ Id: String(at), ReceiptHandle: receiptHandle }))
  await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries }))
}
