import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry, everyRow, tableDefiner } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { products } from '../support/fixtures/fixture-schema.ts'
import { colleague, defineFixture, fixtureClaims, manager, north, south } from '../support/fixtures/identities.ts'
import { listIds } from '../support/fixtures/list-ids.ts'
import type { CallOptions } from '../support/requests/api.ts'

const api = await startFixtureApi()

async function walk(table: string, body: object, service: Pick<typeof api, 'post'> = api): Promise<readonly unknown[]> {
  const ids: unknown[] = []
  for (let cursor: unknown; cursor !== null; ) {
    const response = await service.post(`query-table/${table}`, { ...body, cursor })
    expect(response.status, response.text).toBe(200)
    ids.push(...(listIds(response) as unknown[]))
    cursor = response.json.pagination.next_cursor
  }
  return ids
}

describe('walking by next_cursor', () => {
  const sortables = [
    'id',
    'name',
    'category',
    'price',
    'stock',
    'weight',
    'active',
    'made_on',
    'sold_at',
    'value',
    'supplier__home__name',
  ]
  const single = sortables.flatMap((field) => ['asc', 'desc'].map((direction) => [{ field, direction }]))
  const several = [
    [
      { field: 'category', direction: 'asc' },
      { field: 'stock', direction: 'desc' },
    ],
    [
      { field: 'active', direction: 'desc' },
      { field: 'price', direction: 'asc' },
      { field: 'id', direction: 'desc' },
    ],
    [
      { field: 'supplier__name', direction: 'desc' },
      { field: 'name', direction: 'asc' },
    ],
  ]

  it.each([...single, ...several].map((sorts) => [sorts] as const))(
    'visits each row once in the order of the pages, through NULLs and ties: %j',
    async (sorts) => {
      const whole = listIds(await api.post('query-table/products', { sorts, perPage: 100 }))
      expect(await walk('products', { sorts, perPage: 4 })).toEqual(whole)
      expect(await walk('products', { sorts, perPage: 1 })).toEqual(whole)
    },
  )

  it.each([
    ['asc', []],
    ['desc', []],
    [
      'desc',
      [
        { field: 'category', direction: 'asc' },
        { field: 'weight', direction: 'desc' },
        { field: 'stock', direction: 'asc' },
      ],
    ],
  ])('visits each row once where rows share a value of a not-null column: %s, then %j', async (direction, between) => {
    const shared = defineFixture({
      name: 'shared',
      from: products,
      key: 'id',
      scope: everyRow,
      columns: {
        id: { label: 'ID' },
        tenant: { label: 'Tenant' },
        category: { label: 'Category' },
        weight: { label: 'Weight' },
        stock: { label: 'Stock' },
      },
      sortables: ['id', 'tenant', 'category', 'weight', 'stock'],
    })
    const service = api.variant({}, createRegistry([shared], { claims: fixtureClaims }))
    const sorts = [
      { field: 'tenant', direction },
      ...between,
      { field: 'id', direction: direction === 'asc' ? 'desc' : 'asc' },
    ]
    const whole = listIds(await service.post('query-table/shared', { sorts, perPage: 100 }))
    expect(await walk('shared', { sorts, perPage: 3 }, service)).toEqual(whole)
  })

  it.each(['id', 'amount', 'units'])('keeps every digit of ledger.%s', async (field) => {
    const sorts = [{ field, direction: 'desc' }]
    expect(await walk('ledger', { sorts, perPage: 1 })).toEqual(
      listIds(await api.post('query-table/ledger', { sorts })),
    )
  })

  it.each(['real', 'big', 'words', 'short'])(
    'takes infinity, NULLs, lists and empty texts as sort values: samples.%s',
    async (field) => {
      for (const direction of ['asc', 'desc']) {
        const sorts = [{ field, direction }]
        const whole = listIds(await api.post('query-table/samples', { sorts }))
        expect(await walk('samples', { sorts, perPage: 1 }), direction).toEqual(whole)
      }
    },
  )

  it.each(['at', 'clock', 'day'])('keeps every microsecond of visits.%s', async (field) => {
    const sorts = [{ field, direction: 'asc' }]
    expect(await walk('visits', { sorts, perPage: 1 })).toEqual(
      listIds(await api.post('query-table/visits', { sorts })),
    )
  })

  it('takes keys of any text', async () => {
    expect(await walk('documents', { perPage: 1 })).toEqual(
      listIds(await api.post('query-table/documents', { perPage: 100 })),
    )
  })

  it('returns the same page, from, to and total as page numbers do', async () => {
    const first = (await api.post('query-table/products', { perPage: 5 })).json.pagination
    const second = (await api.post('query-table/products', { perPage: 5, cursor: first.next_cursor })).json.pagination
    expect(second).toMatchObject({
      current_page: 2,
      per_page: 5,
      total: 22,
      last_page: 5,
      from: 6,
      to: 10,
      total_kind: 'exact',
    })
  })

  it('ends with null, also where the last page is full', async () => {
    expect((await api.post('query-table/products', { perPage: 22 })).json.pagination.next_cursor).toBeNull()
    expect((await api.post('query-table/products', { perPage: 11, page: 2 })).json.pagination.next_cursor).toBeNull()
    expect((await api.post('query-table/products', { perPage: 11, page: 3 })).json.pagination.next_cursor).toBeNull()
  })

  it('keeps its filters, and goes on under another language or number of rows', async () => {
    const body = { filters: [{ field: 'category', value: 'tool' }], sorts: [{ field: 'id' }], perPage: 2 }
    const { next_cursor } = (await api.post('query-table/products', body)).json.pagination
    const rest = await api.post(
      'query-table/products',
      { ...body, perPage: 50, cursor: next_cursor },
      { headers: { ln: 'ar' } },
    )
    expect(listIds(rest)).toEqual([8, 11, 13, 14, 18, 21])
  })
})

