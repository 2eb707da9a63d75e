import type { Plugin } from 'esbuild'
import { readModule, type TableModules } from './table-modules.ts'

/**
 * Lets a module import from where a value is declared, and not from a module that re-exports it, such as schema/index.ts. With the
 * latter, esbuild would put all that it re-exports into one file for all tables.
 */
export function reExportsPlugin({ exports, imports, declared, reExporting }: TableModules): Plugin {
  return {
    name: 're-exports',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, ({ path: specifier, importer, namespace }) => {
        if (namespace !== 'file' || reExporting.has(importer)) return undefined
        const file = imports.get(importer)?.get(specifier)
        const values = file !== undefined && reExporting.has(file) && exports.get(file)
        const names = values && importedNames(importer, specifier)
        if (!names) return undefined
        const lines = names.map((name) => {
          const place = declared.get(values[name]) ?? { file, name }
          return `export { ${place.name} as ${name} } from ${JSON.stringify(place.file)}`
        })
        const path = `${file} for ${importer}`
        return { path, namespace: 're-exports', sideEffects: false, pluginData: lines.join('\n') }
      })
      onLoad({ filter: /./, namespace: 're-exports' }, ({ pluginData }) => ({
        contents: String(pluginData),
        resolveDir: '/',
      }))
    },
  }
}

/** Returns the names that a module imports from another; `undefined` if it takes the whole of it. */
function importedNames(file: string, from: string): readonly string[] | undefined {
  const entries = readModule(file)
    .staticImports.filter(({ moduleRequest }) => moduleRequest.value === from)
    .flatMap(({ entries }) => entries.filter(({ isType }) => !isType))
  const names = entries.map(({ importName: { kind, name } }) => (kind === 'Default' ? 'default' : name))
  return names.every((name) => name !== null) ? [...new Set(names)] : undefined
}
