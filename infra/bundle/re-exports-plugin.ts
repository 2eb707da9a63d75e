import { resolve } from 'node:path'
import type { OnLoadArgs, OnResolveArgs, OnResolveResult, Plugin } from 'esbuild'
import type { EcmaScriptModule } from 'oxc-parser'
import { type ExportedValue, specifierFilter, type TableModules } from './table-modules.ts'

const library = resolve(import.meta.dirname, '../../lib/index.ts')

/**
 * Lets a module import from where a value is declared, and not from a module that re-exports it, such as
 * schema/index.ts. With the latter, esbuild would put all that it re-exports into one file for all tables. With
 * lib/index.ts, it would read all of lib and of its packages for every function.
 */
export function reExportsPlugin(modules: TableModules): Plugin {
  const { exports, imports, declared, reExporting, readModule } = modules
  const filter = specifierFilter(modules, (importer, file) => !reExporting.has(importer) && reExporting.has(file))
  const libraryExports = findLibraryExports(readModule(library))
  return {
    name: 're-exports',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^#lib$/ }, (asked) =>
        importPlaces(asked, readModule, library, (name) => libraryExports.get(name) ?? { file: library, name }),
      )
      onResolve({ filter }, (asked) => {
        if (reExporting.has(asked.importer)) return undefined
        const file = imports.get(asked.importer)?.get(asked.path)
        const values = file !== undefined && reExporting.has(file) && exports.get(file)
        if (!values) return undefined
        return importPlaces(asked, readModule, file, (name) => declared.get(values[name]) ?? { file, name })
      })
      onLoad({ filter: /./, namespace: 're-exports' }, ({ pluginData }: OnLoadArgs) => ({
        contents: String(pluginData),
        resolveDir: '/',
      }))
    },
  }
}

/**
 * Replaces `file` by a module with only the names that its importer takes; `undefined` if the importer may take others
 * as well.
 */
function importPlaces(
  { path: specifier, importer, namespace, kind }: OnResolveArgs,
  readModule: TableModules['readModule'],
  file: string,
  findPlace: (name: string) => ExportedValue,
): OnResolveResult | undefined {
  if (namespace !== 'file' || kind !== 'import-statement') return undefined
  const names = importedNames(readModule(importer), specifier)
  if (names === undefined) return undefined
  const lines = names.map((name) => {
    const place = findPlace(name)
    return `export { ${place.name} as ${name} } from ${JSON.stringify(place.file)}`
  })
  return { path: `${file} for ${importer}`, namespace: 're-exports', sideEffects: false, pluginData: lines.join('\n') }
}

/**
 * Returns the names that a module imports from another; `undefined` if it takes the whole of it, or re-exports a part.
 */
function importedNames(
  { staticImports, staticExports }: EcmaScriptModule,
  from: string,
): readonly string[] | undefined {
  const reExports = staticExports.flatMap((statement) => statement.entries)
  if (reExports.some(({ moduleRequest }) => moduleRequest?.value === from)) return undefined
  const entries = staticImports
    .filter(({ moduleRequest }) => moduleRequest.value === from)
    .flatMap(({ entries }) => entries.filter(({ isType }) => !isType))
  const names = entries.map(({ importName: { kind, name } }) => (kind === 'Default' ? 'default' : name))
  return names.every((name) => name !== null) ? [...new Set(names)] : undefined
}

/** Returns where lib/index.ts takes each of its exports from. */
function findLibraryExports({ staticExports }: EcmaScriptModule): ReadonlyMap<string, ExportedValue> {
  const entries = staticExports.flatMap((statement) => statement.entries)
  return new Map(
    entries.flatMap(({ exportName, importName, moduleRequest }) =>
      moduleRequest === null || exportName.name === null || importName.name === null
        ? []
        : [[exportName.name, { file: resolve(library, '..', moduleRequest.value), name: importName.name }] as const],
    ),
  )
}
