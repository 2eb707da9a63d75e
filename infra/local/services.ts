import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createDatabase } from './database/database.ts'
import { startPostgres } from './database/postgres.ts'
import { startIdentityProvider } from './identity/identity-provider.ts'
import { loadSigningKey } from './identity/signing-key.ts'
import { readOrCreate } from './local-directory.ts'
import type { LocalParts } from './local-parts.ts'
import type { Mail } from './mail/mail.ts'
import type { QueueAndStorage } from './queue/queue-and-storage.ts'
import { reservePort } from './reserve-port.ts'
import type { ServicePlan } from './service-plan.ts'
import { keep, type StackHost } from './stack-host.ts'
import type { StartOptions } from './start-options.ts'

/** Starts, all at the same time, what the functions depend on. Rejects when every one has started or failed. */
export async function startServices(options: StartOptions, plan: ServicePlan, host: StackHost): Promise<LocalParts> {
  const { directory, onStop } = host
  const startIdentity = async () => {
    const { port, release } = await reservePort(directory, 'identity-provider')
    await release()
    const provider = await startIdentityProvider(loadSigningKey(directory), pageOrigins(options), port)
    onStop(provider.stop)
    return provider
  }
  const parts = [
    startDatabase(host),
    startQueue(plan, host),
    openMail(plan, host),
    startIdentity(),
    reserveSocketPort(host),
  ] as const
  await Promise.allSettled(parts)
  const [logins, queue, mail, { jwksUrl, demoUsersUrl }, sockets] = await Promise.all(parts)
  return { directory, port: options.port, ...sockets, ...logins, jwksUrl, demoUsersUrl, queue, mail }
}

/** The functions know the port seconds before the gateway of WebSockets listens on it. */
async function reserveSocketPort({ directory, onStop }: StackHost) {
  const { port, release } = await reservePort(directory, 'sockets')
  onStop(release)
  return { socketPort: port, releaseSocketPort: release }
}

/** Under which addresses a browser on this machine may have opened the gateway's own pages. */
const pageOrigins = ({ port }: StartOptions) => [`http://127.0.0.1:${port}`, `http://localhost:${port}`]

type Logins = Pick<LocalParts, 'ownerUrl' | 'databaseUrl'>

async function startDatabase({ directory, report, onStop, onLoss }: StackHost): Promise<Logins> {
  const { DATABASE_URL: given, DATABASE_SERVICE_URL: ofService } = process.env
  if (given && !/^postgres(ql)?:\/\//.test(given)) {
    throw new Error('DATABASE_URL must be a URL such as "postgres://user:password@host:5432/name"')
  }
  if (given) return { ownerUrl: given, databaseUrl: ofService || given }
  report('starting Postgres')
  const log = createWriteStream(join(directory, 'postgres.log'))
  const postgres = await startPostgres({ directory: join(directory, 'postgres'), log: (text) => log.write(text) })
  void postgres.ended.then((reason) => onLoss(`Postgres has ended: ${reason}`))
  onStop(postgres.stop)
  await createDatabase(postgres.url(), 'table_control')
  const ownerUrl = postgres.url('table_control')
  return { ownerUrl, databaseUrl: serviceUrl(ownerUrl, directory) }
}

/** Uses the name of the role that a deployment gives the functions. */
function serviceUrl(ownerUrl: string, directory: string): string {
  const url = new URL(ownerUrl)
  url.username = 'table_control_service'
  url.password = readOrCreate(join(directory, 'database-password'), () => randomBytes(18).toString('hex'))
  return url.href
}

/** The tools are loaded while Postgres starts, rather than before. */
async function startQueue({ queues, buckets, authorize }: ServicePlan, host: StackHost): Promise<QueueAndStorage> {
  const { startQueueAndStorage } = await import('./queue/queue-and-storage.ts')
  const directory = join(host.directory, 'queue-and-storage')
  return keep(host, 'The queue', await startQueueAndStorage({ directory, queues, buckets, authorize }))
}

async function openMail({ authorize }: ServicePlan, host: StackHost): Promise<Mail> {
  const { startMail } = await import('./mail/mail.ts')
  return keep(host, 'The mailbox', await startMail({ authorize }))
}
