import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { answeredTotals, expectedTotals, oracleAggregates } from '../support/oracle/oracle-aggregates.ts'
import { expectedRows, oracleQuery, readBody } from '../support/oracle/oracle-query.ts'
import { anyCaller } from '../support/parcels/parcel-callers.ts'
import { parcels } from '../support/parcels/parcel-rows.ts'
import { type ParcelService, startParcelService } from '../support/parcels/parcel-service.ts'

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService()
})
afterAll(() => service.stop())

it('agree with exact arithmetic on the rows that a caller’s query selects, for any query', async () => {
  const all = parcels()
  await fc.assert(
    fc.asyncProperty(oracleQuery, anyCaller, async (query, caller) => {
      const body = { ...readBody(query), perPage: 1, aggregates: oracleAggregates }
      const { json, text } = await service.api.post('query-table/scoped_parcels', body, { as: caller.identity })
      const expected = expectedTotals(expectedRows(query, all.filter(caller.sees)))
      expect(answeredTotals(json.aggregates), `${JSON.stringify(body)} ${text}`).toEqual(expected)
    }),
    { numRuns: 150 },
  )
})
