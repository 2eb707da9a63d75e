import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { sendBehindLock } from '../support/database/send-behind-lock.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { colleague, manager, north, south } from '../support/fixtures/identities.ts'
import { sharedOrdersTable, viewRegistry } from '../support/fixtures/view-tables.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import type { CallOptions } from '../support/requests/api.ts'

const work = await startWorkApi()
// Requests at once need a connection each.
const api = work.variant({ DATABASE_CONNECTIONS: '6' }, viewRegistry)
const lockViews = 'lock table table_control.views in share row exclusive mode'
beforeEach(() => work.reset())

const base = '/api/api-table/control-tables/views'
const change = (id: string, body: unknown, as = north, table = 'shared_orders') =>
  api.request({ method: 'PATCH', path: `${base}/${table}/${id}`, body }, { as })
const remove = (id: string, as = north, table = 'shared_orders') =>
  api.request({ method: 'DELETE', path: `${base}/${table}/${id}` }, { as })
const save = (body: object, options?: CallOptions, table = 'shared_orders') => api.post(`views/${table}`, body, options)
const list = async (options?: CallOptions, table = 'shared_orders') => (await api.get(`views/${table}`, options)).json
const names = async (options?: CallOptions, table?: string) =>
  (await list(options, table)).items.map(({ name }: { readonly name: string }) => name)

const open = { filters: [{ field: 'state', operator: '=', value: 'open' }] }
const saveOne = async (body: object = {}, as = north) =>
  (await save({ name: 'Open orders', query: open, ...body }, { as })).json.view
const none = '7b8f3a52-2f7a-4a8e-9d3e-222222222222'

