import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, parse, resolve } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { type BuildOptions, build, type Metafile, type Plugin, transform } from 'esbuild'
import { explorerPlugin } from '../explorer/build.ts'
import { type BundleCache, hashSources, openBundleCache } from './bundle-cache.ts'
import { jsonSchemaPlugin } from './json-schema-plugin.ts'
import { migrationsPlugin } from './migrations-plugin.ts'
import { reExportsPlugin } from './re-exports-plugin.ts'
import { findTableModules } from './table-modules.ts'
import { tableEntryPoints, tablesPlugin } from './tables-plugin.ts'
import { leftOutPlugin } from './unused-code-plugin.ts'

const root = resolve(import.meta.dirname, '../..')

/** The folder into which `npm run bundle` and the synthesis write the functions. */
export const bundleDirectory = resolve(root, '.local/bundle')

export interface BundledFunction {
  /** The name of its file in functions/. */
  readonly name: string
  /** The bundle, absolute; it exports `handler` and stands alone in its folder. */
  readonly file: string
  readonly bytes: number
  /** Size of the deployment package in bytes. */
  readonly deflatedBytes: number
  /** How many source files are in the bundle. */
  readonly modules: number
  /** Those files, relative to the project. */
  readonly inputs: readonly string[]
}

/** The settings that do not depend on the folder of the bundle. */
type BundleFacts = Omit<BundledFunction, 'name' | 'file'>

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

export interface BundleOptions {
  readonly outdir: string
  /** Names of files in functions/. Default: all of them. */
  readonly functions?: readonly string[]
  /** The module that exports the registry. Default: tables/index.ts. */
  readonly tables?: string
  /** The folder that keeps bundles until a source changes. Default: `node_modules/.cache/bundle`. */
  readonly cacheDirectory?: string
}

/**
 * Bundles functions, each into `<outdir>/<name>/index.cjs`, in the order of their names. Rejects with esbuild's errors.
 */
export async function bundleFunctions(options: BundleOptions): Promise<readonly BundledFunction[]> {
  const names = [...(options.functions ?? (await readFunctionNames()))].sort()
  const modules = await findTableModules(options.tables ?? resolve(root, 'tables/index.ts'))
  const plugins = [...settings.plugins, tablesPlugin(modules), reExportsPlugin(modules)]
  const tables = tableEntryPoints(modules)
  const cache = await openCache(options)
  const bundles: BundledFunction[] = []
  // One after the other: esbuild uses all cores for one, and holds every source once for each that it makes at a time.
  for (const name of names)
    bundles.push(await findBundle(name, resolve(options.outdir, name), { plugins, tables, cache }))
  return bundles
}

/** Tables outside of the project are no part of the state by which a cache knows its bundles. */
async function openCache({ tables, cacheDirectory }: BundleOptions): Promise<BundleCache | undefined> {
  if (tables !== undefined) return undefined
  return openBundleCache(cacheDirectory ?? resolve(root, 'node_modules/.cache/bundle'), await hashSources(root))
}

interface CachedBundling extends TableBundling {
  readonly cache: BundleCache | undefined
}

/** Takes a bundle from the cache, or makes it. */
async function findBundle(
  name: string,
  folder: string,
  { cache, ...bundling }: CachedBundling,
): Promise<BundledFunction> {
  const kept = (await cache?.take(name, folder)) as BundleFacts | undefined
  const facts = kept ?? (await bundleFunction(name, folder, bundling))
  if (kept === undefined) await cache?.keep(name, folder, facts)
  return { name, file: resolve(folder, 'index.cjs'), ...facts }
}

interface TableBundling {
  readonly plugins: Plugin[]
  readonly tables: ReturnType<typeof tableEntryPoints>
}

/**
 * Bundles a function into a folder. Code that it imports on demand becomes a file beside `index.cjs`, which a cold
 * start does not read. Files that only removed code would import are not written.
 */
