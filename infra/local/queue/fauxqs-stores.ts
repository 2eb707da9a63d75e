import { mkdirSync } from 'node:fs'
import type { BuildAppOptions } from 'fauxqs'
import { errorMessage } from '../error-message.ts'

type Stores = NonNullable<BuildAppOptions['stores']>

interface Persistence {
  readonly load: (sqs: Stores['sqsStore'], sns: Stores['snsStore'], s3: Stores['s3Store']) => void
  readonly close: () => void
}

export interface OpenStores {
  readonly stores: Stores
  /** Must come after the last request. */
  readonly close: () => void
}

/**
 * The stores of fauxqs, kept in a directory when one is given. The package exports only a server that listens on every
 * interface; these are its own parts, so that our server listens on 127.0.0.1 (the package's version is pinned).
 */
export async function openStores(directory: string | undefined): Promise<OpenStores> {
  const [{ SqsStore }, { SnsStore }, { S3Store }] = await Promise.all([
    part('sqs/sqsStore.js'),
    part('sns/snsStore.js'),
    part('s3/s3Store.js'),
  ])
  const stores: Stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() }
  if (directory === undefined) return { stores, close: () => undefined }
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const { PersistenceManager } = await part('persistence.js')
  const persistence = openPersistence(() => new PersistenceManager(directory), stores, directory)
  for (const store of Object.values(stores)) Object.assign(store, { persistence })
  for (const queue of stores.sqsStore.allQueues()) Object.assign(queue, { persistence })
  return { stores, close: persistence.close.bind(persistence) }
}

function openPersistence(open: () => Persistence, stores: Stores, directory: string): Persistence {
  try {
    const persistence = open()
    persistence.load(stores.sqsStore, stores.snsStore, stores.s3Store)
    return persistence
  } catch (cause) {
    const fix = 'delete this folder of messages and files, and the next start makes another one'
    throw new Error(`${directory} cannot be read: ${errorMessage(cause)}; ${fix}`, { cause })
  }
}

/** A file URL goes past the package's list of exports. */
const part = (path: string) => import(new URL(path, import.meta.resolve('fauxqs')).href)
