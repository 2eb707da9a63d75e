import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { is } from 'drizzle-orm'
import { isPgEnum, PgTable } from 'drizzle-orm/pg-core'
import { tableName } from '../../lib/table/table-facts.ts'

/** The file and the constant of an existing declaration. */
export interface DeclaredConstant {
  /** Its file in tables/schema, with its ending. */
  readonly file: string
  readonly constant: string
}

export interface ExistingSchema {
  /** Declarations by their name in the database; of another schema than `public` by both names. */
  readonly tables: ReadonlyMap<string, DeclaredConstant>
  readonly enums: ReadonlyMap<string, DeclaredConstant>
  readonly files: readonly string[]
}

/** Names a type as Postgres does, without quotes. */
export const qualifyName = (schema: string | undefined, name: string): string =>
  schema === undefined ? name : `${schema}.${name}`

/** Reads the declarations in tables/schema of a project. */
export async function readExistingSchema(project: string): Promise<ExistingSchema> {
  const folder = join(project, 'tables/schema')
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'))
  const tables = new Map<string, DeclaredConstant>()
  const enums = new Map<string, DeclaredConstant>()
  for (const file of files.filter((name) => name !== 'index.ts')) {
    const exported: object = await import(pathToFileURL(join(folder, file)).href)
    for (const [constant, value] of Object.entries(exported)) {
      if (is(value, PgTable)) tables.set(tableName(value), { file, constant })
      else if (isPgEnum(value)) enums.set(qualifyName(value.schema, value.enumName), { file, constant })
    }
  }
  return { tables, enums, files }
}