async function bundleFunction(name: string, outdir: string, { plugins, tables }: TableBundling): Promise<BundleFacts> {
  const source = `functions/${name}.ts`
  const usesTables = (await readFile(resolve(root, source), 'utf8')).includes(`'#tables'`)
  const entryPoints = [{ in: source, out: 'index' }, ...(usesTables ? tables : [])]
  const { metafile, outputFiles } = await build({
    ...settings,
    plugins,
    entryPoints,
    splitting: true,
    write: false,
    outdir,
  })
  const contents = new Map(outputFiles.map((output) => [output.path, output.text]))
  const file = resolve(outdir, 'index.cjs')
  const entry = Object.keys(metafile.outputs).find((path) => resolve(root, path) === file) ?? ''
  const roots = new Set(entryPoints.map(({ out }) => resolve(outdir, `${out}.cjs`)))
  const entries = Object.keys(metafile.outputs).filter((path) => roots.has(resolve(root, path)))
  const all = [...reachableOutputs(metafile.outputs, entries, ['import-statement', 'dynamic-import'])]
  const files = await Promise.all(all.map((path) => asCommonJs(path, contents.get(resolve(root, path)) ?? '')))
  await writeAll(outdir, files)
  const loaded = [...reachableOutputs(metafile.outputs, [entry], ['import-statement'])]
  const code = Buffer.from(files.flatMap(([path, text]) => (loaded.includes(path) ? [text] : [])).join(''))
  const inputs = loaded.flatMap((path) => Object.entries(metafile.outputs[path]?.inputs ?? {}))
  return measureBundle(code, inputs)
}

/**
 * Node starts a CommonJS file in less time than the same code as an ES module, which esbuild alone can split and shake.
 */
export async function asCommonJs(path: string, text: string): Promise<readonly [path: string, text: string]> {
  const { minify, platform, target, charset } = settings
  // Node's own import() of such a file would hand over its default export wrapped once more.
  const supported = { 'dynamic-import': false }
  const options = { minify, target, charset, supported, logLevel: 'silent' } as const
  // For the platform of Node, esbuild lists all exports once more. Only an import() of the file reads them, and others
  // are required.
  const { code } = await transform(text, {
    ...options,
    format: 'cjs',
    platform: basename(path) === 'index.cjs' ? platform : 'neutral',
  })
  return [path, code]
}

async function writeAll(directory: string, files: readonly (readonly [path: string, text: string])[]): Promise<void> {
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
  await Promise.all(files.map(([path, text]) => writeFile(resolve(root, path), text)))
}

/** Outputs and those that they import in these ways, to any depth. */
function reachableOutputs(
  outputs: Metafile['outputs'],
  entries: readonly string[],
  kinds: readonly string[],
  found = new Set<string>(),
): ReadonlySet<string> {
  for (const entry of entries) {
    if (found.has(entry)) continue
    found.add(entry)
    const imports = outputs[entry]?.imports.filter(({ path, kind }) => kinds.includes(kind) && path in outputs) ?? []
    reachableOutputs(
      outputs,
      imports.map(({ path }) => path),
      kinds,
      found,
    )
  }
  return found
}

/** Every function of the service: the names in functions/. */
export async function readFunctionNames(): Promise<readonly string[]> {
  const files = await readdir(resolve(root, 'functions'))
  return files.filter((file) => file.endsWith('.ts')).map((file) => parse(file).name)
}

type Inputs = readonly (readonly [path: string, input: { readonly bytesInOutput: number }])[]

function measureBundle(code: Buffer, inputs: Inputs): BundleFacts {
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path)
  return { bytes: code.length, deflatedBytes: deflateRawSync(code).length, modules: used.length, inputs: used }
}

if (import.meta.main) {
  const bundles = await bundleFunctions({ outdir: bundleDirectory })
  console.table(bundles.map(({ name, bytes, deflatedBytes, modules }) => ({ name, bytes, deflatedBytes, modules })))
}
