import { type DrizzleColumn, drizzleColumn } from './drizzle-column.ts'
import type { ExistingSchema } from './existing-schema.ts'
import { camelCase, type Names, property, propertyName } from './names.ts'
import type { CatalogueIndex, CatalogueReference, CatalogueTable } from './read-catalogue.ts'
import type { SearchedColumns } from './searched-columns.ts'

/** Builds the file of tables/schema that declares a table as the database has it. */
export function schemaFile(
  table: CatalogueTable,
  names: Names,
  known: ExistingSchema,
  searched?: SearchedColumns,
): string {
  const imports = new Map<string, Set<string>>()
  const use = (from: string, name: string) => imports.set(from, (imports.get(from) ?? new Set()).add(name))
  const core = (name: string) => use('drizzle-orm/pg-core', name)
  const enums = enumsText(table)
  const columns = table.columns.map((column) => {
    const type = enumType(column.type)
    const declared = known.enums.get(type)
    const enumName = column.values === null ? undefined : (declared?.constant ?? enums.get(type)?.constant)
    if (declared !== undefined && column.values !== null) use(`./${declared.file}`, declared.constant)
    const made = drizzleColumn(column, enumName)
    for (const builder of made.builders) core(builder)
    if (made.usesSql) use('drizzle-orm', 'sql')
    const note = made.note === null ? '' : `// ${made.note}\n`
    return `${note}${toDocComment(column.comment)}${propertyName(column.name)}: ${made.text}${constraints(table, column.name, made)},`
  })
  const own = [...enums].filter(([type]) => !known.enums.has(type))
  const declarations = own.map(([type, { constant, values }]) => {
    const [name = '', schema] = type.split('.').reverse()
    core(schema === undefined ? 'pgEnum' : 'pgSchema')
    const builder = schema === undefined ? 'pgEnum' : `pgSchema(${JSON.stringify(schema)}).enum`
    return `export const ${constant} = ${builder}(${JSON.stringify(name)}, ${JSON.stringify(values)})\n\n`
  })
  const extras = [...tableExtras(table, names, known, { core, use }), ...searchIndexText(searched, use)]
  core('pgTable')
  const options = extras.length > 0 ? `, (row) => [${extras.join(', ')}]` : ''
  return `${importText(imports)}\n${declarations.join('')}${toDocComment(table.comment ?? `The table ${table.name} of the database.`)}export const ${names.schema} = pgTable(${JSON.stringify(
    table.name,
  )}, {\n${columns.join('\n')}\n}${options})\n`
}

/** The foreign keys that a schema file cannot declare, because what they point to is not in tables/schema. */
export const findUndeclaredReferences = (table: CatalogueTable, known: ExistingSchema): readonly CatalogueReference[] =>
  table.references.filter((reference) => reference.table !== table.name && !known.tables.has(reference.table))

const importText = (imports: ReadonlyMap<string, ReadonlySet<string>>): string =>
  [...imports].map(([from, names]) => `import { ${[...names].sort().join(', ')} } from '${from}'\n`).join('')

const toDocComment = (comment: string | null): string =>
  comment === null ? '' : `/** ${comment.replaceAll('*/', '* /').replace(/\s+/g, ' ')} */\n`

const enumType = (type: string): string => type.replace(/\[\]$/, '').replaceAll('"', '')

const enumsText = ({ columns }: CatalogueTable) =>
  new Map(
    columns.flatMap(({ type, values }) =>
      values === null ? [] : [[enumType(type), { constant: `${camelCase(enumType(type))}Values`, values }] as const],
    ),
  )

