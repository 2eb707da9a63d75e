import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Returns the name of a generated table. */
const tableName = (index: number): string => `stock_${index}`

/** The statement that creates a generated table, without rows. */
export const createStatement = (index: number): string =>
  `create table ${tableName(index)} (id integer primary key, related_id integer, ${listColumns(index)
    .map(({ name, type }) => `${name} ${type}`)
    .join(', ')})`

/** The statements that create what generated tables refer to. */
export const sharedStatements =
  'create table stores (id integer primary key, city text); create table makers (id integer primary key, country text)'

const columnTypes = ['text', 'integer', 'numeric', 'boolean', 'timestamp', 'date', 'uuid', 'jsonb', 'bigint'] as const

/** The 14 columns of one table beside its key and its relation. Their types differ from table to table. */
const listColumns = (index: number) =>
  Array.from({ length: 14 }, (_, column) => {
    const type = columnTypes[(index + column * (1 + (index % 3))) % columnTypes.length] ?? 'text'
    return { name: `value_${column}`, type, isShown: type !== 'jsonb' }
  })

const shared = `import { integer, pgTable, text } from 'drizzle-orm/pg-core'

export const stores = pgTable('stores', { id: integer().primaryKey(), city: text() })
export const makers = pgTable('makers', { id: integer().primaryKey(), country: text() })
`

const identity = `import * as z from 'zod/mini'
import { tableDefiner } from '#lib'

export const claims = z.object({ role: z.optional(z.string()) })
export const defineTable = tableDefiner<z.output<typeof claims>>()
`

function schemaFile(index: number): string {
  const columns = listColumns(index)
  const types = [...new Set(['integer', 'pgTable', ...columns.map(({ type }) => type)])].sort()
  const column = ({ name, type }: (typeof columns)[number]) =>
    `  ${name}: ${type}(${type === 'bigint' ? `{ mode: 'number' }` : ''}),`
  return `import { ${types.join(', ')} } from 'drizzle-orm/pg-core'

export const ${constantName(index)} = pgTable('${tableName(index)}', {
  id: integer().primaryKey(),
  related_id: integer(),
${columns.map(column).join('\n')}
})
`
}

/** The constant of a generated table. */
const constantName = (index: number): string => `stock${index}`

function tableFile(index: number): string {
  const related = index % 2 === 0 ? 'stores' : 'makers'
  const shown = listColumns(index).filter(({ isShown }) => isShown)
  const labelled = shown.map(
    ({ name }) => `    ${name}: { label: { en: 'Value ${name}', ar: 'قيمة ${name}' }, sortable: true },`,
  )
  return `import { everyRow } from '#lib'
import { defineTable } from './identity.ts'
import { ${related} } from './schema/shared.ts'
import { ${constantName(index)} } from './schema/index.ts'

export const ${constantName(index)}Table = defineTable({
  name: '${tableName(index)}',
  label: { en: 'Stock ${index}', ar: 'مخزون ${index}' },
  from: ${constantName(index)},
  key: 'id',
  relations: { related: { table: ${related}, on: { related_id: 'id' } } },
  scope: everyRow,
  columns: {
    id: { label: { en: 'ID', ar: 'المعرف' } },
    related__${index % 2 === 0 ? 'city' : 'country'}: { label: { en: 'Place', ar: 'المكان' } },
${labelled.join('\n')}
  },
  filters: { ${shown
    .slice(0, 6)
    .map(({ name }) => `${name}: {}`)
    .join(', ')} },
})
`
}

/**
 * Writes an installation of so many tables with 16 columns each. Returns the module of its registry. The folder must be
 * inside the project, whose \`#lib\` the files import.
 */
export async function writeManyTables(directory: string, count: number): Promise<string> {
  const indexes = Array.from({ length: count }, (_, index) => index)
  await mkdir(join(directory, 'schema'), { recursive: true })
  const list = indexes.map((index) => `${constantName(index)}Table`)
  const registry = [
    `import { createRegistry } from '#lib'`,
    `import { claims } from './identity.ts'`,
    ...indexes.map((index) => `import { ${constantName(index)}Table } from './${tableName(index)}.ts'`),
    `export const registry = createRegistry([${list.join(', ')}], { claims })`,
  ]
  const files = [
    ['identity.ts', identity],
    ['schema/shared.ts', shared],
    [
      'schema/index.ts',
      indexes.map((index) => `export { ${constantName(index)} } from './${tableName(index)}.ts'\n`).join(''),
    ],
    ['index.ts', `${registry.join('\n')}\n`],
    ...indexes.flatMap((index) => [
      [`schema/${tableName(index)}.ts`, schemaFile(index)],
      [`${tableName(index)}.ts`, tableFile(index)],
    ]),
  ] as const
  await Promise.all(files.map(([path = '', text = '']) => writeFile(join(directory, path), text)))
  return join(directory, 'index.ts')
}
