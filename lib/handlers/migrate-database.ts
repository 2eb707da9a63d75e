import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from 'postgres'
import * as z from 'zod/mini'
import { type Config, loadConfig } from '../config.ts'
import { isServerError } from '../db/database-error.ts'
import { databaseTarget } from '../db/database-target.ts'
import { failureReason, migrate } from '../db/migrate.ts'
import { MigrationError, type MigrationFolder } from '../db/migration-files.ts'
import { awaitServer, type Patience, withConnection } from '../db/owner-connection.ts'
import { admitServiceRole, createServiceRole } from '../db/service-role.ts'
import { beginLog, flushLog, log } from '../telemetry/log.ts'

/** Called by CloudFormation in the middle of a deployment. */
export type DeploymentHandler = (
  event: unknown,
  lambda: { readonly getRemainingTimeInMillis: () => number },
) => Promise<void>

/** The time reserved for reporting the outcome to CloudFormation. */
const reserveMs = 15_000

/**
 * The Lambda handler that prepares the database for the functions of a deployment: their role, the migrations, the
 * rights of the role. It reports a failure to CloudFormation, which then leaves the functions unchanged. Migrations are
 * never undone: a rollback restores only the rights and the password of the role. Does nothing when a stack is deleted.
 */
export const migrateDatabase =
  (folder: MigrationFolder, config: () => Config = loadConfig, patienceMs = 60_000): DeploymentHandler =>
  async (event, lambda) => {
    const request = readResourceEvent(event)
    const budgetMs = lambda.getRemainingTimeInMillis() - reserveMs
    const overdue = AbortSignal.timeout(Math.max(0, budgetMs + reserveMs / 3))
    const now = performance.now()
    const time = { expires: now + budgetMs, until: now + Math.min(patienceMs, budgetMs / 2), overdue }
    const failure = await prepare(request, folder, config, time).then(
      () => undefined,
      (error) => (overdue.aborted ? 'The database did not answer in time.' : failureMessage(error)),
    )
    if (failure !== undefined) log('error', failure)
    await reportOutcome(request, failure)
    await flushLog()
  }

interface Time extends Patience {
  /** When statements are ended that still run; a reading of `performance.now()`. */
  readonly expires: number
}

/**
 * Accepts only the migrations that this code was deployed with. A rollback of CloudFormation sends the former
 * properties, to this code or to the former one, whose migrations are applied already.
 */
async function prepare(
  request: ResourceEvent,
  { migrations, hash }: MigrationFolder,
  config: () => Config,
  time: Time,
): Promise<void> {
  if (request.RequestType === 'Delete') return
  if (request.ResourceProperties['Migrations'] !== hash)
    return log('info', 'migrations are not undone; the schema stays as it is')
  const settings = config()
  beginLog(settings)
  await prepareDatabase(settings, migrations, { ...time, connections: newConnections(request) })
}

/** Returns the new number of connections that the functions may open; 0 unless this deployment raises it. */
function newConnections({ ResourceProperties, OldResourceProperties }: ResourceEvent): number {
  const [now, before] = [ResourceProperties, OldResourceProperties].map((one) => Number(one?.['Connections'] ?? 0))
  return now !== undefined && now > (before ?? 0) ? now : 0
}

async function prepareDatabase(
  config: Config,
  migrations: MigrationFolder['migrations'],
  { expires, until, overdue, connections }: Time & { readonly connections: number },
): Promise<void> {
  const login = config.DATABASE_SERVICE_URL
  if (login === undefined)
    throw new MigrationError('DATABASE_SERVICE_URL is missing; set it to the URL by which the functions log in.')
  const service = databaseTarget({ ...config, DATABASE_URL: login })
  const prepareAsOwner = async (sql: Sql) => {
    await requireConnections(sql, connections)
    const report = (file: string) => log('info', `applying ${file}`)
    await createServiceRole(sql, service, { expires })
    const files = await migrate(sql, migrations, { expires, report })
    await admitServiceRole(sql, service, { expires })
    return files
  }
  const owner = databaseTarget(config)
  await awaitServer(owner, { until, overdue })
  const applied = await withConnection(owner, prepareAsOwner, overdue)
  // The tables and rights that the functions rely on.
  await withConnection(service, (sql) => sql`select 1`.then(() => undefined), overdue)
  log('info', 'the database is prepared', { applied })
}

/** For people, the server's own upkeep and migrations, beside what the functions may open. */
const connectionsForOthers = 20

/** Throws if the database does not take these connections yet: one that was made larger does so only after a reboot. */
async function requireConnections(sql: Sql, connections: number): Promise<void> {
  if (connections === 0) return
  const [{ max } = { max: 0 }] = await sql<[{ max: number }]>`select current_setting('max_connections')::int as max`
  const needed = connections + connectionsForOthers
  if (max >= needed) return
  throw new MigrationError(
    `The database takes ${max} connections, and database.connections needs ${needed} with those of people and of AWS. ` +
      'If it was made larger, reboot its instances and deploy again; infra/RUNBOOK.md says how. Nothing was changed.',
  )
}

function failureMessage(error: unknown): string {
  // The check proves the fields that the driver's error type names.
  if (isServerError(error)) return failureReason(error as unknown as Parameters<typeof failureReason>[0])
  return error instanceof Error ? error.message : String(error)
}

const properties = z.record(z.string(), z.unknown())

const event = z.object({
  RequestType: z.enum(['Create', 'Update', 'Delete']),
  ResponseURL: z.url({ protocol: /^https$/ }),
  StackId: z.string(),
  RequestId: z.string(),
  LogicalResourceId: z.string(),
  PhysicalResourceId: z.optional(z.string()),
  ResourceProperties: properties,
  OldResourceProperties: z._default(properties, {}),
})

/** The request of CloudFormation to a custom resource. All numbers among the properties arrive as texts. */
type ResourceEvent = z.infer<typeof event>

/** Throws where it is nothing that CloudFormation sends. */
const readResourceEvent = (written: unknown): ResourceEvent => z.parse(event, written)

/** CloudFormation takes 4 KB in all. */
const maxReasonLength = 1_500
const attempts = 3

/** Tells CloudFormation, which waits for it, that it is done, or in `failure` why it is not. Tried three times. */
async function reportOutcome(request: ResourceEvent, failure?: string): Promise<void> {
  const { ResponseURL, StackId, RequestId, LogicalResourceId, PhysicalResourceId = LogicalResourceId } = request
  const outcome =
    failure === undefined ? { Status: 'SUCCESS' } : { Status: 'FAILED', Reason: failure.slice(0, maxReasonLength) }
  const body = JSON.stringify({ ...outcome, StackId, RequestId, LogicalResourceId, PhysicalResourceId })
  // As bytes: with a text, fetch would add a content type, which the URL was not signed for.
  const put = { method: 'PUT', body: Buffer.from(body), redirect: 'error' } as const
  for (let attempt = 1; ; attempt += 1) {
    const status = await fetch(ResponseURL, { ...put, signal: AbortSignal.timeout(10_000) }).then(
      (response) => response.status,
      () => 0,
    )
    if (status >= 200 && status < 300) return
    if (attempt === attempts) throw new Error(`CloudFormation did not take the response (${status})`)
    await sleep(attempt * 500)
  }
}
