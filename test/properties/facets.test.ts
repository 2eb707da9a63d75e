import fc from 'fast-check'
import { afterAll, beforeAll, it } from 'vitest'
import { expectFacets, oracleFacets } from '../support/oracle/oracle-facets.ts'
import { oracleQuery, readBody } from '../support/oracle/oracle-query.ts'
import { anyCaller } from '../support/parcels/parcel-callers.ts'
import { parcels } from '../support/parcels/parcel-rows.ts'
import { type ParcelService, startParcelService } from '../support/parcels/parcel-service.ts'

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService()
})
afterAll(() => service.stop())

it('count what a caller’s rows hold, each without the filters of its own name', async () => {
  const all = parcels()
  await fc.assert(
    fc.asyncProperty(oracleQuery, anyCaller, async (query, caller) => {
      const body = { ...readBody(query), perPage: 1, facets: oracleFacets }
      const { json, text } = await service.api.post('query-table/scoped_parcels', body, { as: caller.identity })
      expectFacets(json.facets, query, all.filter(caller.sees), `${JSON.stringify(body)} ${text}`)
    }),
    { numRuns: 100 },
  )
})
