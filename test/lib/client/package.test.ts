import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, parse, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packClient } from '../../../infra/bundle/pack-client.ts'
import { wholeDocument } from '../../../lib/index.ts'
import { registry } from '../../../tables/index.ts'

const root = resolve(import.meta.dirname, '../../..')
const run = promisify(execFile)

/** An empty project outside of the repository: nothing of it is there but the packed client. */
let project: string

const packagePath = (from: string, name: string) =>
  parse(createRequire(join(root, from, 'package.json')).resolve(`${name}/package.json`)).dir

const compilers: Readonly<Record<string, readonly string[]>> = {
  'TypeScript 5': [join(packagePath('test/typescript-5', 'typescript'), 'lib/tsc.js')],
  // On several threads, it checks the declarations of the browser once for each.
  'TypeScript 7': [join(packagePath('.', 'typescript'), 'bin/tsc'), '--singleThreaded'],
}

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'table-control-consumer-'))
  const tarball = await packClient(project)
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: project })
  const service = { SERVICE_NAME: 'table_control', GUARDS: ['api', 'web'], ITEM_ACTIONS: 'both' as const }
  const document = wholeDocument(registry, { service, guard: 'api', baseUrl: '', language: 'en' })
  await writeFile(join(project, 'openapi.json'), JSON.stringify(document))
  const generator = join(packagePath('test/typescript-5', 'openapi-typescript'), 'bin/cli.js')
  await run(process.execPath, [generator, 'openapi.json', '-o', 'table-control.ts'], { cwd: project })
})
afterAll(() => rm(project, { recursive: true, force: true }))

type Resolution = 'nodenext' | 'bundler'
type Samples = Readonly<Record<Resolution, Readonly<Record<string, string>>>>

/**
 * Compiles files as new strict projects would, one for each resolution of modules, with every declaration file checked
 * but TypeScript's own. Returns what the compiler reports of a file, with what it reports of none of these.
 */
async function compile(
  [script = '', ...options]: readonly string[],
  samples: Samples,
): Promise<(resolution: Resolution, file: string) => string> {
  const folder = await mkdtemp(join(project, 'samples-'))
  const written = Object.entries(samples).map(([resolution, sources]) =>
    writeSample(join(folder, resolution), resolution, sources),
  )
  await Promise.all(written)
  // One build of both reads the declarations of the browser once.
  const build = [script, '--build', ...Object.keys(samples), '--pretty', 'false', ...options]
  const compiled = run(process.execPath, build, { cwd: folder })
  const { stdout } = await compiled.catch((error: { readonly stdout: string }) => error)
  const faults = stdout.split(/^(?=\S)/m)
  const files = Object.entries(samples).flatMap(([resolution, sources]) =>
    Object.keys(sources).map((file) => `${resolution}/${file}`),
  )
  return (resolution, file) => {
    const others = files.filter((other) => other !== `${resolution}/${file}`)
    return faults.filter((fault) => !others.some((other) => fault.startsWith(`${other}(`))).join('')
  }
}

async function writeSample(folder: string, resolution: string, sources: Readonly<Record<string, string>>) {
  await mkdir(folder)
  for (const [file, source] of Object.entries(sources)) await writeFile(join(folder, file), source)
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: '../..',
    outDir: 'declarations',
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    module: resolution === 'nodenext' ? 'nodenext' : 'esnext',
    moduleResolution: resolution,
    allowImportingTsExtensions: true,
  }
  const files = Object.keys(sources)
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
}

/** The body of the request that the project's README begins with. */
async function readmeRequest(): Promise<string> {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  return /query-table\/bird_strikes[\s\S]*?-d '([^']+)'/.exec(readme)?.[1] ?? ''
}

const clientSource = `
import { createTableClient, type OpenApiTables, TableError } from 'table-control-client'
import type { components } from '../../table-control.ts'

const client = createTableClient<OpenApiTables<components>>({ baseUrl: 'http://127.0.0.1:3000', token: () => 'x' })
createTableClient({ baseUrl: 'http://127.0.0.1:3000', token: () => 'x', fetch })
createTableClient({ baseUrl: '', token: () => 'x', fetch: async (url: string) => Response.json({ url }) })
export async function read(): Promise<string | number | undefined> {
  try {
    const { items } = await client.queryTable('bird_strikes', {
      filters: [{ field: 'cost_total', operator: '>=', value: 100_000 }],
      sorts: [{ field: 'cost_total', direction: 'desc' }],
    })
    const cost: string | number | null | undefined = items[0]?.cost_total
    const species: string | null | undefined = items[0]?.species
    return cost ?? species ?? items[0]?.id
  } catch (error) {
    if (error instanceof TableError) return error.code
    throw error
  }
}
// @ts-expect-error no table has this name
void client.queryTable('bird_strike')
// @ts-expect-error the table has no such filter
void client.queryTable('bird_strikes', { filters: [{ field: 'cost', operator: '=', value: 1 }] })
`

const librarySource = `
import { createTableClient, type OpenApiTables, type TableClient } from 'table-control-client'
import { createChangeClient } from 'table-control-client/changes'
import { dataTablesEditorAjax } from 'table-control-client/data-tables-editor'
import { createImportClient } from 'table-control-client/imports'
import { createLiveClient } from 'table-control-client/live'
import type { components } from '../../table-control.ts'

type Tables = OpenApiTables<components>
const options = { baseUrl: 'http://127.0.0.1:3000', token: () => 'x' }
export const client = createTableClient<Tables>(options)
export const anyClient = createTableClient(options)
export const changes = createChangeClient<Tables>(options)
export const imports = createImportClient<Tables>(options)
export const live = createLiveClient<Tables>(options)
export const editor = dataTablesEditorAjax(changes, await client.loadTable('flights'), { findRow: () => undefined })
export const list = <Source>(service: TableClient<Source>) => service.tables()
export const refetch = () => client.refetchRows('bird_strikes', [1])
`

