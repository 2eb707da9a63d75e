import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { oracleFilter } from '../support/oracle/oracle-filters.ts'
import { expectedRows, type OracleQuery, oracleQuery, readBody } from '../support/oracle/oracle-query.ts'
import type { OracleKey } from '../support/oracle/oracle-values.ts'
import { type ParcelService, startParcelService } from '../support/parcels/parcel-service.ts'
import { parcelRegistry, parcelSortables } from '../support/parcels/parcel-table.ts'

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService()
})

afterAll(() => service.stop())

interface AskedQuery {
  readonly query: OracleQuery
  readonly page: number
  readonly perPage: number
  readonly form: number
  /** The columns of the items; all if it is empty. */
  readonly columns: readonly OracleKey[]
}

const asked: fc.Arbitrary<AskedQuery> = fc.record({
  query: oracleQuery,
  page: fc.oneof(
    { arbitrary: fc.constantFrom(1, 2), weight: 3 },
    { arbitrary: fc.integer({ min: 1, max: 70 }), weight: 1 },
  ),
  perPage: fc.oneof(
    { arbitrary: fc.constantFrom(1, 7, 20, 50, 200), weight: 9 },
    { arbitrary: fc.constant(1_000), weight: 1 },
  ),
  form: fc.nat(1),
  columns: fc.oneof(
    { arbitrary: fc.constant([]), weight: 2 },
    { arbitrary: fc.subarray([...parcelSortables], { maxLength: 4 }), weight: 1 },
  ),
})

async function expectAgreement(
  table: string,
  { query, page, perPage, form, columns }: AskedQuery,
  cap = Number.POSITIVE_INFINITY,
): Promise<void> {
  const body = { ...readBody(query, form), page, perPage, ...(columns.length > 0 && { columns }) }
  const { status, text, json } = await service.api.post(`query-table/${table}`, body)
  expect(status, `${JSON.stringify(body)}: ${text}`).toBe(200)
  const warnings: readonly { readonly code: string }[] = json.warnings ?? []
  expect(warnings.filter(({ code }) => code !== 'empty_range')).toEqual([])
  const rows = expectedRows(query)
  if (warnings.length > 0) expect(rows, JSON.stringify(body)).toEqual([])
  const offset = (page - 1) * perPage
  const ids = rows.slice(offset, offset + perPage).map(({ id }) => id)
  expect(
    json.items.map((item: { id: number }) => item.id),
    JSON.stringify(body),
  ).toEqual(ids)
  const cells = columns.length === 0 ? parcelSortables : columns
  const shapes = json.items.map((item: object) =>
    Object.keys(item)
      .filter((key) => key !== 'row' && key !== 'actions')
      .sort()
      .join(),
  )
  expect([...new Set(shapes)]).toEqual(ids.length === 0 ? [] : [[...new Set(['id', ...cells])].sort().join()])
  const isKnown = (ids.length > 0 || page === 1) && offset + ids.length === rows.length
  const exact = isKnown || rows.length <= cap
  const seen = ids.length > 0 ? Math.max(cap, offset + ids.length) : Math.min(cap, offset)
  const total = exact ? rows.length : seen
  expect(json.pagination).toMatchObject({
    total,
    total_kind: exact ? 'exact' : 'capped',
    current_page: page,
    per_page: perPage,
    last_page: Math.max(ids.length > 0 && !isKnown ? page + 1 : 1, Math.ceil(total / perPage)),
    from: ids.length === 0 ? null : offset + 1,
    to: ids.length === 0 ? null : offset + ids.length,
  })
}

it('draws each operator that the filters of a type allow', () => {
  const filters = parcelRegistry.tables.get('parcels')?.filters
  const drawn = fc.sample(oracleFilter, { numRuns: 5_000, seed: 1 }).map(({ sent }) => {
    const filter = filters?.get(String(sent.field))
    return `${filter?.type} ${sent.operator ?? filter?.operators[0]}`
  })
  const allowed = [...(filters?.values() ?? [])].flatMap(({ type, operators }) =>
    operators.map((one) => `${type} ${one}`),
  )
  // `tableContract` compares these.
  expect([...new Set(allowed)].filter((one) => !drawn.includes(one))).toEqual(['date not between', 'date within'])
})

it('agrees with a plain in-memory evaluation on rows, order, pages and totals of any query', async () => {
  await fc.assert(
    fc.asyncProperty(asked, (one) => expectAgreement('parcels', one)),
    { numRuns: 1_000 },
  )
})

it('agrees with it when the count is capped', async () => {
  await fc.assert(
    fc.asyncProperty(asked, (one) => expectAgreement('capped_parcels', one, 100)),
    { numRuns: 150 },
  )
})