describe('a cursor of another request', () => {
  const body = {
    sorts: [{ field: 'stock', direction: 'asc' }],
    filters: [{ field: 'active', value: true }],
    perPage: 2,
  }
  const readCursor = async (options: CallOptions = {}) =>
    (await api.post('query-table/products', body, options)).json.pagination.next_cursor as string

  const alterCursor = (cursor: string, at: number): string =>
    cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1)

  const expectRefused = (response: Parameters<typeof expectFailure>[0]) =>
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'cursor' })

  it.each([
    ['altered at its start', (cursor: string) => alterCursor(cursor, 0)],
    ['altered in the middle', (cursor: string) => alterCursor(cursor, Math.floor(cursor.length / 2))],
    ['altered at its end', (cursor: string) => alterCursor(cursor, cursor.length - 1)],
    ['cut short', (cursor: string) => cursor.slice(0, -5)],
    ['with another text of the same bytes', (cursor: string) => `${cursor}=`],
    ['with more behind it', (cursor: string) => `${cursor}AAAA`],
    ['empty', () => ''],
    ['a text', () => 'cursor'],
    ['too long', (cursor: string) => cursor.padEnd(10_000, 'A')],
    ['a number', () => 5],
    ['an object', () => ({})],
    ['a list', (cursor: string) => [cursor]],
    ['true', () => true],
  ])('is refused with 422: %s', async (_, change) => {
    expectRefused(await api.post('query-table/products', { ...body, cursor: change(await readCursor()) }))
  })

  it.each([
    ['other filters', { filters: [{ field: 'active', value: false }] }],
    ['no filters', { filters: [] }],
    ['another sort', { sorts: [{ field: 'price', direction: 'asc' }] }],
    ['another direction', { sorts: [{ field: 'stock', direction: 'desc' }] }],
  ])('is refused if the query had %s', async (_, changed) => {
    expectRefused(await api.post('query-table/products', { ...body, ...changed, cursor: await readCursor() }))
  })

  it('is refused to the same caller with other rights, because it would reveal their total', async () => {
    const wider = { ...north, role: 'manager' }
    const cursor = await readCursor({ as: wider })
    expectRefused(await api.post('query-table/products', { ...body, cursor }))
    expect(
      (await api.post('query-table/products', { ...body, cursor }, { as: { ...wider, jti: 'renewed' } })).status,
    ).toBe(200)
  })

  it('is accepted after a new log-in, whose tokens have other claims of the session', async () => {
    const columns = { id: { label: 'ID', sortable: true } } as const
    const table = tableDefiner()({ name: 'unclaimed', from: products, key: 'id', scope: everyRow, columns })
    const unclaimed = api.variant({}, createRegistry([table]))
    const ask = (session: string, cursor?: string) => {
      const as = { ...north, jti: session, sid: session, session_state: session }
      return unclaimed.post('query-table/unclaimed', { perPage: 2, cursor }, { as })
    }
    const { next_cursor } = (await ask('first')).json.pagination
    expect((await ask('second', next_cursor)).status).toBe(200)
  })

  it.each([
    ['strips', z.object({ sid: z.string() })],
    ['keeps', z.looseObject({ sid: z.string() })],
    ['changes', z.looseObject({ sid: z.string() }).transform((all) => ({ ...all, role: 'clerk' }))],
    [
      'keeps in one of its options',
      z.union([z.strictObject({}), z.looseObject({ sid: z.string() })]).pipe(z.looseObject({ sid: z.string() })),
    ],
  ])(
    'is refused with another `sid` if a schema that %s other claims declares it, as the id of a site',
    async (_, claims) => {
      const table = tableDefiner<z.output<typeof claims>>()({
        name: 'sites',
        from: products,
        key: 'id',
        columns: { id: { label: 'ID', sortable: true } },
        scope: ({ identity }) => eq(products.tenant, identity.claims.sid),
      })
      const sites = api.variant({}, createRegistry([table], { claims }))
      const ask = (sid: string, cursor?: string) =>
        sites.post('query-table/sites', { perPage: 1, cursor }, { as: { sub: 'nora', sid, jti: `of ${cursor}` } })
      const { next_cursor } = (await ask('north')).json.pagination
      expectRefused(await ask('south', next_cursor))
      // Its `jti` is another one.
      expect((await ask('north', next_cursor)).status).toBe(200)
    },
  )

  it.each([
    ['colleague', colleague],
    ['other tenant', south],
    ['manager', manager],
  ])('is refused to another caller: %s', async (_, as) => {
    expectRefused(await api.post('query-table/products', { ...body, cursor: await readCursor() }, { as }))
  })

  it('does not reveal the values by which its row is sorted', async () => {
    const stock = (await api.post('query-table/products', body)).json.items.at(-1).stock
    const bytes = Buffer.from(await readCursor(), 'base64url')
    expect(bytes.toString('latin1')).not.toContain(`[${stock},`)
  })

  it('has the nonce of its position: equal positions have equal cursors', async () => {
    const first = await readCursor()
    const second = (await api.post('query-table/products', { ...body, cursor: first })).json.pagination.next_cursor
    const nonces = [first, second].map((cursor) => Buffer.from(cursor, 'base64url').subarray(0, 12).toString('hex'))
    expect(new Set(nonces).size, nonces.join(' ')).toBe(2)
    expect(await readCursor(), 'the same position has the same cursor').toBe(first)
  })

  it('is refused by another table', async () => {
    const { next_cursor } = (await api.post('query-table/wide', { perPage: 2 })).json.pagination
    expectRefused(await api.post('query-table/capped', { perPage: 2, cursor: next_cursor }))
  })

  it('is refused under other params', async () => {
    const { next_cursor } = (await api.post('query-table/stocked', { perPage: 2, params: { min_stock: 1 } })).json
      .pagination
    const again = (min_stock: number) =>
      api.post('query-table/stocked', { perPage: 2, params: { min_stock }, cursor: next_cursor })
    expect((await again(1)).status).toBe(200)
    expectRefused(await again(0))
  })

  it('is refused by a deployment with another secret', async () => {
    const other = api.variant({ SERVICE_SECRET: 'another-secret-of-more-than-32-characters' })
    expectRefused(await other.post('query-table/products', { ...body, cursor: await readCursor() }))
  })

  it('begins at page 1 if it is null', async () => {
    expect((await api.post('query-table/products', { ...body, cursor: null })).json.pagination.current_page).toBe(1)
  })
})
