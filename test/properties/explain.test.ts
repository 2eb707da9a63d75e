import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectedExclusions, expectedExplanation } from '../support/oracle/oracle-explain.ts'
import { oracleQuery, readBody } from '../support/oracle/oracle-query.ts'
import { anyCaller } from '../support/parcels/parcel-callers.ts'
import { parcels } from '../support/parcels/parcel-rows.ts'
import { type ParcelService, startParcelService } from '../support/parcels/parcel-service.ts'

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService()
})
afterAll(() => service.stop())

it('counts a caller’s rows with and without each restriction, and says why a row is not among them', async () => {
  const all = parcels()
  const property = fc.asyncProperty(oracleQuery, anyCaller, fc.constantFrom(...all), async (query, caller, parcel) => {
    const own = all.filter(caller.sees)
    const post = (explain: unknown) =>
      service.api.post(
        'query-table/scoped_parcels',
        { ...readBody(query), perPage: 1, explain },
        { as: caller.identity },
      )
    const { json, text } = await post(true)
    expect(json.explain, text).toMatchObject(expectedExplanation(query, own))
    const response = await post({ row_id: parcel.id })
    expect(response.status, response.text).toBe(caller.sees(parcel) ? 200 : 404)
    if (!caller.sees(parcel)) return
    expect(new Set(response.json.explain.excluded_by), response.text).toEqual(expectedExclusions(query, parcel))
  })
  await fc.assert(property, { numRuns: 100 })
})
