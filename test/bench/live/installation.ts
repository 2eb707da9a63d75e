import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { createDatabase } from '../../../infra/local/database/database.ts'
import { startPostgres } from '../../../infra/local/database/postgres.ts'
import { freePort } from '../../../infra/local/free-port.ts'
import { accountVariables } from '../../../infra/local/local-account.ts'
import { isAlive } from '../../support/run/is-alive.ts'
import { inspectHeap, inspectorOption } from '../inspected-heap.ts'
import { benchDirectory, environment, type Installation } from '../installation.ts'
import { askProcess, nextMessage, startProcess } from '../process.ts'
import { type ProcessFigures, readProcess } from '../process-figures.ts'
import type { LiveLoad, LiveOrder, LiveSample } from './load.ts'
import { createParcels } from './parcels.ts'

const connections = 8
const name = 'live_rows'

/** The parts whose processor time is told apart. */
export type LivePart = 'service' | 'worker' | 'watchers' | 'queue' | 'database'

/** Processor time, memory and statements of the parts until now. */
export interface LiveUse {
  readonly cpuMs: Readonly<Record<LivePart, number>>
  readonly megabytes: Readonly<Record<'service' | 'worker', number>>
  readonly statements: number
}

export type LiveInstallation = Awaited<ReturnType<typeof startLiveInstallation>>

/**
 * Starts Postgres, the queue, the gateways with their functions, a worker and the watchers, each as a process of its
 * own.
 */
export async function startLiveInstallation({ jwksUrl }: Pick<Installation, 'jwksUrl'>) {
  const server = await startPostgres({
    directory: join(benchDirectory, 'postgres-live'),
    settings: ['shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.track=top'],
  })
  const admin = postgres(server.url(), { max: 1, onnotice: () => undefined })
  await admin`drop database if exists ${admin(name)} with (force)`
  await admin.end()
  await createDatabase(server.url(), name)
  const databaseUrl = server.url(name)
  await createParcels(databaseUrl)
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  const queue = startProcess('live-queue', [], accountVariables)
  const { endpoint, queueUrl } = await nextMessage<{ endpoint: string; queueUrl: string }>(queue)
  const env = {
    ...environment({ databaseUrl, jwksUrl }, connections),
    ...accountVariables,
    QUEUE_URL: queueUrl,
    AWS_ENDPOINT_URL_SQS: endpoint,
  }
  const service = startProcess('live-service', [], env)
  const opened = await nextMessage<{ port: number; url: string; managementEndpoint: string }>(service)
  const inspectorPort = await freePort()
  const worker = startProcess('live-worker', [], {
    ...env,
    SOCKET_ENDPOINT: opened.managementEndpoint,
    NODE_OPTIONS: inspectorOption(inspectorPort),
  })
  const watchers = startProcess('live-watchers', [], {})
  const children = { queue, service, worker, watchers }
  const order = <T>(asked: LiveOrder): Promise<T> => askProcess(watchers, asked)
  return {
    sql,
    open: (sockets: number, windows: number) => order<number>({ kind: 'open', url: opened.url, sockets, windows }),
    change: (load: Omit<LiveLoad, 'port'>) => order<LiveSample>({ kind: 'load', port: opened.port, ...load }),
    /** How many watchers show what is in the database. */
    compare: async () => {
      const rows = await sql`select id, moves from parcels where moves > 0`
      const moves = rows.map(({ id, moves }) => [Number(id), Number(moves)] as const)
      return order<number>({ kind: 'compare', moves })
    },
    close: () => order<number>({ kind: 'close' }),
    use: () => readUse(children, sql),
    /** Opens the heap of the worker; its size is that of what it still holds. */
    openHeap: () => inspectHeap(worker.pid ?? 0, inspectorPort),
    stop: async () => {
      for (const child of Object.values(children)) if (child.connected) child.disconnect()
      await sql.end()
      await server.stop()
    },
  }
}

async function readUse(
  children: Readonly<Record<Exclude<LivePart, 'database'>, ChildProcess>>,
  sql: Sql,
): Promise<LiveUse> {
  const read = (child: ChildProcess): ProcessFigures => readProcess(child.pid ?? 0)
  const { queue, service, worker, watchers } = children
  const backends =
    await sql`select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  // Log-ins, and what this process asks itself, are few.
  const [counted] = await sql`select sum(calls)::int as calls from pg_stat_statements`
  // One that has ended meanwhile does no more work.
  const living = backends.map(({ pid }) => Number(pid)).filter(isAlive)
  const sum = living.reduce((all, pid) => all + readProcess(pid).cpuMs, 0)
  return {
    cpuMs: {
      service: read(service).cpuMs,
      worker: read(worker).cpuMs,
      watchers: read(watchers).cpuMs,
      queue: read(queue).cpuMs,
      database: sum,
    },
    megabytes: { service: read(service).megabytes, worker: read(worker).megabytes },
    statements: Number(counted?.['calls']),
  }
}
