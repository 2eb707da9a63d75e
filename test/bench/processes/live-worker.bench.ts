import { SQSClient } from '@aws-sdk/client-sqs'
import { reportWorker } from '#lib'
import { startEventSourceMapping } from '../../../infra/local/queue/event-source-mapping.ts'
import { liveRegistry } from '../live/parcels.ts'

// The worker behind the queue as a stage has it: one message at a time, two at once.
const target = { name: 'report-worker', handler: reportWorker(liveRegistry) }
const queueUrl = process.env['QUEUE_URL'] ?? ''
startEventSourceMapping({ client: new SQSClient({}), queueUrl, target, batchSize: 1, concurrency: 2 })
process.once('disconnect', () => process.exit(0))
