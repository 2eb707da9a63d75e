import { build, type Metafile } from 'esbuild'

const root = new URL('../..', import.meta.url).pathname

/** Returns the project's own files that a function may load, at once or on demand, relative to the project. */
export async function modulesOfFunction(name: string): Promise<ReadonlySet<string>> {
  const used = Object.values((await bundleFunction(name)).outputs).flatMap(({ inputs }) => Object.entries(inputs))
  return new Set(used.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])))
}

/** Returns the packages that a function may load at all, at once or on demand. */
export async function packagesOfFunction(name: string): Promise<ReadonlySet<string>> {
  return reachablePaths((await bundleFunction(name)).outputs, `${outputFolder}/index.js`)
}

/** Returns the commands of the AWS SDK that the code of a function names, such as `PutObjectCommand`. */
export const commandsOfFunction = async (name: string): Promise<ReadonlySet<string>> =>
  new Set((await bundleFunction(name)).text.match(/\b[A-Z]\w+Command\b/g))

const outputFolder = 'unwritten'

interface Bundle {
  readonly outputs: Metafile['outputs']
  /** The code of all outputs. */
  readonly text: string
}

/** Several questions about a function need one bundle, which takes half a second of a processor. */
const bundles = new Map<string, Promise<Bundle>>()

function bundleFunction(name: string): Promise<Bundle> {
  const created = bundles.get(name) ?? createBundle(name)
  bundles.set(name, created)
  return created
}

async function createBundle(name: string): Promise<Bundle> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [{ in: `functions/${name}.ts`, out: 'index' }],
    bundle: true,
    splitting: true,
    minify: true,
    packages: 'external',
    platform: 'node',
    target: 'node24',
    format: 'esm',
    outdir: outputFolder,
    metafile: true,
    write: false,
  })
  return { outputs: metafile.outputs, text: outputFiles.map(({ text }) => text).join('\n') }
}

function reachablePaths(outputs: Metafile['outputs'], from: string, seen = new Set<string>()): ReadonlySet<string> {
  seen.add(from)
  for (const { path } of outputs[from]?.imports ?? []) if (!seen.has(path)) reachablePaths(outputs, path, seen)
  return seen
}
