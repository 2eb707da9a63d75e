import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTcpProxy, type TcpProxy } from '../support/network/tcp-proxy.ts'
import { explainRecorded } from '../support/parcels/explain-recorded.ts'
import { parcels } from '../support/parcels/parcel-rows.ts'
import {
  type ParcelService,
  type RecordedStatement,
  startParcelService,
  supervisor,
} from '../support/parcels/parcel-service.ts'

let proxy: TcpProxy
let service: ParcelService

beforeAll(async () => {
  service = await startParcelService({
    // For a page far behind that is full.
    count: 3_000,
    through: async (url) => {
      proxy = await startTcpProxy({ target: url })
      return proxy.url()
    },
  })
})

afterAll(async () => {
  await service.stop()
  await proxy.close()
})

/** Waits for the database during the last of some equal requests; by then its statements are prepared. */
async function warmRoundTrips(
  request: () => Promise<{ readonly status: number; readonly text: string }>,
  status = 200,
): Promise<number> {
  for (let run = 0; run < 3; run++) {
    const response = await request()
    expect(response.status, response.text).toBe(status)
  }
  const before = proxy.roundTrips()
  await request()
  return proxy.roundTrips() - before
}

const { id } = parcels()[0] ?? { id: 0 }
const query = (table: string, body: object = {}) => service.api.post(`query-table/${table}`, body)

const oneTrip: readonly (readonly [string, () => ReturnType<typeof query>])[] = [
  ['a full page with its exact total', () => query('parcels', { perPage: 20 })],
  ['a page that is not full', () => query('parcels', { filters: { code: { operator: '=', value: 'P-1' } } })],
  [
    'a filtered and sorted page over relations',
    () =>
      query('parcels', {
        filters: { depot__region__name: 'Hills' },
        sorts: [{ field: 'depot__city', direction: 'desc' }],
      }),
  ],
  ['a page far behind', () => query('parcels', { page: 100, perPage: 20 })],
  [
    'a page with groups of filters and totals of columns',
    () =>
      query('parcels', {
        filter_groups: {
          any: [{ field: 'weight', operator: '>=', value: 3 }, { none: [{ field: 'kind', value: 'medium' }] }],
        },
        aggregates: [
          { field: 'price', fn: 'sum' },
          { field: 'weight', fn: 'median' },
        ],
      }),
  ],
  [
    'a page with groups and their totals, inside a time zone',
    () =>
      query('parcels', {
        group_by: [{ field: 'seen', bucket: 'week' }, { field: 'kind' }],
        aggregates: [{ field: 'price', fn: 'sum' }],
        time_zone: 'Asia/Riyadh',
      }),
  ],
  ['a page whose total is capped', () => query('capped_parcels', { perPage: 20 })],
  ['a page with count: "auto"', () => query('parcels', { count: 'auto', perPage: 20 })],
  [
    'a filtered page with count: "auto"',
    () => query('parcels', { count: 'auto', perPage: 2, filters: { weight: { operator: '>=', value: 5 } } }),
  ],
  ['a page with count: "none"', () => query('parcels', { count: 'none', perPage: 20 })],
  ['a total alone', () => query('parcels', { count_only: true })],
  ['the structure with its first page', () => service.api.get('load-table/parcels/true')],
  ['one row', () => service.api.post(`row-refetch/parcels/${id}`, {})],
  ['several rows', () => service.api.post('multi-row-refetch/parcels', { row_ids: [id, 10, 17, -1] })],
]

describe('a warm request waits for the database once', () => {
  it.each(oneTrip)('waits once for %s', async (_, request) => {
    expect(await warmRoundTrips(request)).toBe(1)
  })

  it('waits once for a page by cursor', async () => {
    const { json } = await query('parcels', { perPage: 20 })
    expect(await warmRoundTrips(() => query('parcels', { perPage: 20, cursor: json.pagination.next_cursor }))).toBe(1)
  })
})

describe('a warm request', () => {
  it('with count: "auto" waits once for values that it has not met, after others of the same filters', async () => {
    const heavier = (value: number) =>
      query('parcels', { count: 'auto', perPage: 3, filters: { weight: { operator: '>=', value } } })
    await heavier(1)
    await heavier(2)
    const before = proxy.roundTrips()
    expect((await heavier(3)).json.pagination.total_kind).toBe('exact')
    expect(proxy.roundTrips() - before).toBe(1)
  })

  it('with dynamic bindings waits for the database at most twice', async () => {
    expect(await warmRoundTrips(() => query('scoped_parcels'))).toBeLessThanOrEqual(2)
  })

  it('does not wait if it is for the structure', async () => {
    expect(await warmRoundTrips(() => service.api.get('load-table/parcels'))).toBe(0)
  })

  it('waits once more for the total of a page beyond the last row', async () => {
    expect(await warmRoundTrips(() => query('parcels', { page: 1_000, perPage: 20 }))).toBe(2)
  })
})

