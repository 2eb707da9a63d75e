import { build, type Metafile } from 'esbuild'

const root = new URL('../..', import.meta.url).pathname

/** The packages that a function may load at all, at once or on demand. */
export async function packagesOfFunction(name: string): Promise<ReadonlySet<string>> {
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
    outdir: 'unwritten',
    metafile: true,
    write: false,
  })
  return packagesReached(metafile.outputs, 'unwritten/index.js')
}

function packagesReached(outputs: Metafile['outputs'], from: string, seen = new Set<string>()): ReadonlySet<string> {
  seen.add(from)
  for (const { path } of outputs[from]?.imports ?? []) if (!seen.has(path)) packagesReached(outputs, path, seen)
  return seen
}
