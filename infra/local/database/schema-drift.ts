import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import type { Sql } from 'postgres'
import * as z from 'zod'
import { migrationsFolder } from '../../bundle/migrations-plugin.ts'
import { writePrivateFile } from '../local-directory.ts'
import { tryReadFile } from '../try-read-file.ts'
import { hashModules } from './hash-modules.ts'

const parts = ['tables', 'enums', 'schemas', 'sequences', 'roles', 'policies', 'views'] as const
const described = z.record(z.string(), z.unknown()).default({})
const snapshot = z.object(Object.fromEntries(parts.map((part) => [part, described])))

/** As drizzle-kit describes it. */
type DescribedSchema = z.output<typeof snapshot>

export interface SchemaDrift {
  /** Parts of the schema that no migration makes, or that migrations make in another way, such as `public.orders`. */
  readonly names: readonly string[]
  /** Those of them that are tables which no migration has ever made. */
  readonly newTables: readonly string[]
}

/**
 * Compares the schema with the last migration's description of it. Asks neither a database nor a person; takes about a
 * second.
 */
export async function findSchemaDrift(modules?: Readonly<Record<string, unknown>>): Promise<SchemaDrift> {
  const now = await describe(modules ?? (await schemaModules()))
  const migrated = lastSnapshot()
  const names = parts.flatMap((part) => {
    const here = now[part] ?? {}
    const there = migrated[part] ?? {}
    const all = [...new Set([...Object.keys(here), ...Object.keys(there)])]
    return all.filter((name) => !isDeepStrictEqual(here[name], there[name]))
  })
  const isNew = (name: string) => now['tables']?.[name] !== undefined && migrated['tables']?.[name] === undefined
  return { names, newTables: names.filter(isNew) }
}

/**
 * Says what to do about a schema that no migration makes; `undefined` where there is nothing to do. A database that has
 * the table already, as after `make:table`, needs a migration that passes over it.
 */
export async function adviseOnDrift(
  sql: Sql,
  modules?: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  const hash = modules === undefined ? hashFiles() : undefined
  if (hash !== undefined && hash === tryReadFile(matchFile)) return undefined
  const { names, newTables } = await findSchemaDrift(modules)
  if (names.length === 0) {
    if (hash !== undefined) keepMatch(hash)
    return undefined
  }
  const advice = `no migration creates ${names.join(', ')} as tables/schema defines it: npm run db:generate`
  const existing = await findExistingTables(sql, newTables)
  if (existing.length === 0) return `${advice}, then start again, which applies it`
  return (
    `${advice}; this database has ${existing.join(', ')} already, so put the statements of that migration into the block ` +
    'of tables/README.md, "A table that databases have already", then start again'
  )
}

async function findExistingTables(sql: Sql, names: readonly string[]): Promise<readonly string[]> {
  const found = await sql`select name from jsonb_array_elements_text(${sql.json([...names])}) name
    where exists (select from pg_class where oid = to_regclass(name))`
  return found.map(({ name }) => String(name))
}

const project = new URL('../../../', import.meta.url)

/** Has the hash of the files of which the last comparison found no drift, so that it is not made at each start. */
const matchFile = fileURLToPath(new URL('.local/migrated-schema', project))

function keepMatch(hash: string): void {
  try {
    writePrivateFile(matchFile, hash)
  } catch {
    // The project cannot be written to: each start compares.
  }
}

/** Returns a hash of what a comparison reads: the modules of the schema, the packages, and the last description. */
const hashFiles = (): string => {
  const modules = ['tables/schema/index.ts', 'lib/db/service-tables.ts', 'package-lock.json']
  return hashModules([...modules.map((file) => new URL(file, project)), ...lastSnapshotFile()])
}

const schemaModules = async () => ({
  ...(await import('../../../tables/schema/index.ts')),
  ...(await import('../../../lib/db/service-tables.ts')),
})

async function describe(modules: Readonly<Record<string, unknown>>): Promise<DescribedSchema> {
  const { generateDrizzleJson } = await import('drizzle-kit/api')
  const json = generateDrizzleJson({ ...modules }, undefined, ['public', 'table_control'])
  // Its own files have been through JSON, too.
  return snapshot.parse(JSON.parse(JSON.stringify(json)))
}

function lastSnapshot(): DescribedSchema {
  const [last] = lastSnapshotFile()
  return snapshot.parse(last === undefined ? {} : JSON.parse(readFileSync(last, 'utf8')))
}

/** Empty while there is no migration. */
function lastSnapshotFile(): readonly URL[] {
  const folder = new URL('meta/', migrationsFolder)
  const files = readdirSync(fileURLToPath(folder)).filter((file) => file.endsWith('_snapshot.json'))
  return files
    .sort()
    .slice(-1)
    .map((file) => new URL(file, folder))
}
