import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { byEndpointTables, dealsTable, rejectingTables, stockedTable } from '../support/fixtures/access-tables.ts'
import { type FixtureApi, publicUrl, startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { fixtureClaims, manager, north, south } from '../support/fixtures/identities.ts'
import { ordersTable } from '../support/fixtures/orders-table.ts'
import { productsTable } from '../support/fixtures/products-table.ts'

const api = await startFixtureApi()

const few = createRegistry([productsTable, stockedTable, ...rejectingTables])
const { get } = api.variant({}, few)

const documentFor = async (options: Parameters<FixtureApi['get']>[1] = {}, path = 'openapi.json', of = get) => {
  const { status, json } = await of(path, options)
  expect(status).toBe(200)
  return json
}

describe('GET openapi.json', () => {
  it('is a document of the service at its public address', async () => {
    const document = await documentFor()
    expect(document).toMatchObject({ openapi: '3.1.1', servers: [{ url: `${publicUrl}/api` }, { url: publicUrl }] })
    expect(document.paths).toHaveProperty(['/api-table/control-tables/query-table/{tableName}', 'post'])
    expect(document.paths).toHaveProperty(['/api-table/control-tables/query-table/products', 'post'])
  })

  it('needs a token', async () => {
    const { status, json } = await get('openapi.json', { as: null })
    expect([status, json.code]).toEqual([401, 'unauthenticated'])
  })

  it('does not contain a table whose middlewares refuse the caller', async () => {
    const names = async (as: typeof north) => Object.keys((await documentFor({ as })).components.schemas)
    expect(await names(north)).not.toContain('managers_only.Item')
    expect(await names(manager)).toContain('managers_only.Item')
    expect(JSON.stringify(await documentFor({ as: north }))).not.toContain('managers_only')
  })

  it('gives no example of an endpoint to which the middlewares do not admit the caller', async () => {
    const { get } = api.variant({}, createRegistry(byEndpointTables))
    const document = await documentFor({}, 'openapi.json', get)
    expect(Object.keys(document.components.schemas)).toContain('structure_alone.Item')
    expect(JSON.stringify(document)).not.toContain('rows_alone')
    const findExample = (path: string, method: string) =>
      document.paths[`/api-table/control-tables/${path}`][method].responses['200'].content['application/json'].examples
    expect(findExample('load-table/structure_alone', 'get').real.value.tableName).toBe('structure_alone')
    expect(findExample('query-table/structure_alone', 'post')).toBeUndefined()
    expect(findExample('notifications', 'get')).toBeUndefined()
  })

  it('does not contain columns, filters and actions that do not exist for the caller', async () => {
    const registry = createRegistry([dealsTable])
    const { get } = api.variant({}, registry)
    const secrets = ['price', 'weight', 'margin', 'made_on', 'reserve', 'approve', 'settle', 'Secret option']
    const readDocument = async (as: typeof north) => {
      const text = JSON.stringify(await documentFor({ as }, 'openapi.json', get))
      return secrets.filter((secret) => text.includes(secret))
    }
    expect(await readDocument(north)).toEqual([])
    expect(await readDocument(manager)).toEqual(
      expect.arrayContaining(['price', 'margin', 'reserve', 'approve', 'settle']),
    )
  })

  it('contains an action that is hidden from web clients on the other guard alone', async () => {
    const { get } = api.variant({}, createRegistry([ordersTable]))
    const actionsOn = async (guard: string) => {
      const { paths } = await documentFor({ guard }, 'openapi.json', get)
      const path = '/api-table/control-tables/row-table-action/{tableName}/{action}/{id}'
      return paths[path].post.parameters.find(({ name }: { readonly name: string }) => name === 'action').schema.enum
    }
    expect(await actionsOn('api')).toContain('internal')
    expect(await actionsOn('web')).not.toContain('internal')
  })

  it('has labels in the language of the caller', async () => {
    const { get } = api.variant({}, createRegistry([ordersTable]))
    const texts = JSON.stringify(await documentFor({ headers: { ln: 'ar' } }, 'openapi.json', get))
    expect(texts).toMatch(/[\u0600-\u06ff]/)
  })

  it('describes a table that needs `params` where the request has them', async () => {
    const names = async (path: string) => Object.keys((await documentFor({}, path)).components.schemas)
    expect(await names('openapi.json')).toContain('stocked.Item')
    expect(await names('openapi.json?params[warehouse]=nowhere')).not.toContain('stocked.Item')
  })

  it('is answered 304 if the client already has it', async () => {
    const first = await get('openapi.json')
    const again = await get('openapi.json', { headers: { 'if-none-match': first.headers['etag'] ?? '' } })
    expect([again.status, again.text]).toEqual([304, ''])
  })
})

describe('a document that was made before', () => {
  /**
   * Orders, and how often labels of columns and the scope were read: for a document and its examples, or for these
   * alone.
   */
  const createCounted = () => {
    const reads = { label: 0, scope: 0 }
    const { definition: orders } = ordersTable
    const counted = Object.entries(orders.columns).map(([key, column]) => {
      const get = () => {
        reads.label += 1
        return column.label
      }
      return [key, Object.defineProperty({ ...column }, 'label', { get })] as const
    })
    const definition = {
      ...orders,
      columns: Object.fromEntries(counted),
      scope: (context: Parameters<typeof orders.scope>[0]) => {
        reads.scope += 1
        return orders.scope(context)
      },
    }
    const { get, post } = api.variant({}, createRegistry([{ definition }], { claims: fixtureClaims }))
    const read = async (options: Parameters<FixtureApi['get']>[1]) => {
      const before = { ...reads }
      const { status, headers, json } = await get('openapi.json', options)
      const tag = headers['etag'] ?? ''
      return { status, json, tag, label: reads.label - before.label, scope: reads.scope - before.scope }
    }
    return { read, post }
  }

  it('is not made again for another caller who may know the same, whose examples are rows of their own', async () => {
    const { read, post } = createCounted()
    const first = await read({ as: north })
    const second = await read({ as: south })
    expect(second.label).toBeLessThan(first.label)
    expect(second.tag).toBe(first.tag)
    const path = '/api-table/control-tables/query-table/orders'
    const example = ({ json }: typeof first) =>
      json.paths[path].post.responses['200'].content['application/json'].examples.real.value.items[0]
    const row = async (as: typeof north) =>
      (await post('query-table/orders', { sorts: [], filters: [], page: 1, perPage: 1 }, { as })).json.items[0]
    expect([example(first), example(second)]).toEqual([await row(north), await row(south)])
    expect(example(first)).not.toEqual(example(second))
  })

  it('is revalidated without being made again, and without asking for examples', async () => {
    const { read } = createCounted()
    const { tag } = await read({ as: north })
    const again = await read({ as: south, headers: { 'if-none-match': tag } })
    expect(again).toMatchObject({ status: 304, label: 0, scope: 0 })
  })

  it('is another one in another language, on another guard and for a caller who may know more', async () => {
    const { get } = api.variant({}, createRegistry([dealsTable, ordersTable], { claims: fixtureClaims }))
    const variants = [{}, { headers: { ln: 'ar' } }, { guard: 'web' }, { as: manager }]
    const tags: (string | undefined)[] = []
    for (const options of variants) tags.push((await get('openapi.json', { as: north, ...options })).headers['etag'])
    expect(new Set(tags).size).toBe(variants.length)
  })

  it('names the headers that it depends on, also where it is not sent', async () => {
    const { headers } = await get('openapi.json')
    const again = await get('openapi.json', { headers: { 'if-none-match': headers['etag'] ?? '' } })
    const vary = 'origin, authorization, ln, accept-language, accept-encoding'
    expect([headers['vary'], again.headers['vary']]).toEqual([vary, vary])
  })
})

describe('the examples of a document', () => {
  interface Media {
    readonly schema: { readonly $ref?: string }
    readonly examples?: { readonly real: { readonly value: unknown } }
  }
  const real = (content?: Readonly<Record<string, Media>>) => content?.['application/json']?.examples?.real.value

  it('are responses and requests of this guard, each as the document says', async () => {
    const { get } = api.variant({}, createRegistry([ordersTable]))
    const document = await documentFor({}, 'openapi.json', get)
    // Optimized code takes longer to make than it saves.
    const compiling = { inlineRefs: false, code: { optimize: false } }
    const ajv = new Ajv2020({ strict: false, validateFormats: false, ...compiling })
    ajv.addSchema(document, 'document', undefined, false)
    const covered: string[] = []
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods as object)) {
        const place = `document#/paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/${method}`
        const json = 'content/application~1json/schema'
        const response = real(operation.responses['200']?.content)
        if (response === undefined) continue
        covered.push(operation.operationId)
        const isAnswer = ajv.compile({ $ref: `${place}/responses/200/${json}` })
        expect(isAnswer(response), JSON.stringify(isAnswer.errors)).toBe(true)
        const body = real(operation.requestBody?.content)
        if (body === undefined) continue
        const isRequest = ajv.compile({ $ref: `${place}/requestBody/${json}` })
        expect(isRequest(body), JSON.stringify(isRequest.errors)).toBe(true)
      }
    }
    expect([...new Set(covered.map((id) => id.split('.').slice(0, 4).join('.')))].sort()).toEqual(
      ['loadTable', 'multiRowRefetch', 'queryTableData', 'rowBulkTableAction', 'rowRefetch'].map(
        (name) => `table_control.api.${name}.orders`,
      ),
    )
  })

  it('are rows that the caller may see', async () => {
    const { get, post } = api.variant({}, createRegistry([ordersTable]))
    const { paths } = await documentFor({}, 'openapi.json', get)
    const operation = paths['/api-table/control-tables/query-table/orders'].post
    const body = real(operation.requestBody.content)
    const { json } = await post('query-table/orders', body)
    const example = real(operation.responses['200'].content) as { readonly items: readonly unknown[] }
    expect(example.items).toEqual(json.items)
    expect(example.items).toHaveLength(1)
  })

  it('are left out where they need a database that is away', async () => {
    const away = api.variant({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, few)
    const { paths } = await documentFor({}, 'openapi.json', away.get)
    const { responses } = paths['/api-table/control-tables/query-table/products'].post
    expect(responses['200'].content['application/json']).toEqual({ schema: expect.any(Object) })
  })
})
