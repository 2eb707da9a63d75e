import { readdir, readFile } from 'node:fs/promises'
import { parse, resolve } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { type BuildOptions, build, type Metafile } from 'esbuild'

const root = resolve(import.meta.dirname, '..')

export interface BundledFunction {
  /** The name of its file in functions/. */
  readonly name: string
  /** The bundle, absolute; it exports `handler` and stands alone in its folder. */
  readonly file: string
  readonly bytes: number
  /** What a deployment package carries of it. */
  readonly deflatedBytes: number
  /** How many source files are in the bundle. */
  readonly modules: number
  /** Those files, relative to the project. */
  readonly inputs: readonly string[]
}

const settings = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  legalComments: 'none',
  charset: 'utf8',
  platform: 'node',
  target: 'node24',
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  // CommonJS builds, which esbuild prefers for Node, cannot be tree-shaken.
  mainFields: ['module', 'main'],
  // Bundled CommonJS packages still call require for what Node has built in.
  banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
  metafile: true,
  logLevel: 'silent',
} as const satisfies BuildOptions

export interface BundleOptions {
  readonly outdir: string
  /** Names of files in functions/; all of them when left out. */
  readonly functions?: readonly string[]
}

/** Bundles functions, each into `<outdir>/<name>/index.mjs`, in the order of their names. Rejects with esbuild's errors. */
export async function bundleFunctions(options: BundleOptions): Promise<readonly BundledFunction[]> {
  const names = [...(options.functions ?? (await deployedFunctions()))].sort()
  return Promise.all(names.map((name) => bundleFunction(name, resolve(options.outdir, name))))
}

/** What a function imports on demand becomes a file beside `index.mjs`, which a cold start does not read. */
async function bundleFunction(name: string, outdir: string): Promise<BundledFunction> {
  const entryPoints = [{ in: `functions/${name}.ts`, out: 'index' }]
  const { metafile } = await build({ ...settings, splitting: true, entryPoints, outdir })
  const file = resolve(outdir, 'index.mjs')
  const entry = Object.keys(metafile.outputs).find((path) => resolve(root, path) === file) ?? ''
  const loaded = loadedAtOnce(metafile.outputs, entry)
  const code = await Promise.all(loaded.map((path) => readFile(resolve(root, path))))
  const inputs = loaded.flatMap((path) => Object.entries(metafile.outputs[path]?.inputs ?? {}))
  return { name, file, ...measured(Buffer.concat(code), inputs) }
}

/** A bundle and the files that it imports statically, to any depth. */
function loadedAtOnce(outputs: Metafile['outputs'], entry: string, found = new Set<string>()): readonly string[] {
  found.add(entry)
  for (const { path, kind } of outputs[entry]?.imports ?? []) {
    if (kind === 'import-statement' && path in outputs && !found.has(path)) loadedAtOnce(outputs, path, found)
  }
  return [...found]
}

/** Every function of the service: the names in functions/. */
export async function deployedFunctions(): Promise<readonly string[]> {
  const files = await readdir(resolve(root, 'functions'))
  return files.filter((file) => file.endsWith('.ts')).map((file) => parse(file).name)
}

type Inputs = readonly (readonly [path: string, input: { readonly bytesInOutput: number }])[]

function measured(code: Buffer, inputs: Inputs): Omit<BundledFunction, 'name' | 'file'> {
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path)
  return { bytes: code.length, deflatedBytes: deflateRawSync(code).length, modules: used.length, inputs: used }
}

if (import.meta.main) {
  const bundles = await bundleFunctions({ outdir: resolve(root, '.local/bundle') })
  console.table(bundles.map(({ name, bytes, deflatedBytes, modules }) => ({ name, bytes, deflatedBytes, modules })))
}
