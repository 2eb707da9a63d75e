import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createDatabase } from './database.ts'
import { freePort } from './free-port.ts'
import type { LocalParts } from './function-environment.ts'
import { startIdentityProvider } from './identity-provider.ts'
import type { Mail } from './mail.ts'
import { startPostgres } from './postgres.ts'
import type { QueueAndStorage } from './queue-and-storage.ts'
import { loadSigningKey } from './signing-key.ts'
import { keep, type StackHost } from './stack-host.ts'
import type { StartOptions } from './start-options.ts'

/** Starts, all at the same time, what the functions depend on. Rejects when every one has started or failed. */
export async function startServices(options: StartOptions, host: StackHost): Promise<LocalParts> {
  const { directory, onStop } = host
  const identity = startIdentityProvider(loadSigningKey(directory)).then((provider) => {
    onStop(provider.stop)
    return provider.jwksUrl
  })
  const parts = [databaseOf(host), startQueue(options, host), openMail(host), identity, freePort()] as const
  await Promise.allSettled(parts)
  const [databaseUrl, queue, mail, jwksUrl, socketPort] = await Promise.all(parts)
  return { directory, port: options.port, socketPort, databaseUrl, jwksUrl, queue, mail }
}

async function databaseOf({ directory, report, onStop, onLoss }: StackHost): Promise<string> {
  const given = process.env['DATABASE_URL']
  if (given) return given
  report('starting Postgres')
  const log = createWriteStream(join(directory, 'postgres.log'))
  const postgres = await startPostgres({ directory: join(directory, 'postgres'), log: (text) => log.write(text) })
  void postgres.ended.then((reason) => onLoss(`Postgres has ended: ${reason}`))
  onStop(postgres.stop)
  await createDatabase(postgres.url(), 'table_control')
  return postgres.url('table_control')
}

/** The tools are loaded while Postgres starts, rather than before. */
async function startQueue({ visibilitySeconds }: StartOptions, host: StackHost): Promise<QueueAndStorage> {
  const { startQueueAndStorage } = await import('./queue-and-storage.ts')
  const directory = join(host.directory, 'queue-and-storage')
  return keep(host, 'The queue', await startQueueAndStorage({ directory, visibilitySeconds }))
}

async function openMail(host: StackHost): Promise<Mail> {
  const { startMail } = await import('./mail.ts')
  return keep(host, 'The mailbox', await startMail())
}
