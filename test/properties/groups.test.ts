import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectedGroups, groupZones, type OracleKeyBy, oracleGroupBy } from '../support/oracle/oracle-groups.ts'
import { expectedRows, oracleQuery, readBody } from '../support/oracle/oracle-query.ts'
import { anyCaller } from '../support/parcels/parcel-callers.ts'
import { parcels } from '../support/parcels/parcel-rows.ts'
import { type ParcelService, startParcelService } from '../support/parcels/parcel-service.ts'

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService()
})
afterAll(() => service.stop())

const all = parcels()

interface Group {
  readonly keys: readonly { readonly value: unknown }[]
  readonly count: number
  readonly token: string
}

const plain = (groups: readonly Group[]) => groups.map(({ keys, count }) => [...keys.map(({ value }) => value), count])

const listSent = (keys: readonly OracleKeyBy[]) => keys.map(({ sent }) => sent)

it('count what a caller’s rows hold, by units of the calendar and ranges, in any time zone', async () => {
  const property = fc.asyncProperty(
    oracleQuery,
    oracleGroupBy,
    fc.constantFrom(...groupZones),
    anyCaller,
    async (query, keys, time_zone, caller) => {
      const body = {
        ...readBody(query),
        perPage: 1,
        group_by: listSent(keys),
        groups_page: { limit: 1_000 },
        time_zone,
      }
      const { json, text } = await service.api.post('query-table/scoped_parcels', body, { as: caller.identity })
      const rows = expectedRows(query, all.filter(caller.sees))
      const expected = expectedGroups(rows, keys, time_zone).map(({ values, rows: own }) => [...values, own.length])
      expect(plain(json.groups), `${JSON.stringify(body)} ${text}`).toEqual(expected.slice(0, 1_000))
      expect(json.groups_next === null, text).toBe(expected.length <= 1_000)
    },
  )
  await fc.assert(property, { numRuns: 100 })
})

it('open to exactly their rows, and are the same when read page by page', async () => {
  const property = fc.asyncProperty(
    oracleQuery,
    oracleGroupBy,
    fc.constantFrom(...groupZones),
    anyCaller,
    fc.nat(),
    async (query, keys, time_zone, caller, pick) => {
      const post = (body: object) =>
        service.api.post('query-table/scoped_parcels', { ...readBody(query), ...body }, { as: caller.identity })
      const body = { perPage: 1, group_by: listSent(keys), groups_page: { limit: 40 }, time_zone }
      const first = await post(body)
      const expected = expectedGroups(expectedRows(query, all.filter(caller.sees)), keys, time_zone)
      const { groups, groups_next: after } = first.json
      if (after !== null) {
        const { json, text } = await post({ ...body, groups_page: { limit: 40, after } })
        const next = expected.slice(40, 80).map(({ values, rows }) => [...values, rows.length])
        expect(plain(json.groups), `${JSON.stringify(body)} ${text}`).toEqual(next)
      }
      if (groups.length === 0) return
      const place = pick % groups.length
      const { json, text } = await post({ group: groups[place].token, perPage: 1_000 })
      const ids = json.items.map(({ id }: { id: number }) => id)
      expect(ids, `${JSON.stringify(body)} ${text}`).toEqual(expected[place]?.rows.slice(0, 1_000).map(({ id }) => id))
    },
  )
  await fc.assert(property, { numRuns: 60 })
})

it('reveal nothing of rows outside the scope, regardless of the other rows of the table', async () => {
  const property = fc.asyncProperty(oracleGroupBy, anyCaller, async (keys, caller) => {
    const body = { perPage: 1, group_by: listSent(keys), groups_page: { limit: 1_000 } }
    const { json } = await service.api.post('query-table/scoped_parcels', body, { as: caller.identity })
    const counted = json.groups.reduce((sum: number, { count }: Group) => sum + count, 0)
    const own = all.filter(caller.sees)
    if (json.groups_next === null) expect(counted).toBe(own.length)
    expect(counted).toBeLessThanOrEqual(own.length)
    if (own.length === 0) expect(json.groups).toEqual([])
  })
  await fc.assert(property, { numRuns: 40 })
})
