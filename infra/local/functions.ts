import { fallbackFunctionName, mountRoutes } from '../../lib/routes.ts'
import { coldFunction } from './cold-function.ts'
import type { FunctionModule, LocalFunction } from './local-function.ts'

export interface LoadedFunctions {
  readonly routes: ReadonlyMap<string, LocalFunction>
  readonly fallback: LocalFunction
}

export interface LoadOptions {
  readonly guards: readonly string[]
  /** Given: every request gets a fresh process, which this ends. */
  readonly cold: AbortSignal | undefined
}

/** Loads every function that a route names, from functions/. The environment must be complete by now. */
export async function loadFunctions({ guards, cold }: LoadOptions): Promise<LoadedFunctions> {
  const mounted = mountRoutes(guards)
  const names = new Set([...mounted.map(({ route }) => route.functionName), fallbackFunctionName])
  const functions = new Map<string, LocalFunction>()
  for (const name of names) functions.set(name, await loadFunction(name, cold))
  const functionOf = (name: string): LocalFunction => {
    const loaded = functions.get(name)
    if (loaded === undefined) throw new Error(`functions/${name}.ts was not loaded`)
    return loaded
  }
  return {
    routes: new Map(mounted.map(({ routeKey, route }) => [routeKey, functionOf(route.functionName)])),
    fallback: functionOf(fallbackFunctionName),
  }
}

async function loadFunction(name: string, cold: AbortSignal | undefined): Promise<LocalFunction> {
  const file = new URL(`../../functions/${name}.ts`, import.meta.url).href
  if (cold !== undefined) return coldFunction(name, file, cold)
  const { handler }: Partial<FunctionModule> = await import(file)
  if (typeof handler !== 'function') throw new Error(`functions/${name}.ts exports no handler`)
  return { name, handler }
}
