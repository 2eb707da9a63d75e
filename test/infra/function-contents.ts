import { build, type Metafile } from 'esbuild'

const root = new URL('../..', import.meta.url).pathname

/** Returns the project's own files that a function may load, at once or on demand, relative to the project. */
export async function modulesOfFunction(name: string): Promise<ReadonlySet<string>> {
  const used = Object.values(await bundleOutputs(name)).flatMap(({ inputs }) => Object.entries(inputs))
  return new Set(used.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])))
}

/** Returns the packages that a function may load at all, at once or on demand. */
export async function packagesOfFunction(name: string): Promise<ReadonlySet<string>> {
  return reachablePaths(await bundleOutputs(name), `${outputFolder}/index.js`)
}

const outputFolder = 'unwritten'

/** Two questions about a function need one bundle, which takes half a second of a processor. */
const outputs = new Map<string, ReturnType<typeof createOutputs>>()

function bundleOutputs(name: string): ReturnType<typeof createOutputs> {
  const created = outputs.get(name) ?? createOutputs(name)
  outputs.set(name, created)
  return created
}

async function createOutputs(name: string): Promise<Metafile['outputs']> {
  const { metafile } = await build({
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
  return metafile.outputs
}

function reachablePaths(outputs: Metafile['outputs'], from: string, seen = new Set<string>()): ReadonlySet<string> {
  seen.add(from)
  for (const { path } of outputs[from]?.imports ?? []) if (!seen.has(path)) reachablePaths(outputs, path, seen)
  return seen
}
