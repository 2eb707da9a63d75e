import { startQueueAndStorage } from '../../../infra/local/queue/queue-and-storage.ts'

// The local SQS in a process of its own, so that its processor time is not counted as that of the service.
const { endpoint, queueUrl } = await startQueueAndStorage()
process.once('disconnect', () => process.exit(0))
process.send?.({ endpoint, queueUrl })
