import { readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { readMigrations } from '../../lib/db/migration-files.ts'
import { migrationsFolder } from '../migrations-plugin.ts'

const parts = ['tables', 'enums', 'schemas', 'sequences', 'roles', 'policies', 'views'] as const
const described = z.record(z.string(), z.unknown()).default({})
const snapshot = z.object(Object.fromEntries(parts.map((part) => [part, described])))

/** As drizzle-kit describes it. */
type Described = z.output<typeof snapshot>

/**
 * What the tables of the schema have that no migration makes, or the other way round: the names of tables, enums and the
 * like. Compares descriptions, so it asks neither a database nor a person; takes about a second.
 */
export async function schemaDrift(modules?: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const [now, migrated] = [await describe(modules ?? (await schemaModules())), lastSnapshot()]
  return parts.flatMap((part) => {
    const [here, there] = [now[part] ?? {}, migrated[part] ?? {}]
    const names = [...new Set([...Object.keys(here), ...Object.keys(there)])]
    return names.filter((name) => !isDeepStrictEqual(here[name], there[name]))
  })
}

/** What to do about a schema that no migration makes; `undefined` where all is well. */
export async function driftInWords(): Promise<string | undefined> {
  const drift = schemaMayHaveChanged() ? await schemaDrift() : []
  return drift.length === 0
    ? undefined
    : `no migration makes ${drift.join(', ')} as tables/schema has it: npm run db:generate`
}

/** Whether a file of the schema is younger than the last migration, so that it is worth a look. */
function schemaMayHaveChanged(): boolean {
  const { migrations } = readMigrations(migrationsFolder)
  const changed = (url: URL) => statSync(url).mtimeMs
  const migrated = changed(new URL(migrations.at(-1)?.file ?? '.', migrationsFolder))
  return readdirSync(schemaFolder).some((file) => changed(new URL(file, schemaFolder)) > migrated)
}

const schemaFolder = new URL('../../tables/schema/', import.meta.url)

const schemaModules = async () => ({
  ...(await import('../../tables/schema/index.ts')),
  ...(await import('../../lib/db/service-tables.ts')),
})

async function describe(modules: Readonly<Record<string, unknown>>): Promise<Described> {
  const { generateDrizzleJson } = await import('drizzle-kit/api')
  const json = generateDrizzleJson({ ...modules }, undefined, ['public', 'table_control'])
  // Its own files have been through JSON, too.
  return snapshot.parse(JSON.parse(JSON.stringify(json)))
}

function lastSnapshot(): Described {
  const folder = new URL('meta/', migrationsFolder)
  const last = readdirSync(fileURLToPath(folder))
    .filter((file) => file.endsWith('_snapshot.json'))
    .sort()
    .at(-1)
  return snapshot.parse(last === undefined ? {} : JSON.parse(readFileSync(new URL(last, folder), 'utf8')))
}
