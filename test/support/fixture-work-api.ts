import postgres, { type Sql } from 'postgres'
import { localCredentials } from '../../infra/local/local-account.ts'
import { type QueueAndStorage, startQueueAndStorage } from '../../infra/local/queue/queue-and-storage.ts'
import { type FixtureApi, startFixtureApi } from './fixture-api.ts'
import { lineRows, orderRows } from './fixture-work-schema.ts'

export interface WorkApi extends FixtureApi {
  readonly sql: Sql
  /** Puts orders and lines back to where they began, and empties the service's own tables. */
  readonly reset: () => Promise<void>
  /** How often actions have changed the order, or the orders in their order. */
  readonly runs: (...ids: readonly number[]) => Promise<readonly number[]>
  readonly audit: () => Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** The endpoints over tables whose actions change rows. Stop it in `afterAll`. */
export async function startWorkApi(settings: Readonly<Record<string, string>> = {}): Promise<WorkApi> {
  const api = await startFixtureApi(settings)
  const sql = postgres(api.databaseUrl, { max: 2, onnotice: () => {} })
  return {
    ...api,
    sql,
    reset: async () => {
      const { jobs, audit, downloads, notifications, keys } = serviceTables
      await sql.unsafe(`truncate orders, lines, ${[jobs, audit, downloads, notifications, keys].join(', ')} cascade`)
      await sql.unsafe(orderRows + lineRows)
    },
    runs: async (...ids) => {
      const rows = await sql`select id, runs from orders`
      return ids.map((id) => Number(rows.find((row) => row['id'] === id)?.['runs']))
    },
    audit: () => sql`select * from table_control.audit order by id`,
    stop: async () => {
      await sql.end({ timeout: 5 })
      await api.stop()
    },
  }
}

const serviceTables = {
  jobs: 'table_control.jobs',
  audit: 'table_control.audit',
  downloads: 'table_control.downloads',
  notifications: 'table_control.notifications',
  keys: 'table_control.idempotency_keys',
} as const

/** The same with a queue and a bucket. */
export async function startDeliveringApi(
  settings: Readonly<Record<string, string>> = {},
): Promise<WorkApi & { readonly queue: QueueAndStorage }> {
  const queue = await startQueueAndStorage()
  const { accessKeyId, secretAccessKey } = localCredentials.credentials
  Object.assign(process.env, {
    AWS_REGION: localCredentials.region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_ENDPOINT_URL_S3: queue.endpoint,
    AWS_ENDPOINT_URL_SQS: queue.endpoint,
  })
  const environment = { QUEUE_URL: queue.queueUrl, REPORT_BUCKET: queue.bucket, STORAGE_PATH_STYLE: 'on' }
  const api = await startWorkApi({ ...environment, ...settings })
  return {
    ...api,
    queue,
    stop: async () => {
      await api.stop()
      await queue.stop()
    },
  }
}
