import { CreateQueueCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs'
import { type BuildAppOptions, buildApp } from 'fauxqs'
import { type Authorize, authorizeAll } from '../authorize.ts'
import { createFaults, type Faults } from '../faults.ts'
import { localAccount, localCredentials } from '../local-account.ts'
import { refuseOtherSites } from '../refuse-other-sites.ts'
import { openStores } from './fauxqs-stores.ts'
import { admitPages, hideMissingObjects, keepObjectsPrivate, refusePartChecksums } from './object-access.ts'
import { type QueueDefinition, queueArn, sourceBucket, sourceQueues } from './queue-definition.ts'
import { addQueueFaults } from './queue-faults.ts'
import { askForPermission } from './queue-permissions.ts'

export interface QueueAndStorageOptions {
  /** The directory that keeps messages and objects between starts. Default: in memory. */
  readonly directory?: string
  /** Default: a free port. */
  readonly port?: number
  /** Default: the queue of jobs and its dead-letter queue, with the two settings below. */
  readonly queues?: readonly QueueDefinition[]
  /** How long a received message stays hidden. */
  readonly visibilitySeconds?: number
  /** After `maxReceives` receives without a delete, a message moves to the dead-letter queue. */
  readonly maxReceives?: number
  readonly buckets?: readonly string[]
  /** Decides who may do what; default: no restriction. */
  readonly authorize?: Authorize
}

export interface QueueAndStorage {
  /** Endpoint of SQS and of S3, which needs path style. */
  readonly endpoint: string
  readonly findQueueUrl: (queue: string) => string
  /** URL of the first queue that has a dead-letter queue. */
  readonly queueUrl: string
  readonly deadLetterQueueUrl: string
  /** The first one. */
  readonly bucket: string
  readonly faults: Faults
  readonly ended: Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Starts SQS and S3 on 127.0.0.1 with the given queues and buckets. The tool behind it
 * takes at most 11 MiB in one request body.
 */
export async function startQueueAndStorage(options: QueueAndStorageOptions = {}): Promise<QueueAndStorage> {
  const { stores, close } = await openStores(options.directory)
  const app = buildApp({ logger: false, defaultRegion: localAccount.region, stores })
  const faults = createFaults()
  addQueueFaults(app, faults)
  askForPermission(app, options.authorize ?? authorizeAll)
  // Browsers ask whether they may send a request without its signature.
  admitPages(app)
  keepObjectsPrivate(app)
  refusePartChecksums(app)
  hideMissingObjects(app)
  forgetAbandonedPolls(app, stores)
  app.addHook('onClose', close)
  refuseOtherSites(app.server)
  const endpoint = await app.listen({ port: options.port ?? 0, host: '127.0.0.1' })
  const { visibilitySeconds, maxReceives, buckets = [sourceBucket] } = options
  const queues = options.queues ?? sourceQueues(visibilitySeconds, maxReceives)
  const urls = await createQueues(endpoint, queues)
  for (const bucket of buckets) if (!stores.s3Store.hasBucket(bucket)) stores.s3Store.createBucket(bucket)
  const findQueueUrl = (queue: string) => urls.get(queue) ?? ''
  const main = queues.find(({ deadLetters }) => deadLetters !== undefined)
  const ended = new Promise<void>((closed) => app.server.once('close', closed))
  return {
    endpoint,
    findQueueUrl,
    faults,
    ended,
    queueUrl: findQueueUrl(main?.name ?? ''),
    deadLetterQueueUrl: findQueueUrl(main?.deadLetters?.queue ?? ''),
    bucket: buckets[0] ?? '',
    stop: () => app.close(),
  }
}

/** The URL of each queue by its name. A queue that was there before takes the new attributes. */
async function createQueues(
  endpoint: string,
  queues: readonly QueueDefinition[],
): Promise<ReadonlyMap<string, string>> {
  const client = new SQSClient({ endpoint, ...localCredentials })
  const urls = new Map<string, string>()
  for (const { name } of queues) {
    const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName: name }))
    // The tool's own URLs have host names that not every system resolves, and keep the port of the start that made
    // them.
    urls.set(name, endpoint + new URL(QueueUrl).pathname)
  }
  for (const { name, attributes, deadLetters } of queues) {
    const redrive = deadLetters && {
      deadLetterTargetArn: queueArn(deadLetters.queue),
      maxReceiveCount: deadLetters.maxReceives,
    }
    const set = { ...attributes, ...(redrive && { RedrivePolicy: JSON.stringify(redrive) }) }
    if (Object.keys(set).length === 0) continue
    await client.send(new SetQueueAttributesCommand({ QueueUrl: urls.get(name) ?? '', Attributes: set }))
  }
  client.destroy()
  return urls
}

/**
 * Ends the long polls of clients that have gone: otherwise each takes a message, which is then hidden from others for a
 * while.
 */
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
