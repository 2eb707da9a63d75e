import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets'
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { Duration } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { triggers } from '../../lib/routes.ts'
import { type FunctionName, functionSettings } from '../settings/function-settings.ts'
import type { Stage } from '../settings/stage-settings.ts'
import { statement } from './policy-statement.ts'
import type { TableFunction } from './table-function.ts'

/** The queue of jobs, its dead-letter queue, and the schedule of the sweep. */
export class Jobs extends Construct {
  readonly queue: Queue
  readonly deadLetterQueue: Queue
  readonly #stage: Stage

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    this.#stage = stage
    const safe = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true }
    this.deadLetterQueue = new Queue(this, 'DeadLetterQueue', {
      ...safe,
      retentionPeriod: Duration.days(14),
    })
    this.queue = new Queue(this, 'Queue', {
      ...safe,
      retentionPeriod: Duration.days(4),
      // Lambda's own rule, so that a message is not shown again while a throttled worker still tries.
      visibilityTimeout: Duration.seconds(6 * functionSettings[triggers.queue].timeoutSeconds),
      // A message may stand for the attempts at several jobs, one after the other.
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount: 10 },
    })
  }

  /** Lets the queue and the clock call their functions. Returns the clock. */
  connect(functions: Readonly<Record<FunctionName, TableFunction>>): Rule {
    const worker = functions[triggers.queue]
    worker.addEventSource(
      new SqsEventSource(this.queue, {
        batchSize: 1,
        reportBatchItemFailures: true,
        maxConcurrency: this.#stage.maxConcurrentReports,
      }),
    )
    worker.allow(statement(['sqs:ChangeMessageVisibility'], [this.queue.queueArn]))
    const sweep = functions[triggers.schedule.everyMinute]
    // The next minute does the same as an attempt of Lambda's own.
    sweep.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) })
    return new Rule(this, 'EveryMinute', {
      description: 'Finds lost jobs and removes what has expired',
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [
        new FunctionTarget(sweep, {
          event: RuleTargetInput.fromObject({}),
          retryAttempts: 0,
          maxEventAge: Duration.minutes(1),
        }),
      ],
    })
  }

  grantSend(sender: TableFunction): void {
    sender.allow(statement(['sqs:SendMessage'], [this.queue.queueArn]))
  }
}
