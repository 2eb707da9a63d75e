import type { Plugin } from 'esbuild'
import { type ExportedValue, specifierFilter, type TableModule, type TableModules } from './table-modules.ts'

/** The name of the file with the table at a place of the list, without its ending. */
const fileName = (place: number): string => `table-${place}`

/** The entry points of the tables, each of which becomes a file beside `index.cjs`. */
export const tableEntryPoints = ({ tables }: TableModules) =>
  tables.map((_, place) => ({ in: `table-on-demand:${place}`, out: fileName(place) }))

/**
 * Takes the tables out of what a function loads at once. Where tables are listed, each import of a table becomes its
 * place in `tablesOnDemand`, by which the registry reads its file when a request names it.
 */
export function tablesPlugin(modules: TableModules): Plugin {
  const places = Map.groupBy(modules.tables.entries(), ([, { file }]) => file)
  const filter = specifierFilter(modules, (importer, file) => modules.lists.has(importer) && places.has(file))
  return {
    name: 'tables',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^#tables$/ }, () => ({ path: modules.entry, sideEffects: false }))
      onResolve({ filter: /^table-on-demand:/ }, ({ path }) => ({ path, namespace: 'table-on-demand' }))
      onResolve({ filter }, ({ path: specifier, importer, namespace }) => {
        const path =
          namespace === 'file' && modules.lists.has(importer) && modules.imports.get(importer)?.get(specifier)
        return path && places.has(path) ? { path, namespace: 'listed-table', sideEffects: false } : undefined
      })
      onLoad({ filter: /./, namespace: 'listed-table' }, ({ path }) => ({
        contents: listedModule(path, places.get(path) ?? [], Object.keys(modules.exports.get(path) ?? {})),
        resolveDir: '/',
      }))
      onLoad({ filter: /./, namespace: 'table-on-demand' }, ({ path }) => {
        const table = modules.tables[Number(path.split(':')[1])]
        return table && { contents: `export { ${table.name} as table } from ${quote(table.file)}`, resolveDir: '/' }
      })
      onResolve({ filter: /^table-listings$/ }, ({ path }) => ({ path, namespace: path, sideEffects: false }))
      onLoad({ filter: /./, namespace: 'table-listings' }, () => ({
        contents: listings(modules.tables),
        resolveDir: '/',
      }))
      onLoad({ filter: /[\\/]lib[\\/]table[\\/]tables-on-demand\.ts$/ }, () => ({
        contents: onDemandModule(modules.tables),
        resolveDir: '/',
      }))
    },
  }
}

const quote = (value: unknown): string => JSON.stringify(value)

type TablePlace = readonly [place: number, table: TableModule]

/**
 * A module of tables as lists see it. What else it exports is named one by one, because `export *` would load it with
 * the list.
 */
function listedModule(file: string, tables: readonly TablePlace[], exports: readonly string[]): string {
  const others = exports.filter((name) => !tables.some(([, table]) => table.name === name))
  return [
    ...others.map((name) => `export { ${name} } from ${quote(file)}`),
    ...tables.map(([place, { name }]) =>
      name === 'default' ? `export default ${place}` : `export const ${name} = ${place}`,
    ),
  ].join('\n')
}

/**
 * A computed path takes the fewest bytes for each table. Written in the import itself, esbuild would look for files
 * that fit it.
 */
const onDemandModule = (tables: readonly TableModule[]): string => `
const read = (path) => import(path)
export const tablesOnDemand = {
  names: ${quote(tables.map(({ table }) => table))},
  load: async (place) => (await read('./${fileName(0).slice(0, -1)}' + place + '.cjs')).table,
  listings: async () => (await import('table-listings')).listings,
}`

/** The list of tables. Middlewares that have a module of their own are read with it, and no table. */
function listings(tables: readonly TableModule[]): string {
  const imported = new Map<string, string>()
  const importValue = ({ file, name }: ExportedValue) => {
    const statement = `import { ${name} as $ } from ${quote(file)}`
    const alias = imported.get(statement) ?? `middleware${imported.size}`
    imported.set(statement, alias)
    return alias
  }
  const entries = tables.flatMap(({ middlewares }, place) => {
    const list = middlewares === undefined ? quote('in the table') : `[${middlewares.map(importValue).join()}]`
    return list === '[]' ? [] : [`${place}: ${list}`]
  })
  const imports = [...imported].map(([statement, alias]) => statement.replace('$', alias))
  const labels = tables.flatMap(({ label = '' }) => (typeof label === 'string' ? [label, label] : [label.en, label.ar]))
  const listing = `export const listings = { labels: ${writeTexts(labels)}, middlewares: { ${entries.join()} } }`
  return [...imports, listing].join('\n')
}

/** Writes a list of texts. Split from one text it takes half of the characters that its syntax would take. */
const writeTexts = (texts: readonly string[]): string =>
  texts.some((text) => text.includes('\n')) ? quote(texts) : `${quote(texts.join('\n'))}.split(${quote('\n')})`