describe('saving a view', () => {
  it('answers the view, which is then in the list of its owner', async () => {
    const query = { ...open, sorts: [{ field: 'title', direction: 'desc' }], columns: ['id', 'title'], per_page: 5 }
    const { json } = await save({ name: '  Open orders ', is_default: true, query })
    const view = {
      id: expect.any(String),
      name: 'Open orders',
      visibility: 'private',
      is_default: true,
      own: true,
      revision: 1,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      query,
    }
    expect(json).toEqual({ success: true, view })
    expect(await list()).toEqual({ success: true, items: [view], can_share: true })
  })

  it.each([
    ['a filter that the table does not have', { filters: [{ field: 'nope', value: 1 }] }, 'query.filters.nope'],
    ['a filter that is hidden from the caller', { filters: [{ field: 'tenant', value: 'x' }] }, 'query.filters.tenant'],
    ['a sort by a hidden column', { sorts: [{ field: 'tenant' }] }, 'query.sorts.tenant'],
    ['a hidden column', { columns: ['tenant'] }, 'query.columns.0'],
    ['a total of a hidden column', { aggregates: [{ field: 'tenant', fn: 'count' }] }, 'query.aggregates.0.field'],
    [
      'a hidden filter in a group',
      { filter_groups: { any: [{ field: 'tenant', value: 'x' }] } },
      'query.filter_groups.any.0.field',
    ],
    ['a wrong value', { filters: [{ field: 'id', value: 'many' }] }, 'query.filters.id'],
    ['an unknown key', { rows: 1 }, 'query.rows'],
    ['facets', { facets: ['state'] }, 'query.facets'],
    ['a page size beyond that of the table', { per_page: 201 }, 'query.per_page'],
    [
      'a query of more than 16,384 characters',
      { filters: Array(100).fill({ field: 'state', value: 'x'.repeat(900) }) },
      'query',
    ],
    ['a NUL', { filters: [{ field: 'state', value: 'a\u0000' }] }, 'query.filters.0.value'],
  ])('refuses %s', async (_, query, field) => {
    expectFailure(await save({ name: 'A', query }), { status: 422, code: 'validation_failed', field })
    expect(await names()).toEqual([])
  })

  it.each([
    ['an empty name', '  '],
    ['a name of 101 characters', 'x'.repeat(101)],
    ['a NUL', 'a\u0000b'],
    ['half of a character', 'a\ud800'],
    ['a line break', 'a\nb'],
    ['a mark that turns the direction of text', 'invoice\u202egnp.exe'],
    ['an isolate', 'a\u2067b'],
    ['no visible character', '\u200f\u200e'],
    ['a number', 7],
    ['nothing', undefined],
  ])('refuses %s as a name', async (_, name) => {
    expectFailure(await save({ name, query: {} }), { status: 422, code: 'validation_failed', field: 'name' })
  })

  it.each(['طلبات مفتوحة', '\u200fمفتوحة\u200f (2)', 'Ünïted 👩‍👧', '<b>bold</b>'])(
    'keeps the name %j',
    async (name) => {
      await saveOne({ name })
      expect(await names()).toEqual([name])
    },
  )

  it.each([
    [{ visibility: 'public' }, 'visibility'],
    [{ is_default: 'yes' }, 'is_default'],
    [{ query: [] }, 'query'],
    [{ owner: 'nora' }, 'owner'],
  ])('refuses the settings %j', async (settings, field) => {
    expectFailure(await save({ name: 'A', query: {}, ...settings }), { status: 422, code: 'validation_failed', field })
  })

  it('refuses a name that the caller has used at this table, and lets others use it', async () => {
    await saveOne()
    const again = await save({ name: 'Open orders', query: {} })
    expectFailure(again, { status: 422, code: 'validation_failed', field: 'name' })
    expect((await save({ name: 'Open orders', query: {} }, { as: colleague })).status).toBe(200)
    expect((await save({ name: 'Open orders', query: {} }, {}, 'private_orders')).status).toBe(200)
  })

  it('keeps one default for each caller and table', async () => {
    await saveOne({ name: 'A', is_default: true })
    await saveOne({ name: 'A', is_default: true }, colleague)
    await saveOne({ name: 'B', is_default: true })
    const { items } = await list()
    expect(items.map((view: Readonly<Record<string, unknown>>) => view['is_default'])).toEqual([false, true])
    expect((await list({ as: colleague })).items).toMatchObject([{ name: 'A', is_default: true }])
  })

  it('refuses the 101st view of a caller at one table', async () => {
    await work.sql`insert into table_control.views (subject, table_name, name, visibility, is_default, query)
      select 'nora', 'shared_orders', 'View ' || n, 'private', false, '{}' from generate_series(1, 100) as n`
    expectFailure(await save({ name: 'One more', query: {} }), { status: 422, code: 'too_many_views' })
    expect((await save({ name: 'One more', query: {} }, { as: colleague })).status).toBe(200)
  })

  it('keeps to the limit when requests come at once', async () => {
    await work.sql`insert into table_control.views (subject, table_name, name, visibility, is_default, query)
      select 'nora', 'shared_orders', 'View ' || n, 'private', false, '{}' from generate_series(1, 97) as n`
    const responses = await sendBehindLock(
      work.sql,
      lockViews,
      ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => () => save({ name, query: {} })),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(await names()).toHaveLength(100)
  })

  it('adds what was saved, changed and removed to the audit', async () => {
    const { id } = await saveOne()
    await change(id, { name: 'Others' })
    await remove(id)
    const entry = { subject: 'nora', table_name: 'shared_orders', kind: 'view', outcome: 'succeeded' }
    expect(await work.audit()).toMatchObject(
      ['save_view', 'change_view', 'remove_view'].map((action) => ({ ...entry, action })),
    )
  })
})

