import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { bundleFunctions } from '../../../infra/bundle/bundle.ts'
import { asCommonJs, settings } from '../../../infra/bundle/bundler.ts'
import { startCold } from '../cold-start.ts'
import type { Figure, Question } from '../figure.ts'
import { benchDirectory, environment } from '../installation.ts'
import { interleave, median } from '../rounds.ts'

const rounds = 21
const roundsOfAll = 7
const compared = ['load-table', 'query-table', 'report-worker'] as const
const directory = resolve(benchDirectory, 'layer')
/** The path that Lambda gives the file below `/opt`. */
const layerFile = resolve(directory, 'opt/nodejs/service.cjs')

const shared = /^#(?:lib|tables)$/

/** Leaves the shared code to the layer. */
const layerPlugin: Plugin = {
  name: 'layer',
  setup: ({ onResolve }) => onResolve({ filter: shared }, () => ({ path: layerFile, external: true })),
}

interface Built {
  readonly bytes: number
}

/** Bundles one entry, and what it imports on demand beside it, as functions are bundled. */
async function bundle(file: string, contents: string, plugins: readonly Plugin[]): Promise<Built> {
  const { outputFiles } = await build({
    ...settings,
    plugins: [...settings.plugins, ...plugins],
    splitting: true,
    write: false,
    stdin: { contents, resolveDir: settings.absWorkingDir },
    entryNames: file.replace(/^.*\/|\.cjs$/g, ''),
    outdir: dirname(file),
  })
  await mkdir(dirname(file), { recursive: true })
  const written = await Promise.all(
    outputFiles.map(async ({ path, text }) => [path, await asCommonJs(path, text)] as const),
  )
  await Promise.all(written.map(([path, text]) => writeFile(path, text)))
  return { bytes: Buffer.byteLength(written.find(([path]) => path === file)?.[1] ?? '') }
}

/** The same functions with all that they share in one layer: what each would load, by its name. */
async function withLayer(): Promise<{ readonly files: ReadonlyMap<string, string>; readonly layer: Built }> {
  const layer = await bundle(layerFile, `export * from '#lib'\nexport * from '#tables'`, [])
  const files = compared.map((name) => [name, resolve(directory, name, 'index.cjs')] as const)
  for (const [name, file] of files) await bundle(file, `export * from './functions/${name}.ts'`, [layerPlugin])
  return { files: new Map(files), layer }
}

/** Measures the load time of each file, minus that of a process that loads nothing. */
async function loading(
  env: Readonly<Record<string, string>>,
  rounds: number,
  files: readonly (readonly [name: string, file: string])[],
) {
  const variants = files.map(([name, file]) => [name, () => startCold(env, file)] as const)
  const samples = await interleave(rounds, { bare: () => startCold(env), ...Object.fromEntries(variants) })
  const of = (name: string, key: 'readyMs' | 'cpuMs') =>
    median((samples[name as 'bare'] ?? []).map((one) => one[key])) - median(samples.bare.map((one) => one[key]))
  return (name: string) => `${of(name, 'readyMs').toFixed(1)} ms (CPU ${of(name, 'cpuMs').toFixed(1)} ms)`
}

const kilobytes = (bytes = 0) => `${(bytes / 1024).toFixed(0)} KB`

/** Compares the cold start of one layer for all functions with a bundle for each. */
export const layer: Question = {
  id: 'layer',
  asks: 'How long does each function take to load, and would a shared layer be faster?',
  method: `In fresh Node processes that alternate with one that loads nothing: three functions as bundles and with lib/ and tables/ in one file of a layer, ${rounds} rounds; then every bundle, ${roundsOfAll} rounds. Medians over bare Node.`,
  measure: async (bench) => {
    const env = environment(bench, 1)
    bench.report('bundling')
    await rm(directory, { recursive: true, force: true })
    const bundles = await bundleFunctions({ outdir: resolve(directory, 'bundles') })
    const layered = await withLayer()
    const files = bundles.map(({ name, file }) => [name, file] as const)
    bench.report('starting processes')
    const own = files.filter(([name]) => layered.files.has(name))
    const shared = [...layered.files].map(([name, file]) => [`${name}, layer`, file] as const)
    const ofThree = await loading(env, rounds, [...own, ...shared])
    const ofAll = await loading(env, roundsOfAll, files)
    return [
      { name: 'the layer', measured: kilobytes(layered.layer.bytes) },
      ...[...own, ...shared].map(
        ([name]): Figure => ({ name: name.includes(',') ? name : `${name}, bundle`, measured: ofThree(name) }),
      ),
      ...bundles.map(({ name, bytes }): Figure => ({ name, measured: `${ofAll(name)}, ${kilobytes(bytes)}` })),
    ]
  },
}
