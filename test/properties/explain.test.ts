import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectedRows, oracleQuery, readBody } from '../support/oracle/oracle-query.ts'
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
    const { total, without } = json.explain
    expect(total, text).toBe(expectedRows(query, own).length)
    for (const { filter, total: counted } of without) {
      const filters = query.filters.filter(({ sent }) => sent.field !== filter)
      const groups = filter === 'filter_groups' ? undefined : query.groups
      expect(counted, `${filter} ${text}`).toBe(expectedRows({ ...query, filters, groups }, own).length)
    }
    const answer = await post({ row_id: parcel.id })
    expect(answer.status, answer.text).toBe(caller.sees(parcel) ? 200 : 404)
    if (!caller.sees(parcel)) return
    const excluding = query.filters.filter(({ keeps }) => !keeps(parcel)).map(({ sent }) => sent.field)
    const expected = new Set([...excluding, ...(query.groups?.keeps(parcel) === false ? ['filter_groups'] : [])])
    expect(new Set(answer.json.explain.excluded_by), answer.text).toEqual(expected)
  })
  await fc.assert(property, { numRuns: 100 })
})