describe('a shared view', () => {
  it('is listed for callers of the same tenant, who cannot change it', async () => {
    const { id } = await saveOne({ visibility: 'shared' })
    expect((await list({ as: colleague })).items).toMatchObject([{ id, own: false, visibility: 'shared', query: open }])
    expectFailure(await change(id, { name: 'Mine' }, colleague), { status: 404, code: 'view_not_found' })
    expectFailure(await remove(id, colleague), { status: 404, code: 'view_not_found' })
    expect(await names()).toEqual(['Open orders'])
  })

  it('does not exist for callers of another tenant', async () => {
    const { id } = await saveOne({ visibility: 'shared' })
    expect(await names({ as: south })).toEqual([])
    const response = await api.post('query-table/shared_orders', { view: id }, { as: south })
    expectFailure(response, { status: 404, code: 'view_not_found' })
  })

  it('is absent for a reader from whom a part of it is hidden', async () => {
    const filters = [{ field: 'tenant', value: 'north' }]
    const { id } = await saveOne({ name: 'By tenant', visibility: 'shared', query: { filters } }, manager)
    expect(await names({ as: manager })).toEqual(['By tenant'])
    expect(await names()).toEqual([])
    const response = await api.post('query-table/shared_orders', { view: id, filters: [] })
    expectFailure(response, { status: 404, code: 'view_not_found' })
  })

  it('is private again as soon as its owner says so', async () => {
    const { id } = await saveOne({ visibility: 'shared' })
    await change(id, { visibility: 'private' })
    expect(await names({ as: colleague })).toEqual([])
  })

  it.each(['south', ''])(
    'shows its readers no change that its owner makes with a token of the tenant "%s"',
    async (tenant) => {
      const { id } = await saveOne({ visibility: 'shared' })
      const as = { ...north, tenant }
      const query = { filters: [{ field: 'state', value: 'secret of the other tenant' }] }
      for (const body of [{ query, revision: 1 }, { name: 'Secret' }, { name: 'Secret', query, is_default: true }])
        expectFailure(await change(id, body, as), { status: 422, code: 'validation_failed', field: 'visibility' })
      const { json } = await change(id, { name: 'Open orders', query: open, is_default: true }, as)
      expect(json.view).toMatchObject({ visibility: 'shared', is_default: true })
      expect((await list({ as: colleague })).items).toMatchObject([{ name: 'Open orders', query: open, revision: 1 }])
      await change(id, { name: 'Secret', query, visibility: 'private' }, as)
      expect([await names({ as }), await names({ as: colleague }), await names({ as: south })]).toEqual([
        ['Secret'],
        [],
        [],
      ])
    },
  )

  it('moves to another tenant if its owner shares it with a token of that tenant', async () => {
    const { id } = await saveOne({ visibility: 'shared' })
    const as = { ...north, tenant: 'south' }
    await change(id, { name: 'Moved', visibility: 'shared' }, as)
    expect([await names({ as: colleague }), await names({ as: south })]).toEqual([[], ['Moved']])
    expect((await change(id, { name: 'Renamed' }, as)).json.view).toMatchObject({ name: 'Renamed' })
  })

  it('cannot be made at a table that shares none, or by a caller without a tenant', async () => {
    const body = { name: 'A', visibility: 'shared', query: {} }
    const refused = { status: 422, code: 'validation_failed', field: 'visibility' } as const
    expectFailure(await save(body, {}, 'private_orders'), refused)
    expectFailure(await save(body, { as: { sub: 'lone', tenant: '' } }), refused)
    expect(await list({}, 'private_orders')).toMatchObject({ can_share: false })
  })

  it('is listed only for its owner once its table shares none any more', async () => {
    await work.sql`insert into table_control.views (subject, table_name, name, visibility, tenant, is_default, query)
      values ('nora', 'private_orders', 'Old', 'shared', 'north', false, '{}')`
    expect(await names({}, 'private_orders')).toEqual(['Old'])
    expect(await names({ as: colleague }, 'private_orders')).toEqual([])
  })

  it('is one of 100 that are listed, the latest changed, when others share more', async () => {
    await work.sql`insert into table_control.views (subject, table_name, name, visibility, tenant, is_default, query, updated_at)
      select 'user ' || n, 'shared_orders', 'View ' || n, 'shared', 'north', false, '{}', now() - n * interval '1 s'
      from generate_series(1, 150) as n`
    const { items, more } = await list()
    expect(items).toHaveLength(100)
    expect(items[0]).toMatchObject({ name: 'View 1' })
    expect(more).toBe(true)
  })

  it('needs a registry that names tenants', () => {
    expect(() => createRegistry([sharedOrdersTable] as never)).toThrow('"shared_orders" shares views')
  })
})

