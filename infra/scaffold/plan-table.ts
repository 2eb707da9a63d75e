import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Sql } from 'postgres'
import type { LoadedRegistry } from '../../lib/table/registry.ts'
import { addExports, addToRegistry } from './add-to-registry.ts'
import { type ExistingSchema, qualifyName, readExistingSchema } from './existing-schema.ts'
import { createNames, type Names } from './names.ts'
import type { PlannedFile } from './planned-files.ts'
import { type CatalogueTable, readCatalogue } from './read-catalogue.ts'
import { findUndeclaredReferences, schemaFile } from './schema-file.ts'
import type { SearchedColumns } from './searched-columns.ts'
import { createDraft, type LeftOut } from './table-draft.ts'
import { tableFile } from './table-file.ts'

export interface TableRequest {
  readonly project: string
  readonly name: string
  readonly everyone: boolean
}

export interface TablePlan {
  readonly files: readonly PlannedFile[]
  readonly leftOut: readonly LeftOut[]
}

/**
 * The files that make a table of the database a table of the project. Tables that it refers to are declared in
 * tables/schema, too, where they are not; they are not registered.
 */
export async function planTable(sql: Sql, { project, name, everyone }: TableRequest): Promise<TablePlan> {
  await refuseRegistered(project, name)
  const names = createNames(name)
  const before = await readExistingSchema(project)
  const tables = await withReferences(sql, await readCatalogue(sql, name), before)
  const table = tables.get(name)
  if (table === undefined) throw new Error(`The table "${name}" was not found among the tables that were read`)
  const draft = createDraft(table, tables)
  const { files: schema, known } = schemaFiles([...tables.values()], before, new Map([[name, draft.searched]]))
  const text = tableFile({ table, names, draft, known, everyone })
  const index = (path: string) => readFileSync(join(project, path), 'utf8')
  const schemaIndex = schema.reduce(
    (now, { file, constants }) => addExports(now, file, constants),
    index('tables/schema/index.ts'),
  )
  const files = [
    ...schema.map((one) => ({ path: `tables/schema/${one.file}`, text: one.text, changes: false })),
    { path: 'tables/schema/index.ts', text: schemaIndex, changes: true },
    { path: `tables/${names.file}.ts`, text, changes: false },
    { path: 'tables/index.ts', text: addToRegistry(index('tables/index.ts'), names), changes: true },
    { path: `test/tables/${names.file}.test.ts`, text: testFile(names), changes: false },
  ]
  return { files, leftOut: draft.leftOut }
}

/** A table and all that it refers to, directly or not, each behind those that it refers to itself. */
async function withReferences(
  sql: Sql,
  table: CatalogueTable,
  known: ExistingSchema,
  met: Map<string, CatalogueTable> = new Map(),
  ordered: Map<string, CatalogueTable> = new Map(),
): Promise<ReadonlyMap<string, CatalogueTable>> {
  met.set(table.name, table)
  for (const { table: target } of table.references) {
    if (met.has(target)) continue
    const found = await readCatalogue(sql, target)
    // The tables behind a declared table are declared as well.
    if (known.tables.has(target)) ordered.set(target, found)
    else await withReferences(sql, found, known, met, ordered)
  }
  return ordered.set(table.name, table)
}

async function refuseRegistered(project: string, name: string): Promise<void> {
  const { registry }: { readonly registry: LoadedRegistry } = await import(
    pathToFileURL(join(project, 'tables/index.ts')).href
  )
  if (registry.tables.has(name)) throw new Error(`A table "${name}" is registered in tables/index.ts already`)
}

interface SchemaFile {
  readonly file: string
  readonly constants: readonly string[]
  readonly text: string
}

/** Each may refer to those before it, so that no two files import each other. */
function schemaFiles(
  tables: readonly CatalogueTable[],
  before: ExistingSchema,
  searched: ReadonlyMap<string, SearchedColumns>,
) {
  const files: SchemaFile[] = []
  let known = before
  for (const table of tables) {
    if (known.tables.has(table.name)) continue
    const names = createNames(table.name)
    const file = `${names.file}.ts`
    const text = withoutReferences(table, known) + schemaFile(table, names, known, searched.get(table.name))
    const constants = [...text.matchAll(/^export const (\w+)/gm)].flatMap(([, constant]) => constant ?? [])
    files.push({ file, constants, text })
    known = withDeclared(known, table, names, text, file)
  }
  return { files, known }
}

function withDeclared(
  known: ExistingSchema,
  table: CatalogueTable,
  names: Names,
  text: string,
  file: string,
): ExistingSchema {
  const enums = [...text.matchAll(/^export const (\w+) = (?:pgEnum|pgSchema\("([^"]+)"\)\.enum)\("([^"]+)"/gm)]
  return {
    files: [...known.files, file],
    tables: new Map([...known.tables, [table.name, { file, constant: names.schema }]]),
    enums: new Map([
      ...known.enums,
      ...enums.map(([, constant = '', schema, name = '']) => [qualifyName(schema, name), { file, constant }] as const),
    ]),
  }
}

const withoutReferences = (table: CatalogueTable, known: ExistingSchema): string =>
  findUndeclaredReferences(table, known)
    .map(
      ({ columns, table: target }) =>
        `// The foreign key of ${columns.join(', ')} to ${target} is not here, because ${target} is not.\n`,
    )
    .join('')

const testFile = ({ file, definition }: Names): string => `import { ${definition} } from '../../tables/${file}.ts'
import { tableContract } from '../support/contract/table-contract.ts'

tableContract(${definition})
`
