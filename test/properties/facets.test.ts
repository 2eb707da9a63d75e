import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectedRows, oracleQuery, readBody } from '../support/oracle/oracle-query.ts'
import { anyCaller } from '../support/parcels/parcel-callers.ts'
import { type Parcel, parcelKinds, parcelStates, parcels } from '../support/parcels/parcel-rows.ts'
import { type ParcelService, startParcelService } from '../support/parcels/parcel-service.ts'

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService()
})
afterAll(() => service.stop())

interface Counted {
  readonly value: unknown
  readonly count: number
}

const countValues = (values: readonly (string | null)[], offered: readonly string[]): object => {
  const counts: Record<string, number> = {}
  for (const value of values) if (value !== null && offered.includes(value)) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

const countOnServer = (options: readonly Counted[]): object =>
  Object.fromEntries(options.map(({ value, count }) => [value, count]))

const facets = ['kind', 'state', 'fragile', 'has_weight', 'weight', 'shipped_from']

it('count what a caller’s rows hold, each without the filters of its own name', async () => {
  const all = parcels()
  await fc.assert(
    fc.asyncProperty(oracleQuery, anyCaller, async (query, caller) => {
      const body = { ...readBody(query), perPage: 1, facets }
      const { json, text } = await service.api.post('query-table/scoped_parcels', body, { as: caller.identity })
      const note = `${JSON.stringify(body)} ${text}`
      const rowsFor = (...names: readonly string[]): readonly Parcel[] =>
        expectedRows(
          { ...query, filters: query.filters.filter(({ sent }) => !names.includes(String(sent.field))) },
          all.filter(caller.sees),
        )
      const { kind, state, fragile, has_weight, weight, shipped_from } = json.facets
      expect(countOnServer(kind.options), note).toEqual(
        countValues(
          rowsFor('kind').map((row) => row.kind),
          parcelKinds,
        ),
      )
      expect(countOnServer(state.options), note).toEqual(
        countValues(
          rowsFor('state').map((row) => row.state),
          parcelStates,
        ),
      )
      const truths = rowsFor('fragile').map((row) => (row.fragile === null ? null : row.fragile ? '1' : '0'))
      expect(countOnServer(fragile.options), note).toEqual(countValues(truths, ['1', '0']))
      const presence = rowsFor('has_weight').map((row) => (row.weight === null ? 'not_set' : 'set'))
      expect(countOnServer(has_weight.options), note).toEqual(countValues(presence, ['set', 'not_set']))

      const weights = rowsFor('weight').flatMap((row) => row.weight ?? [])
      expect(weight.options.length, note).toBeLessThanOrEqual(20)
      for (const { value, count } of weight.options)
        expect(weights.filter((one) => one >= value.from && one < value.to).length, note).toBe(count)
      expect(sum(weight.options), note).toBe(weights.length)

      const days = rowsFor('shipped_from', 'shipped_to').flatMap((row) => row.shipped ?? [])
      expect(shipped_from.options.length, note).toBeLessThanOrEqual(20)
      expect(sum(shipped_from.options), note).toBe(days.length)
      for (const { value, count } of shipped_from.options)
        expect(days.filter((day) => day >= value.from && day < value.to).length, note).toBe(count)
    }),
    { numRuns: 100 },
  )
})

const sum = (options: readonly Counted[]): number => options.reduce((total, { count }) => total + count, 0)
