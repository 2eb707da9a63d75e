import { readdir, readFile } from 'node:fs/promises'
import { parse, resolve } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'

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
  const entryPoints = names.map((name) => ({ in: `functions/${name}.ts`, out: `${name}/index` }))
  const { metafile } = await build({ ...settings, metafile: true, entryPoints, outdir: resolve(options.outdir) })
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => ({ file: resolve(root, path), output }))
  return Promise.all(
    names.map(async (name) => {
      const file = resolve(options.outdir, name, 'index.mjs')
      const inputs = Object.entries(outputs.find((candidate) => candidate.file === file)?.output.inputs ?? {})
      return { name, file, ...measured(await readFile(file), inputs) }
    }),
  )
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
