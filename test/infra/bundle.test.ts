import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BundledFunction, bundleFunctions, readFunctionNames } from '../../infra/bundle/bundle.ts'
import { fallbackFunctionName, routes } from '../../lib/routes.ts'

/** Every request of a cold Lambda waits until its bundle is read, compiled and run. */
const budget = { bytes: 260 * 1024, deflatedBytes: 100 * 1024, modules: 230 }

let outdir: string
let bundles: ReadonlyMap<string, BundledFunction>
let handlers: Readonly<Record<string, string>>

beforeAll(async () => {
  outdir = await mkdtemp(join(tmpdir(), 'table-control-bundle-'))
  bundles = new Map((await bundleFunctions({ outdir })).map((bundle) => [bundle.name, bundle]))
  handlers = await loadHandlers()
})

afterAll(() => rm(outdir, { recursive: true, force: true }))

const findBundle = (name: string): BundledFunction => {
  const bundle = bundles.get(name)
  if (bundle === undefined) throw new Error(`functions/${name}.ts is missing`)
  return bundle
}

describe.each(['load-table', 'query-table'])('the bundle of %s', (name) => {
  it.each(['bytes', 'deflatedBytes', 'modules'] as const)('keeps its budget of %s', (measure) => {
    expect(findBundle(name)[measure]).toBeLessThanOrEqual(budget[measure])
  })

  it.each([
    'node_modules/exceljs/',
    'node_modules/@aws-lambda-powertools/',
    'node_modules/@aws-sdk/',
    'node_modules/drizzle-kit/',
    'node_modules/vega-datasets/',
    'infra/',
    'test/',
  ])('holds nothing of %s', (folder) => {
    expect(findBundle(name).inputs.filter((input) => input.startsWith(folder))).toEqual([])
  })
})

const environment = {
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  SERVICE_SECRET: 'a secret of more than thirty-two characters',
  JWT_ISSUER: 'https://issuer.example.test',
  JWT_AUDIENCE: 'test',
  JWKS_URL: 'https://issuer.example.test/jwks.json',
}

describe.each(await readFunctionNames())('the folder of %s', (name) => {
  it('holds every file that the function imports, at once or on demand, and no other', async () => {
    const folder = dirname(findBundle(name).file)
    const files = await readdir(folder)
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
    const imported = texts.flatMap((text) => [...text.matchAll(/(?:require|import)\(["'`]\.\/([^"'`]+\.cjs)["'`]\)/g)])
    const names = imported.map(([, file]) => file ?? '')
    // The paths of tables are computed.
    const tables = texts.some((text) => text.includes('./table-')) ? ['table-0.cjs', 'table-1.cjs', 'table-2.cjs'] : []
    expect(files.sort()).toEqual([...new Set(['index.cjs', ...names, ...tables])].sort())
  })
})

const called = [...routes.map(({ functionName }) => functionName), fallbackFunctionName]

/** Loads the bundles in one process without any package beside them. Returns the type of each handler, or the error. */
async function loadHandlers(): Promise<Readonly<Record<string, string>>> {
  const files = called.map((name) => [name, pathToFileURL(findBundle(name).file).href])
  const script = `const types = {}
    for (const [name, file] of ${JSON.stringify(files)})
      types[name] = await import(file).then(({ handler }) => typeof handler, String)
    process.stdout.write(JSON.stringify(types), () => process.exit())`
  const options = { cwd: outdir, env: environment }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], options)
  return JSON.parse(stdout)
}

describe.each(called)('the bundle of %s', (name) => {
  it('loads without any package beside it', () => {
    expect(handlers[name]).toBe('function')
  })
})
