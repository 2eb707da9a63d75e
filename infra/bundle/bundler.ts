import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { type BuildOptions, context, type Metafile, type Plugin, transform } from 'esbuild'
import { explorerPlugin } from '../explorer/build.ts'
import { jsonSchemaPlugin } from './json-schema-plugin.ts'
import { migrationsPlugin } from './migrations-plugin.ts'
import { reExportsPlugin } from './re-exports-plugin.ts'
import type { TableModules } from './table-modules.ts'
import { tableEntryPoints, tablesPlugin } from './tables-plugin.ts'
import { leftOutPlugin } from './unused-code-plugin.ts'

const root = resolve(import.meta.dirname, '../..')

/** The settings by which esbuild bundles a file to a function. */
export const settings = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  legalComments: 'none',
  charset: 'utf8',
  platform: 'node',
  target: 'node24',
  format: 'esm',
  outExtension: { '.js': '.cjs' },
  // CommonJS builds, which esbuild prefers for Node, cannot be tree-shaken.
  mainFields: ['module', 'main'],
  plugins: [explorerPlugin, migrationsPlugin, leftOutPlugin, jsonSchemaPlugin],
  metafile: true,
  logLevel: 'silent',
} as const satisfies BuildOptions

/** The folder of the outputs in what esbuild returns. Nothing is written there. */
export const outputFolder = 'unwritten'

/** The outputs of a function as ES modules, by their paths. */
export interface BundleOutputs {
  readonly outputs: Metafile['outputs']
  readonly texts: ReadonlyMap<string, string>
  /** The files that are loaded by their names: `index.cjs` and those of the tables. */
  readonly roots: readonly string[]
}

/** Bundles one function after the other, of which esbuild parses each source once. */
export interface Bundler {
  /** Rejects with esbuild's errors. */
  readonly build: (functionName: string) => Promise<BundleOutputs>
  /** Returns an output as CommonJS. Outputs of several functions that have the same text are converted once. */
  readonly convert: (path: string, text: string) => Promise<string>
  readonly stop: () => Promise<void>
}

export function createBundler(modules: TableModules): Bundler {
  let source = ''
  const entryPlugin: Plugin = {
    name: 'function',
    setup: ({ onResolve }) => onResolve({ filter: /^function$/ }, () => ({ path: source })),
  }
  const plugins = [...settings.plugins, tablesPlugin(modules), reExportsPlugin(modules), entryPlugin]
  const splitting = { splitting: true, write: false, outdir: resolve(root, outputFolder) } as const
  const listEntryPoints = (usesTables: boolean) => [
    { in: 'function', out: 'index' },
    ...(usesTables ? tableEntryPoints(modules) : []),
  ]
  const createContext = (usesTables: boolean) =>
    context({ ...settings, ...splitting, plugins, entryPoints: listEntryPoints(usesTables) })
  // A context keeps what it has parsed. Only functions that use tables have them as entry points.
  const contexts = new Map<boolean, ReturnType<typeof createContext>>()
  const findContext = (usesTables: boolean) => {
    const created = contexts.get(usesTables) ?? createContext(usesTables)
    contexts.set(usesTables, created)
    return created
  }
  const converted = new Map<string, Promise<string>>()
  return {
    build: async (functionName) => {
      source = resolve(root, `functions/${functionName}.ts`)
      const usesTables = (await readFile(source, 'utf8')).includes(`'#tables'`)
      const { metafile, outputFiles } = await (await findContext(usesTables)).rebuild()
      const texts = new Map(outputFiles.map(({ path, text }) => [`${outputFolder}/${basename(path)}`, text]))
      const roots = listEntryPoints(usesTables).map(({ out }) => `${outputFolder}/${out}.cjs`)
      return { outputs: metafile.outputs, texts, roots }
    },
    convert: (path, text) => {
      const key = `${isEntry(path)} ${text}`
      const conversion = converted.get(key) ?? asCommonJs(path, text)
      converted.set(key, conversion)
      return conversion
    },
    stop: async () => {
      for (const created of contexts.values()) await (await created).dispose()
    },
  }
}

const isEntry = (path: string): boolean => basename(path) === 'index.cjs'

/**
 * Node starts a CommonJS file in less time than the same code as an ES module, which esbuild alone can split and shake.
 */
export async function asCommonJs(path: string, text: string): Promise<string> {
  const { minify, platform, target, charset } = settings
  // Node's own import() of such a file would hand over its default export wrapped once more.
  const supported = { 'dynamic-import': false }
  const options = { minify, target, charset, supported, logLevel: 'silent' } as const
  // For the platform of Node, esbuild lists all exports once more. Only an import() of the file reads them, and others
  // are required.
  const { code } = await transform(text, {
    ...options,
    format: 'cjs',
    platform: isEntry(path) ? platform : 'neutral',
  })
  return code
}
