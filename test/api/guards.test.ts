import { describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { north } from '../support/fixtures/identities.ts'
import type { ApiResponse } from '../support/requests/api.ts'

const api = await startFixtureApi()

const path = '/api-table/control-tables/load-table/tasks'

const listKeys = (json: ApiResponse['json']) => [
  ...Object.keys(json.rowActions),
  ...json.bulkActions.map((action: { action_key: string }) => action.action_key),
]

describe('guards', () => {
  it.each(['api', 'web'])('the guard %s serves every endpoint by default, with the same credentials', async (guard) => {
    const responses = await Promise.all([
      api.get('load-table/tasks', { guard }),
      api.get('load-table/tasks/true', { guard }),
      api.post('query-table/tasks', {}, { guard }),
      api.post('row-refetch/tasks/1', {}, { guard }),
      api.post('multi-row-refetch/tasks', { row_ids: [1] }, { guard }),
    ])
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  })

  it('api lies below /api, web below no prefix', async () => {
    expect((await api.request({ method: 'GET', path: `/api${path}` }, { as: north })).status).toBe(200)
    expect((await api.request({ method: 'GET', path }, { as: north })).status).toBe(200)
  })

  it('any other guard lies below its own name, and only guards of the list are served', async () => {
    const staff = api.variant({ GUARDS: 'api,staff' })
    expect((await staff.get('load-table/tasks', { guard: 'staff' })).status).toBe(200)
    expectFailure(await staff.get('load-table/tasks', { guard: 'web' }), { status: 404, code: 'route_not_found' })
    expectFailure(await api.get('load-table/tasks', { guard: 'staff' }), { status: 404, code: 'route_not_found' })
  })

  it('route names are {service}.{guard}.{endpoint}', async () => {
    const named = api.variant({ SERVICE_NAME: 'shop', GUARDS: 'api,web,staff' })
    const findEndpoint = async (guard: string) =>
      (await named.get('load-table/forbidden_by_law', { guard })).json.errors[0]
    expect(await findEndpoint('staff')).toContain(' shop.staff.loadTable ')
    expect(await findEndpoint('web')).toContain(' shop.web.loadTable ')
    const { json } = await named.post('query-table/forbidden_by_law')
    expect(json.errors[0]).toContain(' shop.api.queryTableData ')
    expect((await named.post('row-refetch/forbidden_by_law/1')).json.errors[0]).toContain(' shop.api.rowRefetch ')
    expect((await named.post('multi-row-refetch/forbidden_by_law')).json.errors[0]).toContain(
      ' shop.api.multiRowRefetch ',
    )
  })
})

describe('actions that are not for web clients', () => {
  it('are absent from the structure on web, and only there', async () => {
    const variant = api.variant({ GUARDS: 'api,web,staff' })
    const [onApi, onWeb, onStaff] = await Promise.all(
      ['api', 'web', 'staff'].map(async (guard) => listKeys((await variant.get('load-table/tasks', { guard })).json)),
    )
    expect(onApi).toEqual(expect.arrayContaining(['internal', 'internal_bulk']))
    expect(onStaff).toEqual(onApi)
    expect(onWeb).toEqual(onApi?.filter((key) => !key.startsWith('internal')))
  })

  it('are absent from every row on web, on every endpoint', async () => {
    const rows = await Promise.all([
      api.post('query-table/tasks', {}, { guard: 'web' }).then(({ json }) => json.items),
      api.get('load-table/tasks/true', { guard: 'web' }).then(({ json }) => json.data),
      api.post('row-refetch/tasks/1', {}, { guard: 'web' }).then(({ json }) => [json.data.row]),
      api.post('multi-row-refetch/tasks', { row_ids: [1, 2] }, { guard: 'web' }).then(({ json }) => json.items),
    ])
    for (const row of rows.flat()) {
      expect(row.actions).toHaveProperty('switch')
      expect(row.actions).not.toHaveProperty('internal')
      expect(row.row.actions).not.toHaveProperty('internal')
    }
  })

  it('say so where they are sent', async () => {
    const { rowActions } = (await api.get('load-table/tasks')).json
    expect(rowActions.internal.showInWeb).toBe(false)
    expect(rowActions.desk_only).toMatchObject({ showInWeb: true, showInMobileApp: false })
  })
})

describe('unknown routes and methods', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/api'],
    ['GET', '/api/api-table/control-tables/load-table'],
    ['GET', '/api/api-table/control-tables/load-table/'],
    ['GET', '/api/api-table/control-tables/load-table/tasks/true/more'],
    ['POST', '/api/api-table/control-tables/query-table'],
    ['POST', '/api/api-table/control-tables/row-refetch/tasks'],
    ['POST', '/api/api-table/control-tables/row-refetch/tasks/1/2'],
    ['POST', '/API/api-table/control-tables/query-table/tasks'],
    ['POST', '/api/api-table/control-tables/query_table/tasks'],
    ['DELETE', '/anything'],
  ])('%s %s is 404 in the envelope', async (method, unknown) => {
    expectFailure(await api.request({ method, path: unknown }), { status: 404, code: 'route_not_found' })
  })

  it.each([
    ['POST', 'load-table/tasks', 'GET'],
    ['PUT', 'load-table/tasks/true', 'GET'],
    ['GET', 'query-table/tasks', 'POST'],
    ['DELETE', 'row-refetch/tasks/1', 'POST'],
    ['PATCH', 'multi-row-refetch/tasks', 'POST'],
    ['OPTIONS', 'query-table/tasks', 'POST'],
    ['HEAD', 'load-table/tasks', 'GET'],
    ['POST', 'downloads/any', 'GET, HEAD'],
    ['PUT', 'views/tasks', 'GET, POST'],
    ['GET', 'views/tasks/any', 'PATCH, DELETE'],
  ])('%s %s is 405 in the envelope, with Allow', async (method, known, allowed) => {
    const response = await api.request({ method, path: `/api/api-table/control-tables/${known}` })
    expectFailure(response, { status: 405, code: 'method_not_allowed' })
    expect(response.headers['allow']).toBe(allowed)
  })

  it('are written in the caller’s language', async () => {
    const { json } = await api.request({ method: 'GET', path: '/nowhere', headers: { ln: 'ar' } })
    expect(json.error).toMatch(/^لا يوجد مسار/)
  })
})