const requestSource = (body: string) => `
import type { paths } from '../../table-control.ts'

type Path = '/api-table/control-tables/query-table/bird_strikes'
type Body = NonNullable<paths[Path]['post']['requestBody']>['content']['application/json']
type General = NonNullable<paths['/api-table/control-tables/query-table/{tableName}']['post']['requestBody']>
export const request: Body = ${body}
export const general: General['content']['application/json'] = ${body}
// @ts-expect-error the table has no such sort
export const wrong: Body = { sorts: [{ field: 'nothing' }] }
type Response = paths[Path]['post']['responses']['200']['content']['application/json']
export const total = (response: Response): number => response.pagination.total
`

const parameterSource = `
import type { paths } from '../../table-control.ts'

type Tables = '/api-table/control-tables'
type Body<Path extends keyof paths> = paths[Path] extends { post: { requestBody?: { content: { 'application/json': infer B } } } } ? B : never
type Load = paths[\`\${Tables}/load-table/bird_strikes/{withData}\`]['get']['parameters']['query']
type Action = paths[\`\${Tables}/row-table-action/bird_strikes/{action}/{id}\`]['post']['parameters']

export const load: Load = { params: { state: 'Utah' }, search: 'gull', facets: '["damage"]', view_revision: 1 }
export const path: Action['path'] = { action: 'update_cells', id: '7' }
export const header: Action['header'] = { 'if-match': '"73m870PR8xpZ"' }
export const general: Body<\`\${Tables}/query-table/{tableName}\`> = { filters: [{ field: 'note', operator: 'is null' }] }
export const workbook: Body<\`\${Tables}/bulk-table-action/bird_strikes/{action}\`> = { round_trip: true }
export const csv: Body<\`\${Tables}/bulk-table-action/flights/{action}\`> = { csv_separator: ';', csv_raw: true }
export const view: Body<\`\${Tables}/views/bird_strikes\`> = { name: 'Gulls', query: { search: 'gull' } }
// @ts-expect-error a saved view holds no group
export const group: Body<\`\${Tables}/views/bird_strikes\`> = { name: 'Gulls', query: { group: 'token' } }
`

describe.each(Object.entries(compilers))('the packed client under %s', (_, compiler) => {
  let faults: (resolution: Resolution, file: string) => string
  beforeAll(async () => {
    const nodenext = {
      'client.ts': clientSource,
      'library.ts': librarySource,
      'request.ts': requestSource(await readmeRequest()),
      'parameters.ts': parameterSource,
      'mistake.ts': `${clientSource}\nvoid client.queryTable('flight')`,
    }
    faults = await compile(compiler, { nodenext, bundler: { 'client.ts': clientSource } })
  })

  it.each(['nodenext', 'bundler'] as const)('compiles in a strict project that resolves modules by %s', (by) => {
    expect(faults(by, 'client.ts')).toBe('')
  })

  it('lets a library export its clients, with declarations of their types', () => {
    expect(faults('nodenext', 'library.ts')).toBe('')
  })

  it("compiles the README's request by the types that openapi-typescript makes of the document", async () => {
    expect(JSON.parse(await readmeRequest())).toHaveProperty('perPage')
    expect(faults('nodenext', 'request.ts')).toBe('')
  })

  it('compiles requests with `params`, versions, and the keys of pages, exports and views by these types', () => {
    expect(faults('nodenext', 'parameters.ts')).toBe('')
  })

  it('reports a mistake, so that a green run means something', () => {
    expect(faults('nodenext', 'mistake.ts')).toContain('"flight"')
  })

  it('names the tables that there are where one is misspelt', () => {
    expect(faults('nodenext', 'mistake.ts')).toMatch(/"flight"' is not .* type '.*"flights"/)
  })
})

describe('the packed client at run time', () => {
  it('exports its client and its error, and needs no other package', async () => {
    const script = `const client = await import('table-control-client'); console.log(JSON.stringify(Object.keys(client)))`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: project })
    expect(JSON.parse(stdout).sort()).toEqual(['TableError', 'all', 'any', 'createTableClient', 'none'])
    const manifest = JSON.parse(await readFile(join(project, 'node_modules/table-control-client/package.json'), 'utf8'))
    expect(manifest.dependencies).toBeUndefined()
  })

  it('has an entry for each adapter, which loads without its grid', async () => {
    const adapters = (await readdir(join(root, 'lib/client/adapters'))).map((file) => parse(file).name)
    const imports = adapters.map((name) => `import('table-control-client/${name}')`)
    const script = `console.log((await Promise.all([${imports}])).length)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: project })
    expect(Number(stdout)).toBe(adapters.length)
  })

  it('has the licence of the project in it', async () => {
    const license = await readFile(join(project, 'node_modules/table-control-client/LICENSE'), 'utf8')
    expect(license).toBe(await readFile(join(root, 'LICENSE'), 'utf8'))
  })

  it('has no link in its README that leads out of the package', async () => {
    const readme = await readFile(join(project, 'node_modules/table-control-client/README.md'), 'utf8')
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target)
    expect(links.filter((target) => !/^(https?:|#)/.test(target))).toEqual([])
  })
})
