import { randomBytes } from 'node:crypto'
import { createWriteStream, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../../lib/config.ts'
import { corsPolicy } from '../../lib/http/cors.ts'
import { createDatabase, type DatabaseOptions, prepareDatabase } from './database.ts'
import { loadFunctions } from './functions.ts'
import { startGateway } from './gateway.ts'
import { startIdentityProvider } from './identity-provider.ts'
import { readOrCreate, writePrivateFile } from './local-directory.ts'
import { audience, issuer } from './mint-token.ts'
import { startPostgres } from './postgres.ts'
import { loadSigningKey } from './signing-key.ts'
import { lockDirectory } from './start-lock.ts'
import type { StartOptions } from './start-options.ts'

/** What stack.json tells other programs about the running stack. */
export interface StackFacts {
  readonly base_url: string
  readonly database_url: string
  readonly jwks_url: string
  readonly issuer: string
  readonly audience: string
  readonly pid: number
}

export interface StackHost {
  readonly directory: string
  readonly report: (line: string) => void
  /** Registers what ends a part that has started; parts are ended in reverse order. Throws when the stack is to stop. */
  readonly onStop: (end: () => Promise<void> | void) => void
  /** Called when a part that the stack cannot do without has ended by itself. */
  readonly onLoss: (reason: string) => void
}

/** Starts every part of the local stack and announces it in stack.json. When it rejects, what has started is still running. */
export async function startStack(options: StartOptions, host: StackHost): Promise<StackFacts> {
  const { directory, report, onStop } = host
  onStop(lockDirectory(directory))
  const file = join(directory, 'stack.json')
  // A killed run leaves its own behind.
  rmSync(file, { force: true })
  const identityProvider = await startIdentityProvider(loadSigningKey(directory))
  onStop(identityProvider.stop)
  const database = process.env['DATABASE_URL'] || (await startDatabase(host))
  Object.assign(process.env, functionEnvironment(options.port, database, identityProvider.jwksUrl, directory))
  const config = loadConfig()
  const tls = config.DATABASE_TLS === 'verify' && { ...(config.DATABASE_TLS_CA && { ca: config.DATABASE_TLS_CA }) }
  await prepare({ url: database, tls, flights: options.flights, report }, onStop)

  report('loading the functions')
  const cold = new AbortController()
  onStop(() => cold.abort())
  const functions = await loadFunctions({ guards: config.GUARDS, cold: options.cold ? cold.signal : undefined })
  const gateway = await startGateway({ ...functions, cors: corsPolicy(config), port: options.port, onFailure })
  onStop(gateway.stop)

  const facts = {
    base_url: gateway.url,
    database_url: database,
    jwks_url: identityProvider.jwksUrl,
    ...{ issuer, audience, pid: process.pid },
  }
  writePrivateFile(file, `${JSON.stringify(facts, null, 2)}\n`)
  onStop(() => rmSync(file, { force: true }))
  return facts
}

async function startDatabase({ directory, report, onStop, onLoss }: StackHost): Promise<string> {
  report('starting Postgres')
  const log = createWriteStream(join(directory, 'postgres.log'))
  const postgres = await startPostgres({ directory: join(directory, 'postgres'), log: (text) => log.write(text) })
  void postgres.ended.then((reason) => onLoss(`Postgres has ended: ${reason}`))
  onStop(postgres.stop)
  await createDatabase(postgres.url(), 'table_control')
  return postgres.url('table_control')
}

/** A stop ends a load before it ends the Postgres that is being loaded: the driver does not survive losing it in a COPY. */
async function prepare(options: Omit<DatabaseOptions, 'signal'>, onStop: StackHost['onStop']): Promise<void> {
  const interruption = new AbortController()
  const prepared = prepareDatabase({ ...options, signal: interruption.signal })
  onStop(async () => {
    interruption.abort()
    await Promise.race([prepared.catch(() => undefined), sleep(1_000)])
  })
  await prepared
}

/** What a deployment sets for its functions; a variable that is set already wins, except for what this very start knows. */
function functionEnvironment(port: number, database: string, jwksUrl: string, directory: string) {
  const own = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(database).hostname)
  return {
    DATABASE_CONNECTIONS: '8',
    ...(own && { DATABASE_TLS: 'off' }),
    ALLOWED_ORIGINS: 'http://localhost:5173,http://localhost:3001',
    CURSOR_SECRET: readOrCreate(join(directory, 'cursor-secret'), () => randomBytes(32).toString('hex')),
    ...Object.fromEntries(Object.entries(process.env).filter(([, value]) => value)),
    DATABASE_URL: database,
    JWT_ISSUER: issuer,
    JWT_AUDIENCE: audience,
    JWKS_URL: jwksUrl,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
  }
}

const onFailure = (name: string, error: unknown) => console.error(`functions/${name}.ts failed:`, error)
