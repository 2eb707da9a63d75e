import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, parse, resolve } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import type { Metafile } from 'esbuild'
import { runCommand } from '../run-command.ts'
import { type BundleCache, hashSources, openBundleCache } from './bundle-cache.ts'
import { type Bundler, createBundler, outputFolder } from './bundler.ts'
import { findTableModules } from './table-modules.ts'

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
  const bundler = createBundler(await findTableModules(options.tables ?? resolve(root, 'tables/index.ts')))
  const cache = await openCache(options)
  const bundles: BundledFunction[] = []
  try {
    // One after the other: esbuild uses all cores for one.
    for (const name of names) bundles.push(await findBundle(name, resolve(options.outdir, name), bundler, cache))
  } finally {
    await bundler.stop()
  }
  return bundles
}

/** Tables outside of the project are no part of the state by which a cache knows its bundles. */
async function openCache({ tables, cacheDirectory }: BundleOptions): Promise<BundleCache | undefined> {
  if (tables !== undefined) return undefined
  return openBundleCache(cacheDirectory ?? resolve(root, 'node_modules/.cache/bundle'), await hashSources(root))
}

/** Takes a bundle from the cache, or makes it. */
async function findBundle(
  name: string,
  folder: string,
  bundler: Bundler,
  cache: BundleCache | undefined,
): Promise<BundledFunction> {
  const make = () => bundleFunction(name, folder, bundler)
  const facts = await (cache === undefined ? make() : cache.find(name, folder, make))
  return { name, file: resolve(folder, 'index.cjs'), ...facts }
}

/**
 * Bundles a function into a folder. Code that it imports on demand becomes a file beside `index.cjs`, which a cold
 * start does not read. Files that only removed code would import are not written.
 */
async function bundleFunction(name: string, folder: string, bundler: Bundler): Promise<BundleFacts> {
  const { outputs, texts, roots } = await bundler.build(name)
  const all = [...reachableOutputs(outputs, roots, ['import-statement', 'dynamic-import'])]
  const files = await Promise.all(
    all.map(async (path) => [path, await bundler.convert(path, texts.get(path) ?? '')] as const),
  )
  await writeAll(folder, files)
  const loaded = reachableOutputs(outputs, [`${outputFolder}/index.cjs`], ['import-statement'])
  const code = Buffer.from(files.flatMap(([path, text]) => (loaded.has(path) ? [text] : [])).join(''))
  const inputs = [...loaded].flatMap((path) => Object.entries(outputs[path]?.inputs ?? {}))
  return measureBundle(code, inputs)
}

async function writeAll(folder: string, files: readonly (readonly [path: string, text: string])[]): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await Promise.all(files.map(([path, text]) => writeFile(resolve(folder, basename(path)), text)))
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

const usage = `Usage: npm run bundle
Writes the functions, as a deployment has them, to .local/bundle/, and prints their sizes.`

async function bundle(): Promise<number> {
  const bundles = await bundleFunctions({ outdir: bundleDirectory })
  console.table(bundles.map(({ name, bytes, deflatedBytes, modules }) => ({ name, bytes, deflatedBytes, modules })))
  return 0
}

if (import.meta.main) await runCommand(usage, {}, bundle)
