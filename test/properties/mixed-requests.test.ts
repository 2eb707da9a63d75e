import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { answeredTotals, expectedTotals, oracleAggregates } from '../support/oracle/oracle-aggregates.ts'
import { expectedExplanation } from '../support/oracle/oracle-explain.ts'
import { expectFacets, oracleFacets } from '../support/oracle/oracle-facets.ts'
import { expectedGroups, groupZones, type OracleKeyBy, oracleGroupBy } from '../support/oracle/oracle-groups.ts'
import { expectedRows, type OracleQuery, oracleQuery, readBody } from '../support/oracle/oracle-query.ts'
import { anyCaller, type Caller } from '../support/parcels/parcel-callers.ts'
import { parcels } from '../support/parcels/parcel-rows.ts'
import { type ParcelService, startParcelService } from '../support/parcels/parcel-service.ts'

/** How many requests are generated; 10,000 take minutes. */
const asked = Number(process.env['MIXED_REQUESTS'] ?? 60)

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService()
})
afterAll(() => service.stop())

const all = parcels()

interface MixedRequest {
  readonly caller: Caller
  readonly query: OracleQuery
  readonly page: number
  readonly perPage: number
  readonly totals: boolean
  readonly facets: boolean
  readonly explain: boolean
  readonly keys: readonly OracleKeyBy[] | undefined
  readonly timeZone: (typeof groupZones)[number]
}

const mixed: fc.Arbitrary<MixedRequest> = fc.record({
  caller: anyCaller,
  query: oracleQuery,
  page: fc.constantFrom(1, 1, 1, 2, 9),
  perPage: fc.constantFrom(1, 7, 20, 200),
  totals: fc.boolean(),
  facets: fc.boolean(),
  explain: fc.boolean(),
  keys: fc.option(oracleGroupBy, { nil: undefined, freq: 2 }),
  timeZone: fc.constantFrom(...groupZones),
})

/** Cheaper than all totals, because each group has its own. */
const groupAggregates = oracleAggregates.slice(0, 4)

function createBody({ query, page, perPage, totals, facets, explain, keys, timeZone }: MixedRequest) {
  return {
    ...readBody(query),
    page,
    perPage,
    time_zone: timeZone,
    ...(totals && { aggregates: keys === undefined ? oracleAggregates : groupAggregates }),
    ...(facets && { facets: oracleFacets }),
    ...(explain && { explain: true }),
    ...(keys !== undefined && { group_by: keys.map(({ sent }) => sent), groups_page: { limit: 1_000 } }),
  }
}

async function expectAgreement(one: MixedRequest): Promise<void> {
  const { caller, query, page, perPage } = one
  const body = createBody(one)
  const { status, json, text } = await service.api.post('query-table/scoped_parcels', body, { as: caller.identity })
  const note = `${caller.identity.sub}: ${JSON.stringify(body)}: ${text.slice(0, 2_000)}`
  expect(status, note).toBe(200)
  const own = all.filter(caller.sees)
  const rows = expectedRows(query, own)
  const shown = rows.slice((page - 1) * perPage, page * perPage).map(({ id }) => id)
  expect(
    json.items.map(({ id }: { readonly id: number }) => id),
    note,
  ).toEqual(shown)
  expect(json.pagination, note).toMatchObject({ total: rows.length, total_kind: 'exact' })
  if (one.facets) expectFacets(json.facets, query, own, note)
  if (one.explain && (page === 1 || shown.length > 0))
    expect(json.explain, note).toMatchObject(expectedExplanation(query, own))
  if (one.keys !== undefined) {
    const expected = expectedGroups(rows, one.keys, one.timeZone).map((group) => ({
      values: group.values,
      count: group.rows.length,
      ...(one.totals && { totals: someTotals(expectedTotals(group.rows)) }),
    }))
    expect(
      json.groups.map((group: AnsweredGroup) => readGroup(group, one.totals)),
      note,
    ).toEqual(expected.slice(0, 1_000))
  }
  if (one.totals)
    expect(
      one.keys === undefined ? answeredTotals(json.aggregates) : someTotals(answeredTotals(json.aggregates)),
      note,
    ).toEqual(one.keys === undefined ? expectedTotals(rows) : someTotals(expectedTotals(rows)))
}

interface AnsweredGroup {
  readonly keys: readonly { readonly value: unknown }[]
  readonly count: number
  readonly aggregates: Parameters<typeof answeredTotals>[0]
}

const readGroup = ({ keys, count, aggregates }: AnsweredGroup, hasTotals: boolean) => ({
  values: keys.map(({ value }) => value),
  count,
  ...(hasTotals && { totals: someTotals(answeredTotals(aggregates)) }),
})

const someTotals = (totals: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(groupAggregates.map(({ field, fn }) => [`${field} ${fn}`, totals[`${field} ${fn}`]]))

it('agrees with a plain evaluation in memory, for any combination of keys in a request', async () => {
  const started = performance.now()
  await fc.assert(fc.asyncProperty(mixed, expectAgreement), { numRuns: asked })
  const seconds = Math.round((performance.now() - started) / 1_000)
  if (process.env['MIXED_REQUESTS']) console.log({ asked, seconds })
})
