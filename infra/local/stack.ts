import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { atMost } from './at-most.ts'
import { type DatabaseOptions, prepareDatabase, readLiveAdvice } from './database/database.ts'
import { writePrivateFile } from './local-directory.ts'
import type { ServicePlan } from './service-plan.ts'
import { startServices } from './services.ts'
import type { StackFacts } from './stack-facts.ts'
import type { StackHost } from './stack-host.ts'
import { lockDirectory } from './start-lock.ts'
import type { StartOptions } from './start-options.ts'

/**
 * Starts every part of the local stack and announces it in stack.json. When it rejects, what has started is still
 * running.
 */
export async function startStack(options: StartOptions, host: StackHost): Promise<StackFacts> {
  const { directory, report, onStop } = host
  onStop(await lockDirectory(directory))
  const file = join(directory, 'stack.json')
  // A killed run leaves its own behind.
  rmSync(file, { force: true })
  const plan = await createPlan(options, host)
  const parts = await startServices(options, plan, host)
  const { ownerUrl: url, databaseUrl: serviceUrl } = parts
  await prepare({ url, serviceUrl, flights: options.flights, report }, onStop)

  report('loading the functions')
  const service = await plan.load(parts)
  onStop(service.stop)
  for (const line of await readLiveAdvice(url)) report(line)
  const { serve } = await import('./serve.ts')
  const facts = await serve(service, parts, host)
  writePrivateFile(file, `${JSON.stringify(facts, null, 2)}\n`)
  onStop(() => rmSync(file, { force: true }))
  return facts
}

/** Reads the plan of the service from the sources or from an assembly. */
async function createPlan(options: StartOptions, { directory, report, onStop }: StackHost): Promise<ServicePlan> {
  const { assembly, synth, stage } = options
  if (!synth) return (await import('./source-plan.ts')).sourcePlan(options)
  const { assemblyPlan } = await import('./assembly/assembly-plan.ts')
  if (assembly !== undefined) return assemblyPlan(assembly, directory, options)
  const { freshAssembly } = await import('./assembly/fresh-assembly.ts')
  const interruption = new AbortController()
  onStop(() => interruption.abort())
  return assemblyPlan(await freshAssembly({ stage, report, signal: interruption.signal }), directory, options)
}

/**
 * A stop ends a load before it ends the Postgres that is being loaded: the driver does not survive losing it in a COPY.
 */
async function prepare(options: Omit<DatabaseOptions, 'signal'>, onStop: StackHost['onStop']): Promise<void> {
  const interruption = new AbortController()
  const prepared = prepareDatabase({ ...options, signal: interruption.signal })
  onStop(async () => {
    interruption.abort()
    await atMost(1_000, prepared)
  })
  await prepared
}