describe('changing a view', () => {
  it('counts changes of its query', async () => {
    const { id } = await saveOne()
    expect((await change(id, { name: 'Renamed' })).json.view).toMatchObject({
      name: 'Renamed',
      revision: 1,
      query: open,
    })
    const { view } = (await change(id, { query: { per_page: 7 } })).json
    expect(view).toMatchObject({ name: 'Renamed', revision: 2, query: { per_page: 7 } })
    expect((await change(id, { query: { per_page: 7 } })).json.view).toMatchObject({ revision: 2 })
  })

  it('is refused if the view has another revision than the body says', async () => {
    const { id } = await saveOne()
    await change(id, { query: {} })
    expectFailure(await change(id, { name: 'A', revision: 1 }), { status: 422, code: 'view_changed' })
    expect((await change(id, { name: 'A', revision: 2 })).status).toBe(200)
  })

  it.each(['PATCH', 'DELETE'])(
    'is refused if %s has the condition If-Match, which no view can meet',
    async (method) => {
      const { id } = await saveOne()
      const headers = { 'if-match': '"1"' }
      const refused = await api.request(
        { method, path: `${base}/shared_orders/${id}`, headers, body: {} },
        { as: north },
      )
      expectFailure(refused, { status: 422, code: 'validation_failed', field: 'If-Match' })
      expect(await names()).toEqual(['Open orders'])
    },
  )

  it('keeps both of two changes that come at once', async () => {
    const { id } = await saveOne()
    await sendBehindLock(work.sql, lockViews, [
      () => change(id, { name: 'Renamed' }),
      () => change(id, { is_default: true }),
    ])
    expect((await list()).items).toMatchObject([{ name: 'Renamed', is_default: true }])
  })

  it('refuses the name of another view of the caller', async () => {
    await saveOne({ name: 'A' })
    const { id } = await saveOne({ name: 'B' })
    expectFailure(await change(id, { name: 'A' }), { status: 422, code: 'validation_failed', field: 'name' })
    expect((await change(id, { name: 'B' })).status).toBe(200)
  })

  it.each([none, 'nope', '1', `${none}' or true`])('answers 404 for the id %j', async (id) => {
    const path = encodeURIComponent(id)
    expectFailure(await change(path, { name: 'A' }), { status: 404, code: 'view_not_found' })
    expectFailure(await remove(path), { status: 404, code: 'view_not_found' })
  })

  it('answers 404 for the view of another table', async () => {
    const { id } = await saveOne()
    expectFailure(await change(id, { name: 'A' }, north, 'private_orders'), { status: 404, code: 'view_not_found' })
    expectFailure(await remove(id, north, 'private_orders'), { status: 404, code: 'view_not_found' })
  })

  it('needs a token, and a table that exists', async () => {
    const path = `${base}/shared_orders/${none}`
    expectFailure(await api.request({ method: 'DELETE', path }, { as: null }), { status: 401, code: 'unauthenticated' })
    expectFailure(await remove(none, north, 'nope'), { status: 404, code: 'table_not_found' })
    expectFailure(await api.request({ method: 'PUT', path, body: {} }), { status: 405, code: 'method_not_allowed' })
  })
})

describe('removing a view', () => {
  it('removes it for everybody', async () => {
    const { id } = await saveOne({ visibility: 'shared' })
    expect((await remove(id)).json).toEqual({ success: true })
    expect(await names()).toEqual([])
    expect(await names({ as: colleague })).toEqual([])
  })
})

describe('a view that uses what is gone', () => {
  const insert = (query: object) => work.sql`
    insert into table_control.views (subject, table_name, name, visibility, is_default, query)
    values ('nora', 'shared_orders', 'Old', 'private', false, ${JSON.stringify(query)}::text::json) returning id`

  it('is listed for its owner without its query, and can be mended or removed', async () => {
    const [row] = await insert({ filters: [{ field: 'gone', value: 1 }] })
    const { items } = await list()
    expect(items).toMatchObject([{ id: row?.['id'], usable: false }])
    expect(items[0]).not.toHaveProperty('query')
    expect((await api.get('load-table/shared_orders?views=true')).json.views).toEqual([])
    expect((await change(row?.['id'], { query: open })).json.view).toMatchObject({ query: open })
    expect((await remove(row?.['id'])).status).toBe(200)
  })

  it('names what is gone when its owner uses it, unless the request replaces that key', async () => {
    const [row] = await insert({ filters: [{ field: 'gone', value: 1 }], per_page: 2 })
    const view = row?.['id']
    const response = await api.post('query-table/shared_orders', { view })
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'view.filters.gone' })
    const { json } = await api.post('query-table/shared_orders', { view, filters: [] })
    expect(json.pagination).toMatchObject({ per_page: 2, total: 12 })
  })
})