/** Returns the constraints of one column: primary key, unique, not null. */
function constraints(table: CatalogueTable, name: string, { text }: DrizzleColumn): string {
  const own = table.keys.find(({ columns }) => columns.length === 1 && columns[0] === name)
  if (own?.primary === true) return '.primaryKey()'
  const impliesNotNull = /AsIdentity\(\)|serial\(/.test(text)
  const notNull = table.columns.find((column) => column.name === name)?.notNull === true && !impliesNotNull
  return `${notNull ? '.notNull()' : ''}${own === undefined ? '' : `.unique(${JSON.stringify(own.name)})`}`
}

/** Declares the index that searches need, where the database has none. */
function searchIndexText(searched: SearchedColumns | undefined, use: Uses['use']): readonly string[] {
  if (searched === undefined || searched.withoutIndex.length === 0) return []
  use('./search-index.ts', 'searchIndex')
  const columns = searched.withoutIndex.map((name) => property('row', name)).join(', ')
  return [`searchIndex(${JSON.stringify(searched.index)}, ${columns})`]
}

interface Uses {
  readonly core: (name: string) => void
  readonly use: (from: string, name: string) => void
}

function tableExtras(table: CatalogueTable, names: Names, known: ExistingSchema, uses: Uses): readonly string[] {
  const list = (owner: string, columns: readonly string[]) =>
    `[${columns.map((name) => property(owner, name)).join(', ')}]`
  const keys = table.keys
    .filter(({ columns }) => columns.length > 1)
    .map(({ name, primary, columns }) => {
      uses.core(primary ? 'primaryKey' : 'unique')
      return primary
        ? `primaryKey({ name: ${JSON.stringify(name)}, columns: ${list('row', columns)} })`
        : `unique(${JSON.stringify(name)}).on(${columns.map((name) => property('row', name)).join(', ')})`
    })
  const references = table.references.flatMap((reference) => {
    const target = reference.table === table.name ? undefined : known.tables.get(reference.table)
    if (target === undefined && reference.table !== table.name) return []
    if (target !== undefined) uses.use(`./${target.file}`, target.constant)
    uses.core('foreignKey')
    const owner = target?.constant ?? names.schema
    const actions = [
      reference.onDelete === 'no action' ? '' : `.onDelete('${reference.onDelete}')`,
      reference.onUpdate === 'no action' ? '' : `.onUpdate('${reference.onUpdate}')`,
    ]
    const foreign = owner === names.schema ? 'row' : owner
    return [
      `foreignKey({ name: ${JSON.stringify(reference.name)}, columns: ${list('row', reference.columns)}, foreignColumns: ${list(foreign, reference.targets)} })${actions.join('')}`,
    ]
  })
  return [...keys, ...references, ...table.indexes.map((index) => indexText(index, uses))]
}

/** Returns the place of NULLs in SQL where it is not that of the direction. */
const nullsWords = (descending: boolean, nullsFirst: boolean): string | null =>
  descending === nullsFirst ? null : nullsFirst ? 'nulls first' : 'nulls last'

/** Returns the source text of an SQL template. */
const sqlTemplate = (text: string): string => `sql\`${text.replace(/[`\\$]/g, '\\$&')}\``

function indexText({ name, unique, method, parts, where }: CatalogueIndex, { core, use }: Uses): string {
  const kind = unique ? 'uniqueIndex' : 'index'
  core(kind)
  const columns = parts.map(({ column, expression, descending, nullsFirst, operatorClass }) => {
    if (column === null) {
      use('drizzle-orm', 'sql')
      const words = [expression, operatorClass, descending ? 'desc' : null, nullsWords(descending, nullsFirst)]
      return sqlTemplate(words.filter((word) => word !== null).join(' '))
    }
    // drizzle takes NULLs for last in either direction, Postgres only in an ascending one.
    const nulls = nullsFirst ? '.nullsFirst()' : descending ? '.nullsLast()' : ''
    const order = `${descending ? '.desc()' : ''}${nulls}`
    const written = `${property('row', column)}${order}`
    return operatorClass === null ? written : `${written}.op('${operatorClass}')`
  })
  if (where !== null) use('drizzle-orm', 'sql')
  const condition = where === null ? '' : `.where(${sqlTemplate(where)})`
  const on = method === 'btree' ? `.on(${columns.join(', ')})` : `.using('${method}', ${columns.join(', ')})`
  return `${kind}(${JSON.stringify(name)})${on}${condition}`
}
