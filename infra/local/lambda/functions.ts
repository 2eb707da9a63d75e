import type { SQSEvent } from 'aws-lambda'
import { fallbackFunctionName, mountRoutes, triggers } from '../../../lib/routes.ts'
import type { SocketEvent } from '../gateway/socket-event.ts'
import type { SocketRoutes } from '../gateway/socket-gateway.ts'
import type { ScheduledEvent } from '../schedule.ts'
import { coldFunction } from './cold-function.ts'
import { limitFunction } from './concurrency-limit.ts'
import type { FunctionModule, LocalFunction } from './local-function.ts'
import { importReloaded } from './reloaded-modules.ts'

export interface LoadedFunctions {
  readonly routes: ReadonlyMap<string, LocalFunction>
  readonly fallback: LocalFunction
  readonly sockets: SocketRoutes
  readonly worker: LocalFunction<SQSEvent>
  readonly sweep: LocalFunction<ScheduledEvent>
}

export interface LoadOptions {
  readonly guards: readonly string[]
  /** Given: every event gets a fresh process, which this ends. */
  readonly cold: AbortSignal | undefined
  /** How many events of a route each function takes at once. */
  readonly concurrency: number
}

/** Loads every function that a route or a trigger names, from functions/. The environment must be complete by now. */
export async function loadFunctions({ guards, cold, concurrency }: LoadOptions): Promise<LoadedFunctions> {
  const called = new Map<string, LocalFunction>()
  const loadCalled = async (name: string): Promise<LocalFunction> => {
    const loaded = called.get(name) ?? limitFunction(await load(name, cold), concurrency)
    called.set(name, loaded)
    return loaded
  }
  const routes = new Map<string, LocalFunction>()
  for (const { routeKey, route } of mountRoutes(guards)) routes.set(routeKey, await loadCalled(route.functionName))
  const sockets: Record<string, LocalFunction<SocketEvent>> = {}
  for (const [routeKey, name] of Object.entries(triggers.sockets)) sockets[routeKey] = await load(name, cold)
  return {
    routes,
    fallback: await loadCalled(fallbackFunctionName),
    sockets,
    worker: await load(triggers.queue, cold),
    sweep: await load(triggers.schedule.everyMinute, cold),
  }
}

/** Loads a function once, and again when a table file changes. Its trigger decides the type of its events. */
async function load<Event>(name: string, cold: AbortSignal | undefined): Promise<LocalFunction<Event>> {
  const file = new URL(`../../../functions/${name}.ts`, import.meta.url).href
  if (cold !== undefined) return coldFunction(name, file, cold)
  const loaded = await importReloaded(file)
  const current = () => {
    const { handler } = loaded() as Partial<FunctionModule<Event>>
    if (typeof handler !== 'function')
      throw new Error(`functions/${name}.ts exports no handler; export one, as the other files of functions/ do`)
    return handler
  }
  current()
  return { name, handler: (event, context) => current()(event, context) }
}
