import { SQSClient } from '@aws-sdk/client-sqs'
import { registry } from '#tables'
import { startEventSourceMapping } from '../../../infra/local/queue/event-source-mapping.ts'
import { reportWorker } from '../../../lib/index.ts'

// One Lambda environment behind the queue: batches of ten, one after the other, until the parent lets go.
const client = new SQSClient({})
const target = { name: 'report-worker', handler: reportWorker(registry) }
const queueUrl = process.env['QUEUE_URL'] ?? ''
startEventSourceMapping({ client, queueUrl, target, batchSize: 10, concurrency: 1 })
process.once('disconnect', () => process.exit(0))
