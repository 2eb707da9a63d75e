import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { type BuildAppOptions, buildApp } from 'fauxqs'
import { createFaults, type Faults } from './faults.ts'
import { openStores } from './fauxqs-stores.ts'
import { localAccount, localCredentials } from './local-account.ts'
import { keepObjectsPrivate } from './object-access.ts'
import { addQueueFaults } from './queue-faults.ts'

const name = 'table-control-reports'

export interface QueueAndStorageOptions {
  /** Keeps messages and objects between starts; in memory when left out. */
  readonly directory?: string
  /** A free one when left out. */
  readonly port?: number
  /** How long a received message stays hidden. */
  readonly visibilitySeconds?: number
  /** After so many receives without a delete a message moves to the dead-letter queue. */
  readonly maxReceives?: number
}

export interface QueueAndStorage {
  /** Of SQS and of S3, which needs path style. */
  readonly endpoint: string
  readonly queueUrl: string
  readonly deadLetterQueueUrl: string
  readonly bucket: string
  readonly faults: Faults
  readonly ended: Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Starts SQS and S3 on 127.0.0.1 with the queue of jobs, its dead-letter queue and the bucket of reports. The tool behind it
 * takes at most 11 MiB in one request body.
 */
export async function startQueueAndStorage(options: QueueAndStorageOptions = {}): Promise<QueueAndStorage> {
  const { stores, close } = await openStores(options.directory)
  const app = buildApp({ logger: false, defaultRegion: localAccount.region, stores })
  const faults = createFaults()
  addQueueFaults(app, faults)
  keepObjectsPrivate(app)
  forgetAbandonedPolls(app, stores)
  app.addHook('onClose', close)
  const endpoint = await app.listen({ port: options.port ?? 0, host: '127.0.0.1' })
  const urls = await createQueues(endpoint, options)
  if (!stores.s3Store.hasBucket(name)) stores.s3Store.createBucket(name)
  const ended = new Promise<void>((closed) => app.server.once('close', closed))
  return { endpoint, ...urls, bucket: name, faults, ended, stop: () => app.close() }
}

async function createQueues(endpoint: string, { visibilitySeconds = 30, maxReceives = 5 }: QueueAndStorageOptions) {
  const client = new SQSClient({ endpoint, ...localCredentials })
  // The tool's own URLs have host names that not every system resolves, and keep the port of the start that made them.
  const urlOf = async (QueueName: string) => {
    const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName }))
    return endpoint + new URL(QueueUrl).pathname
  }
  const queueUrl = await urlOf(name)
  const deadLetterQueueUrl = await urlOf(`${name}-dead`)
  const asked = new GetQueueAttributesCommand({ QueueUrl: deadLetterQueueUrl, AttributeNames: ['QueueArn'] })
  const { Attributes } = await client.send(asked)
  const redrive = { deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount: maxReceives }
  const set = { VisibilityTimeout: String(visibilitySeconds), RedrivePolicy: JSON.stringify(redrive) }
  await client.send(new SetQueueAttributesCommand({ QueueUrl: queueUrl, Attributes: set }))
  client.destroy()
  return { queueUrl, deadLetterQueueUrl }
}

/** Without this, a long poll whose client has gone would still take the next message, and nobody would see it for a while. */
function forgetAbandonedPolls(
  app: ReturnType<typeof buildApp>,
  { sqsStore }: NonNullable<BuildAppOptions['stores']>,
): void {
  app.addHook('onRequest', (_request, { raw }, done) => {
    raw.once('close', () => {
      if (!raw.writableEnded) for (const queue of sqsStore.allQueues()) queue.cancelWaiters()
    })
    done()
  })
}
