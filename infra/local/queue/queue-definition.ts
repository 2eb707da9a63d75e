import { localArn } from '../local-account.ts'

/** The settings of a queue. */
export interface QueueDefinition {
  readonly name: string
  /** In the words of SQS, such as `VisibilityTimeout`. */
  readonly attributes: Readonly<Record<string, string>>
  /** The queue that gets a message after `maxReceives` receives without a delete. */
  readonly deadLetters?: { readonly queue: string; readonly maxReceives: number }
}

/** The queue of jobs and its dead-letter queue, when the functions run from the sources. */
export const sourceQueues = (visibilitySeconds = 30, maxReceives = 5): readonly QueueDefinition[] => [
  { name: `${sourceBucket}-dead`, attributes: {} },
  {
    name: sourceBucket,
    attributes: { VisibilityTimeout: String(visibilitySeconds) },
    deadLetters: { queue: `${sourceBucket}-dead`, maxReceives },
  },
]

/** The name of the bucket, and of the queue. */
export const sourceBucket = 'table-control-reports'

export const queueArn = (name: string): string => localArn('sqs', name)
