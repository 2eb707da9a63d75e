import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Sql } from 'postgres'
import type { LoadedRegistry } from '../../../lib/table/registry.ts'
import type { Finding } from './finding.ts'
import { lintLive } from './lint-live.ts'

/** The tables whose triggers are checked. */
export type LintedRegistry = Pick<LoadedRegistry, 'tables'>

/**
 * Says of each registered table with `live: true` that lacks its trigger what to do; empty if there is nothing to do.
 */
export async function adviseOnLiveTables(sql: Sql, registry?: LintedRegistry): Promise<readonly string[]> {
  const found = await lintLiveTables(sql, registry)
  return found.map(({ table, text, fix }) => `table ${table}: ${text}; ${fix}`)
}

/** Finds the registered tables with `live: true` that lack their trigger. Default: the tables of this checkout. */
export async function lintLiveTables(sql: Sql, registry?: LintedRegistry): Promise<readonly Finding[]> {
  const { tables } = registry ?? (await loadRegistry())
  const found: Finding[] = []
  for (const table of tables.values()) found.push(...(await lintLive(sql, table)))
  return found
}

async function loadRegistry(): Promise<LoadedRegistry> {
  const { registry } = await import(pathToFileURL(join(process.cwd(), 'tables/index.ts')).href)
  return registry
}
