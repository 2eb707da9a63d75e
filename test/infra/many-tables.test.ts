import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleFunctions } from '../../infra/bundle/bundle.ts'
import { type ColdStart, startCold } from '../bench/cold-start.ts'
import { serviceSchema } from '../support/database/service-schema.ts'
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts'
import { createStatement, sharedStatements, writeManyTables } from '../support/infra/many-tables.ts'
import { gatewayEvent } from '../support/requests/gateway-event.ts'
import { type IdentityProvider, startIdentityProvider } from '../support/requests/identity-provider.ts'
import { serviceEnvironment } from '../support/requests/service-environment.ts'

const project = resolve(import.meta.dirname, '../..')

let directory: string
let database: TestDatabase
let provider: IdentityProvider
/** The functions with three tables. */
let few: BundledFile

beforeAll(async () => {
  await mkdir(resolve(project, '.local'), { recursive: true })
  // Inside the project, because table files import #lib.
  directory = await mkdtemp(resolve(project, '.local/many-tables-'))
  const prepared = await Promise.all([testDatabase(serviceSchema), startIdentityProvider()])
  database = prepared[0]
  provider = prepared[1]
  const sql = postgres(database.url, { max: 1, onnotice: () => {} })
  await sql.unsafe(`${sharedStatements}; ${[0, 1, 2].map(createStatement).join('; ')}`)
  await sql.unsafe('grant select on all tables in schema public to public')
  await sql.end()
  const three = await writeManyTables(join(directory, '3'), 3)
  few = await bundleTables(three, 'bundles-few', ['list-tables', 'load-table', 'openapi', 'query-table'])
})

afterAll(async () => {
  await Promise.all([provider.stop(), database.drop(), rm(directory, { recursive: true, force: true })])
})

