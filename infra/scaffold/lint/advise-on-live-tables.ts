import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Sql } from 'postgres'
import type { LoadedRegistry } from '../../../lib/table/registry.ts'
import { lintLive } from './lint-live.ts'

/** Says of each registered table with `live: true` that lacks its trigger what to do; empty if there is nothing to do. */
export async function adviseOnLiveTables(
  sql: Sql,
  registry?: Pick<LoadedRegistry, 'tables'>,
): Promise<readonly string[]> {
  const { tables } = registry ?? (await loadRegistry())
  const advice: string[] = []
  for (const table of tables.values())
    for (const { text, cure } of await lintLive(sql, table)) advice.push(`table ${table.name}: ${text}; ${cure}`)
  return advice
}

async function loadRegistry(): Promise<LoadedRegistry> {
  const { registry } = await import(pathToFileURL(join(process.cwd(), 'tables/index.ts')).href)
  return registry
}