describe('a refused request never reaches the database', () => {
  const refused: readonly (readonly [
    string,
    number,
    () => Promise<{ readonly status: number; readonly text: string }>,
  ])[] = [
    ['without a token', 401, () => service.api.post('query-table/parcels', {}, { as: null })],
    ['with a bad token', 401, () => service.api.post('query-table/parcels', {}, { as: 'no.good.token' })],
    ['for an unknown table', 404, () => query('no_such_table')],
    ['with a body that is no JSON', 400, () => service.api.post('query-table/parcels', '{')],
    ['with a filter that cannot be read', 422, () => query('parcels', { filters: { weight: 'heavy' } })],
    ['with a page size of nothing', 422, () => query('parcels', { perPage: 0 })],
    ['with a foreign cursor', 422, () => query('parcels', { cursor: 'W10.AAAA' })],
    ['with a withData that is neither true nor false', 422, () => service.api.get('load-table/parcels/maybe')],
    ['for ids that are no list', 422, () => service.api.post('multi-row-refetch/parcels', { row_ids: 'all' })],
    ['for a row whose id no row can have', 404, () => service.api.post('row-refetch/parcels/none', {})],
    [
      'for a table that turns the caller away',
      403,
      () => service.api.post('query-table/scoped_parcels', {}, { as: { ...supervisor, role: 'disabled' } }),
    ],
  ]

  it.each(refused)('%s', async (_, status, request) => {
    expect(await warmRoundTrips(request, status)).toBe(0)
  })
})

async function findStatement(table: string, body: object): Promise<RecordedStatement> {
  service.statements()
  const { status, text } = await query(table, body)
  expect(status, text).toBe(200)
  const [statement, ...more] = service.statements()
  if (statement === undefined || more.length > 0) throw new Error(`${1 + more.length} statements instead of one`)
  return statement
}

/** The part of a statement that counts, for the texts of this library's statements. */
const countRoundTrips = ({ text }: RecordedStatement): string => /case when .* else (\(.*\)) end/.exec(text)?.[1] ?? ''

describe('the count of a page', () => {
  it.each([
    ['not full', { filters: { code: { operator: '=', value: 'P-1' } } }, false],
    ['the only one and not full', { filters: { weight: { operator: '>=', value: 100 } }, perPage: 1_000 }, false],
    ['empty', { filters: { code: { operator: '=', value: 'nothing' } } }, false],
    ['full', { perPage: 20 }, true],
    ['full and far behind', { page: 40, perPage: 20 }, true],
    ['the last and not full, far behind', { page: 8, perPage: 400 }, false],
  ])('runs if it is %s (%j): %s', async (_, body, isCounted) => {
    const statement = await findStatement('parcels', body)
    expect(countRoundTrips(statement)).toMatch(/count\(\*\)/)
    expect(/Aggregate \(never executed\)/.test(await explainRecorded(service, statement))).toBe(!isCounted)
  })

  it('is not asked for at all on the way of a cursor', async () => {
    const { json } = await query('parcels', { perPage: 20 })
    expect((await findStatement('parcels', { perPage: 20, cursor: json.pagination.next_cursor })).text).not.toMatch(
      /count\(/,
    )
  })

  it('stops at the cap', async () => {
    const plan = await explainRecorded(service, await findStatement('capped_parcels', { perPage: 20 }))
    expect(plan).toMatch(/Limit \(actual rows=101(\.00)? /)
  })

  it.each([
    ['no filter', {}, []],
    ['a filter on the table itself', { filters: { weight: 5 } }, []],
    ['a sort over a relation', { sorts: [{ field: 'depot__region__name', direction: 'asc' }] }, []],
    ['a filter that restricts nothing', { filters: { has_city: 'all' } }, []],
    ['a filter on a relation', { filters: { depot__city: { operator: 'like', value: 'a' } } }, ['depots']],
    [
      'a filter on a relation of a relation',
      { filters: { depot__region__name: { operator: 'like', value: 'a' } } },
      ['depots', 'regions'],
    ],
  ])('with %s joins only what the filter needs', async (_, body, joined) => {
    const count = countRoundTrips(await findStatement('parcels', { ...body, perPage: 5 }))
    expect([...count.matchAll(/join "(\w+)"/g)].map(([, table]) => table)).toEqual(joined)
  })
})

describe('a page by cursor', () => {
  const findNext = async (sorts: readonly object[]) => {
    const { json } = await query('parcels', { sorts, perPage: 5 })
    return findStatement('parcels', { sorts, perPage: 5, cursor: json.pagination.next_cursor })
  }

  it.each([
    ['a nullable column', [{ field: 'weight', direction: 'desc' }], 1],
    [
      'columns in two directions',
      [
        { field: 'weight', direction: 'asc' },
        { field: 'code', direction: 'desc' },
      ],
      2,
    ],
  ])('sorted by %s reads no rows beyond the range that fills it', async (_, sorts, unread) => {
    const plan = await explainRecorded(service, await findNext(sorts))
    expect([...plan.matchAll(/^ *-> {2}Limit \(never executed\)$/gm)]).toHaveLength(unread)
  })

  it('sorted by a column of a relation, which no index serves, reads the rows once', async () => {
    const { text } = await findNext([{ field: 'depot__city', direction: 'asc' }])
    expect(text).not.toContain('union all')
  })
})
