import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../lib/config.ts'
import { atMost } from './at-most.ts'
import { type DatabaseOptions, prepareDatabase } from './database.ts'
import { functionEnvironment } from './function-environment.ts'
import { loadFunctions } from './functions.ts'
import { writePrivateFile } from './local-directory.ts'
import { startServices } from './services.ts'
import type { StackFacts } from './stack-facts.ts'
import type { StackHost } from './stack-host.ts'
import { lockDirectory } from './start-lock.ts'
import type { StartOptions } from './start-options.ts'

/** Starts every part of the local stack and announces it in stack.json. When it rejects, what has started is still running. */
export async function startStack(options: StartOptions, host: StackHost): Promise<StackFacts> {
  const { directory, report, onStop } = host
  onStop(lockDirectory(directory))
  const file = join(directory, 'stack.json')
  // A killed run leaves its own behind.
  rmSync(file, { force: true })
  const parts = await startServices(options, host)
  Object.assign(process.env, functionEnvironment(parts))
  const config = loadConfig()
  const tls = config.DATABASE_TLS === 'verify' && { ...(config.DATABASE_TLS_CA && { ca: config.DATABASE_TLS_CA }) }
  await prepare({ url: parts.databaseUrl, tls, flights: options.flights, report }, onStop)

  report('loading the functions')
  const cold = new AbortController()
  onStop(() => cold.abort())
  const functions = await loadFunctions({ guards: config.GUARDS, cold: options.cold ? cold.signal : undefined })
  const { serve } = await import('./serve.ts')
  const facts = await serve(functions, { parts, config, options, host })
  writePrivateFile(file, `${JSON.stringify(facts, null, 2)}\n`)
  onStop(() => rmSync(file, { force: true }))
  return facts
}

/** A stop ends a load before it ends the Postgres that is being loaded: the driver does not survive losing it in a COPY. */
async function prepare(options: Omit<DatabaseOptions, 'signal'>, onStop: StackHost['onStop']): Promise<void> {
  const interruption = new AbortController()
  const prepared = prepareDatabase({ ...options, signal: interruption.signal })
  onStop(async () => {
    interruption.abort()
    await atMost(1_000, prepared)
  })
  await prepared
}
