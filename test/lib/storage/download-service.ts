import { integer, pgTable } from 'drizzle-orm/pg-core'
import postgres, { type Sql } from 'postgres'
import * as z from 'zod'
import { accountVariables } from '../../../infra/local/local-account.ts'
import { type QueueAndStorage, startQueueAndStorage } from '../../../infra/local/queue/queue-and-storage.ts'
import { loadConfig } from '../../../lib/config.ts'
import {
  callerEndpoint,
  createRegistry,
  createService,
  download,
  everyRow,
  extendDownload,
  forbidden,
  listDownloads,
  publicEndpoint,
  revokeDownload,
  routeNotFound,
  type Service,
} from '../../../lib/index.ts'
import type { FileOwner } from '../../../lib/storage/store-file.ts'
import { serviceSchema } from '../../support/database/service-schema.ts'
import { testDatabase } from '../../support/database/test-database.ts'
import { publicUrl } from '../../support/fixtures/fixture-api.ts'
import { defineFixture, fixtureClaims, north } from '../../support/fixtures/identities.ts'
import { objectKeys } from '../../support/jobs/object-keys.ts'
import { type Api, createApi } from '../../support/requests/api.ts'
import { startIdentityProvider } from '../../support/requests/identity-provider.ts'
import { serviceEnvironment } from '../../support/requests/service-environment.ts'

export interface DownloadService extends Api {
  readonly service: Service
  readonly storage: QueueAndStorage
  readonly sql: Sql
  /** Files are stored for this subject. */
  readonly createOwner: (subject: string) => FileOwner
  /** The keys of all objects in the bucket. */
  readonly objectKeys: () => Promise<readonly string[]>
  readonly stop: () => Promise<void>
}

/** The endpoints of downloads over a bucket and a database of their own. Stop it in `afterAll`. */
export async function startDownloadService(settings: Readonly<Record<string, string>> = {}): Promise<DownloadService> {
  const [provider, database, storage] = await Promise.all([
    startIdentityProvider(),
    testDatabase(serviceSchema),
    startQueueAndStorage(),
  ])
  Object.assign(process.env, accountVariables, { AWS_ENDPOINT_URL_S3: storage.endpoint })
  const config = loadConfig({
    ...serviceEnvironment(database.serviceUrl, provider),
    PUBLIC_URL: publicUrl,
    REPORT_BUCKET: storage.bucket,
    STORAGE_PATH_STYLE: 'on',
    ...settings,
  })
  const service = createService(config)
  const sql = postgres(database.url, { max: 1, onnotice: () => {} })
  return {
    ...createApi(createHandlers(service), { tokenFor: provider.tokenFor, as: north }),
    service,
    storage,
    sql,
    createOwner: (subject) => ({ ...service, identity: { subject }, guard: 'api', baseUrl: publicUrl }),
    objectKeys: () => objectKeys(storage),
    stop: async () => {
      await Promise.all([service.database.close(), sql.end({ timeout: 5 })])
      await Promise.all([database.drop(), provider.stop(), storage.stop()])
    },
  }
}

const parcels = pgTable('parcels', { id: integer().primaryKey() })

/** The table whose exports the links lead to. No row of it is read, so the database does not have it. */
const parcelsTable = defineFixture({
  name: 'parcels',
  from: parcels,
  key: 'id',
  scope: everyRow,
  params: z.object({ depot: z.enum(['small', 'large']) }),
  columns: { id: { label: 'No.' } },
  middlewares: [
    ({ identity, endpoint }) => {
      const isSuspended = identity.claims.role === 'suspended' && endpoint === 'table_control.api.bulkTableAction'
      if (isSuspended) throw forbidden({ en: 'Suspended', ar: 'موقوف' })
    },
  ],
  bulkActions: {
    report: { export: 'csv' },
    managers_report: { export: 'csv', loadIf: ({ identity }) => identity.claims.role === 'manager' },
    small_report: {
      export: 'csv',
      loadIf: ({ params }) => params.depot === 'small',
      formerly: { name: 'depot_report', since: '2026-02-01', sunset: '2026-08-01' },
    },
  },
})

const registry = createRegistry([parcelsTable], { claims: fixtureClaims })

/** The action that an exported file comes from, for `storeFile`. */
export const exportedBy = (action: string, depot = 'small') => ({
  tableName: 'parcels',
  action,
  params: { depot },
})

function createHandlers(service: Service) {
  const running = () => service
  return {
    download: publicEndpoint({ name: 'download', run: download }, running),
    revokeDownload: callerEndpoint(registry, { name: 'revokeDownload', run: revokeDownload }, running),
    extendDownload: callerEndpoint(registry, { name: 'extendDownload', run: extendDownload }, running),
    listDownloads: callerEndpoint(registry, { name: 'listDownloads', run: listDownloads }, running),
    fallback: routeNotFound(() => service.config),
  }
}