/** Calls a bundled function in a process of its own, by the path behind the prefix of the guard `api`. */
async function callCold(file: string, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${provider.tokenFor({ sub: 'somebody' })}` }
  const request = { method, path: `/api/api-table/control-tables${path}`, headers, ...(body && { body }) }
  const { event } = gatewayEvent(request)
  const env = {
    ...serviceEnvironment(database.serviceUrl, provider),
    LOG_LEVEL: 'silent',
    PRINT_BODY: 'yes',
  }
  return startCold(env, file, event)
}

type BundledFile = (name: string) => string

/** Bundles functions with the tables of a registry. Returns the file of each. */
async function bundleTables(tables: string, outdir: string, functions: readonly string[]): Promise<BundledFile> {
  const bundles = await bundleFunctions({ tables, outdir: join(directory, outdir), functions })
  return (name) => bundles.find((bundle) => bundle.name === name)?.file ?? ''
}

const tableFiles = ({ files }: ColdStart): readonly string[] => files.filter((file) => file.startsWith('table-'))

describe('500 registered tables', () => {
  let many: BundledFile

  beforeAll(async () => {
    const all = await writeManyTables(join(directory, '500'), 500)
    many = await bundleTables(all, 'bundles-many', ['list-tables', 'load-table', 'query-table'])
  })

  it.each([
    ['query-table', 'POST', '/query-table/stock_1', {}],
    ['load-table', 'GET', '/load-table/stock_1', undefined],
    ['list-tables', 'GET', '', undefined],
  ] as const)(
    'cost a cold %s no more files and at most a tenth more bytes than three',
    async (name, method, path, body) => {
      const [ofFew, ofMany] = await Promise.all([few, many].map((file) => callCold(file(name), method, path, body)))
      expect([ofFew?.status, ofMany?.status]).toEqual([200, 200])
      expect(ofMany?.files.length).toBe(ofFew?.files.length)
      expect((ofMany?.bytes ?? 0) / (ofFew?.bytes ?? 1)).toBeLessThanOrEqual(1.1)
    },
  )

  it('let a cold query-table read only the file of the table that it was asked for', async () => {
    expect(tableFiles(await callCold(many('query-table'), 'POST', '/query-table/stock_2', {}))).toEqual(['table-2.cjs'])
  })

  it('leave a cold query-table without any for a name that is not registered', async () => {
    const call = await callCold(many('query-table'), 'POST', '/query-table/toString', {})
    expect([call.status, tableFiles(call)]).toEqual([404, []])
  })

  it('are listed without the code of any', async () => {
    const call = await callCold(many('list-tables'), 'GET', '')
    expect(JSON.parse(call.body).tables).toHaveLength(500)
    expect(JSON.parse(call.body).tables[7]).toMatchObject({ tableName: 'stock_7', label: 'Stock 7' })
    expect(tableFiles(call)).toEqual(['table-listings'].map(() => expect.stringMatching(/^table-listings-/)))
  })
})

describe('a table whose code cannot be loaded', () => {
  it('fails the bundling, and with it every deployment', async () => {
    const tables = await writeManyTables(join(directory, 'broken'), 3)
    await writeFile(
      join(dirname(tables), 'stock_1.ts'),
      `throw new Error('stock_1 has no rates')\nexport const stock1Table = 0`,
    )
    await expect(bundleTables(tables, 'bundles-broken', ['query-table'])).rejects.toThrow('stock_1 has no rates')
  })

  it('fails its own requests alone once it is deployed', async () => {
    const deployed = join(directory, 'bundles-deployed')
    await cp(join(directory, 'bundles-few'), deployed, { recursive: true })
    const file = (name: string) => join(deployed, name, 'index.cjs')
    for (const name of ['openapi', 'query-table']) {
      await writeFile(join(dirname(file(name)), 'table-1.cjs'), `throw new Error('broken')`)
    }
    const [broken, other, list, document] = await Promise.all([
      callCold(file('query-table'), 'POST', '/query-table/stock_1', {}),
      callCold(file('query-table'), 'POST', '/query-table/stock_2', {}),
      callCold(file('list-tables'), 'GET', ''),
      callCold(file('openapi'), 'GET', '/openapi.json'),
    ])
    expect([broken.status, JSON.parse(broken.body).code]).toEqual([500, 'internal_error'])
    expect([other.status, list.status, document.status]).toEqual([200, 200, 200])
    const { schemas } = JSON.parse(document.body).components
    expect([Object.hasOwn(schemas, 'stock_1.Item'), Object.hasOwn(schemas, 'stock_2.Item')]).toEqual([false, true])
  })
})

describe('a registry in another form', () => {
  const index = `import { createRegistry, everyRow, forbidden } from '#lib'
import { claims, defineTable } from './identity.ts'
import { groups } from './groups.ts'
import { stock0 } from './schema/index.ts'

const inline = defineTable({ name: 'inline', from: stock0, key: 'id', scope: everyRow, columns: { id: { label: { en: 'ID', ar: 'المعرف' } } } })
export const registry = createRegistry([inline, ...groups, ...[1, 2].map((n) =>
  defineTable({ name: 'made_' + n, from: stock0, key: 'id', scope: everyRow, columns: { id: { label: { en: 'ID', ar: 'المعرف' } } } }))], { claims })
`
  const groups = `import { stock1Table } from './stock_1.ts'
import guarded from './guarded.ts'
export const groups = [stock1Table, guarded]
`
  const guarded = `import { defineTable } from './identity.ts'
import { everyRow } from '#lib'
import { onlyManagers } from './guards.ts'
import { stock2 } from './schema/index.ts'

export default defineTable({ name: 'guarded', from: stock2, key: 'id', scope: everyRow, middlewares: [onlyManagers], columns: { id: { label: { en: 'ID', ar: 'المعرف' } } } })
`
  const refusals = `export { forbidden } from '#lib'
`
  const guards = `import { forbidden } from './refusals.ts'
export const onlyManagers = () => { throw forbidden({ en: 'Managers only', ar: 'للمديرين فقط' }) }
`
  let file: BundledFile

  beforeAll(async () => {
    const tables = await writeManyTables(join(directory, 'mixed'), 3)
    const texts = {
      'index.ts': index,
      'groups.ts': groups,
      'guarded.ts': guarded,
      'guards.ts': guards,
      'refusals.ts': refusals,
    }
    await Promise.all(Object.entries(texts).map(([name, text]) => writeFile(join(dirname(tables), name), text)))
    file = await bundleTables(tables, 'bundles-mixed', ['list-tables', 'query-table'])
  })

  it('has a file for each table that a module exports, and keeps the others in the function', async () => {
    const files = await readdir(dirname(file('query-table')))
    expect(files.filter((name) => /^table-\d/.test(name)).sort()).toEqual(['table-0.cjs', 'table-1.cjs'])
    const names = ['inline', 'made_1', 'made_2', 'stock_1']
    const calls = await Promise.all(
      names.map((name) => callCold(file('query-table'), 'POST', `/query-table/${name}`, {})),
    )
    expect(calls.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(calls.map(tableFiles)).toEqual([[], [], [], ['table-0.cjs']])
  })

  it('lists its tables in their order, and asks a middleware of a module of its own without the code of the table', async () => {
    const call = await callCold(file('list-tables'), 'GET', '')
    const names = JSON.parse(call.body).tables.map(({ tableName }: { readonly tableName: string }) => tableName)
    expect(names).toEqual(['inline', 'stock_1', 'made_1', 'made_2'])
    expect(tableFiles(call).filter((name) => /^table-\d/.test(name))).toEqual([])
    const { status } = await callCold(file('query-table'), 'POST', '/query-table/guarded', {})
    expect(status).toBe(403)
  })
})
