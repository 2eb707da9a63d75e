import { build } from 'esbuild'

const root = new URL('../..', import.meta.url).pathname

/** The project's own files that a function may load, at once or on demand, relative to the project. */
export async function modulesOfFunction(name: string): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [`functions/${name}.ts`],
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
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
  return new Set(used.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])))
}
