import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRegistry, type LoadedRegistry, wholeDocument } from '../../../lib/index.ts'
import { bulkOrdersTable } from '../../support/fixtures/bulk-orders-table.ts'
import { editingRegistry } from '../../support/fixtures/edited-orders.ts'
import { fixtureClaims, manager } from '../../support/fixtures/identities.ts'
import { productsTable } from '../../support/fixtures/products-table.ts'
import { startDeliveringApi } from '../../support/fixtures/work-api.ts'
import { anyDescribed } from '../../support/openapi/any-described.ts'
import { assertDescribedRequest } from '../../support/openapi/described-request.ts'
import { documentSchemas } from '../../support/openapi/shared-schemas.ts'
import { gatewayEvent } from '../../support/requests/gateway-event.ts'

const api = await startDeliveringApi()
const service = { SERVICE_NAME: 'table_control', GUARDS: ['api'], ITEM_ACTIONS: 'both' as const }

const createDocument = (registry: LoadedRegistry) =>
  wholeDocument(registry, { service, guard: 'api', baseUrl: '', language: 'en' })

const mixed = createRegistry([productsTable, bulkOrdersTable], { claims: fixtureClaims })

/** Faults of the form of a value. Others are about what it names, or about the keys beside it. */
const formFault = /^(is required|is not known|must be (a list|an object|a text|true or false|one of|a whole))/

/** A revision is required beside a view, and the kind of a column decides which totals it has. */
const documented = /^(view_revision|aggregates\.\d+\.fn)$/

it.each([
  ['query-table/products', '', mixed],
  ['query-table/bulk_orders', '', mixed],
  ['bulk-table-action/products/{action}', 'export_excel', mixed],
  ['bulk-table-action/bulk_orders/{action}', 'touch', mixed],
  ['row-table-action/bulk_orders/{action}/{id}', 'show_details', mixed],
  ['query-table/orders', '', editingRegistry],
  ['row-table-action/orders/{action}/{id}', 'count', editingRegistry],
  ['row-bulk-table-action/orders/{action}', 'close', editingRegistry],
])('takes the keys of each body that the document allows: %s %s', async (operation, action, registry) => {
  const { request } = api.serve(registry)
  const document = createDocument(registry)
  const path = `/api-table/control-tables/${operation}`
  const { requestBody } = Object(document.paths[path]?.['post'])
  const bodies = anyDescribed(document, requestBody.content['application/json'].schema)
  const url = `/api${path.replace('{action}', action).replace('{id}', '1')}`
  const refused: unknown[] = []
  for (const body of fc.sample(bodies, { numRuns: 60, seed: 7 })) {
    const headers = { 'content-type': 'application/json' }
    const { status, json } = await request({ method: 'POST', path: url, headers, body }, { as: manager })
    if (status === 400) refused.push(body)
    for (const [field, [fault = '']] of Object.entries<readonly string[]>(json.fields ?? {})) {
      const isNull = Object(body)[field] === null
      if (isNull || (formFault.test(fault) && !documented.test(field))) refused.push({ body, field, fault })
    }
  }
  expect(refused).toEqual([])
})

describe('the document allows what the service takes, and nothing else:', () => {
  const id = '7c449fad-42bf-4965-bc3c-7bdd6574b75e'
  const { compile } = documentSchemas(createDocument(mixed))

  it.each<[schema: string, taken: object, refused: object]>([
    ['RowBulkBody', { selected_ids: [1] }, {}],
    ['PlanBody', { plan_id: id, include: ['effects'] }, { plan_id: id, selected_ids: [1] }],
    ['UndoBody', { include: ['effects'], filters: [] }, { selected_ids: [1] }],
    ['NewView', { name: 'All', query: {} }, { name: 'All', query: { page: 1 } }],
    ['ViewChanges', { revision: 1 }, { settings: {} }],
    ['Selection', { expected_count: '3', search: 'a' }, { search: null }],
    ['products.Selection', { expected_count: '3', dry_run: null }, { group: null }],
    ['products.Query', { view: id, filter_groups: [], search: null }, { filter_groups: [{ field: 'name' }] }],
    ['products.Query', { page: '2', perPage: null }, { page: 'two' }],
    ['products.Query', { facets: ['made_on_from'] }, { facets: ['made_on_to'] }],
    ['Query', { filter_groups: { all: [{ field: 'name' }] } }, { filter_groups: { all: [{}] } }],
  ])('%s allows %j and not %j', (schema, taken, refused) => {
    const accepts = compile(`#/components/schemas/${schema}`)
    expect([accepts(taken), accepts(refused)]).toEqual([true, false])
  })
})

describe('an accepted request that is not as its document says', () => {
  const check = (path: string, body: object, response: Partial<Parameters<typeof assertDescribedRequest>[3]> = {}) => {
    const { event } = gatewayEvent({ method: 'POST', path: `/api/api-table/control-tables/${path}`, body })
    const asked = { name: 'queryTableData', routeKey: event.routeKey, tableName: 'products' } as const
    const answer = { status: 200, headers: {}, text: '{}', json: {}, ...response }
    return () => assertDescribedRequest({ registry: mixed }, asked, event, answer)
  }

  it('is reported with its place and its value', () => {
    const query = 'query-table/products'
    expect(check(query, { perPage: 5, count: 'all' })).toThrow(/\/count .*"all"/)
    expect(check(query, { count: 'none' })).not.toThrow()
    expect(check(query, { count: 'all' }, { status: 422 })).not.toThrow()
    const step = 'row-table-action/products/show_details/1?step=second'
    expect(check(step, {})).toThrow(/query step: .*"second"/)
  })
})
