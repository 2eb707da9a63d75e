import { randomUUID } from 'node:crypto'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import postgres, { type Sql } from 'postgres'
import { accountVariables } from '../../../infra/local/local-account.ts'
import { type Mail, startMail } from '../../../infra/local/mail/mail.ts'
import { type QueueAndStorage, startQueueAndStorage } from '../../../infra/local/queue/queue-and-storage.ts'
import { queueEvent } from '../../../infra/local/queue/queue-event.ts'
import { loadConfig } from '../../../lib/config.ts'
import {
  bulkTableAction,
  callerEndpoint,
  cancelJob,
  createService,
  createWorkerService,
  download,
  extendDownload,
  jobStatus,
  listDownloads,
  listNotifications,
  publicEndpoint,
  type QueueHandler,
  reportWorker,
  revokeDownload,
  type Service,
  socketTicket,
  sweep,
  tableEndpoint,
} from '../../../lib/index.ts'
import { type TestDatabase, testDatabase } from '../database/test-database.ts'
import { type Api, type ApiResponse, createApi } from '../requests/api.ts'
import { type IdentityProvider, startIdentityProvider, type TestIdentity } from '../requests/identity-provider.ts'
import { queueEnvironment, serviceEnvironment } from '../requests/service-environment.ts'
import { eventually } from '../run/patience.ts'
import { jobRegistry, jobTemplate } from './job-tables.ts'

/** The caller of jobs. Reports go to nora's own address by default. */
export const nora: TestIdentity = { sub: 'nora', tenant: 'north', email: 'nora@example.test', email_verified: true }
export const sami: TestIdentity = { sub: 'sami', tenant: 'south', email: 'sami@example.test', email_verified: true }

export interface JobInstallation extends Api {
  readonly queue: QueueAndStorage
  readonly mail: Mail
  readonly provider: IdentityProvider
  readonly service: Service
  readonly sql: Sql
  readonly environment: Readonly<Record<string, string>>
  readonly worker: QueueHandler
  readonly sweep: () => Promise<void>
  /** Asks for a bulk action and answers with the job's id. */
  readonly ask: (path: string, body?: object, as?: TestIdentity) => Promise<string>
  /** Hands the messages of these jobs to the worker, in one batch. */
  readonly work: (jobIds: readonly string[], remainingMs?: number) => Promise<SQSBatchResponse>
  /** The event that brings the messages of these jobs. */
  readonly createEvent: (jobIds: readonly string[]) => SQSEvent
  readonly job: (id: string, as?: TestIdentity) => Promise<ApiResponse['json']>
  /** Resolves as soon as the condition on this job's row is true; rejects when it does not become so. */
  readonly until: (id: string, condition: string) => Promise<void>
  /** Lets the time of a lease and of a pause pass. */
  readonly later: (id: string) => Promise<void>
  readonly stop: () => Promise<void>
}

/** The functions of jobs over a database of parcels, with local SQS, S3 and SES; stop it in `afterAll`. */
export async function startJobInstallation(
  settings: Readonly<Record<string, string>> = {},
  openDatabase: () => Promise<TestDatabase> = () => testDatabase(jobTemplate),
): Promise<JobInstallation> {
  const { provider, database, queue, mail, environment } = await startParts(settings, openDatabase)
  const config = loadConfig(environment)
  const service = createService(config)
  const workers = createWorkerService(config)
  const sql = postgres(database.url, { max: 4, onnotice: () => {} })
  const worker = reportWorker(jobRegistry, () => workers)
  const describing = { registry: jobRegistry }
  const api = createApi(createHandlers(service), { tokenFor: provider.tokenFor, as: nora, describing })
  return {
    ...api,
    queue,
    mail,
    provider,
    service,
    sql,
    environment,
    worker,
    sweep: sweep(() => service),
    ask: async (path, body = {}, as = nora) => {
      const { status, json } = await api.post(`bulk-table-action/${path}`, body, { as })
      if (status !== 200) throw new Error(`${path}: ${JSON.stringify(json)}`)
      return json.job.id
    },
    work: (jobIds, remainingMs = 900_000) =>
      worker(createEvent(queue.queueUrl, jobIds), { getRemainingTimeInMillis: () => remainingMs }),
    createEvent: (jobIds) => createEvent(queue.queueUrl, jobIds),
    job: async (id, as = nora) => (await api.get(`jobs/${id}`, { as })).json.job,
    until: (id, condition) => until(sql, id, condition),
    later: async (id) => {
      await sql`update table_control.jobs set not_before = null,
        lease_until = case when state = 'running' then now() - interval '1 second' end where id = ${id}`
    },
    stop: async () => {
      await Promise.all([service.database.close(), workers.database.close(), workers.work.close()])
      await sql.end({ timeout: 5 })
      await Promise.all([database.drop(), provider.stop(), queue.stop(), mail.stop()])
    },
  }
}

async function startParts(settings: Readonly<Record<string, string>>, openDatabase: () => Promise<TestDatabase>) {
  const [provider, database, queue, mail] = await Promise.all([
    startIdentityProvider(),
    openDatabase(),
    startQueueAndStorage({ visibilitySeconds: 1 }),
    startMail(),
  ])
  const sdk = {
    ...accountVariables,
    AWS_ENDPOINT_URL_SQS: queue.endpoint,
    AWS_ENDPOINT_URL_S3: queue.endpoint,
    AWS_ENDPOINT_URL_SES: mail.endpoint,
  }
  Object.assign(process.env, sdk)
  const environment = {
    ...sdk,
    ...serviceEnvironment(database.serviceUrl, provider),
    ...queueEnvironment(queue),
    PUBLIC_URL: 'https://tables.example.test',
    MAIL_SENDER: 'Reports <reports@example.test>',
    MAIL_DOMAINS: 'example.test',
    ...settings,
  }
  return { provider, database, queue, mail, environment }
}

const createHandlers = (service: Service) => {
  const running = () => service
  return {
    bulkTableAction: tableEndpoint(jobRegistry, { name: 'bulkTableAction', run: bulkTableAction }, running),
    jobStatus: callerEndpoint(jobRegistry, { name: 'jobStatus', run: jobStatus }, running),
    listNotifications: callerEndpoint(jobRegistry, { name: 'listNotifications', run: listNotifications }, running),
    listDownloads: callerEndpoint(jobRegistry, { name: 'listDownloads', run: listDownloads }, running),
    extendDownload: callerEndpoint(jobRegistry, { name: 'extendDownload', run: extendDownload }, running),
    revokeDownload: callerEndpoint(jobRegistry, { name: 'revokeDownload', run: revokeDownload }, running),
    download: publicEndpoint({ name: 'download', run: download }, running),
    cancelJob: callerEndpoint(jobRegistry, { name: 'cancelJob', run: cancelJob }, running),
    socketTicket: callerEndpoint(jobRegistry, { name: 'socketTicket', run: socketTicket }, running),
  }
}

const createEvent = (queueUrl: string, jobIds: readonly string[]): SQSEvent =>
  queueEvent(
    queueUrl,
    jobIds.map((job) => ({
      MessageId: randomUUID(),
      ReceiptHandle: randomUUID(),
      Body: JSON.stringify({ v: 1, job }),
      Attributes: { ApproximateReceiveCount: '1' },
    })),
  )

async function until(sql: Sql, id: string, condition: string): Promise<void> {
  await eventually(
    async () => (await sql.unsafe(`select from table_control.jobs job where id = $1 and ${condition}`, [id]))[0],
    async () => ({
      [`${condition} did not become true`]: await sql`
        select state, failure, attempts, done from table_control.jobs where id = ${id}`,
    }),
  )
}
