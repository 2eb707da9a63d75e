import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectedRows, oracleQuery, readBody } from '../support/oracle/oracle-query.ts'
import { anyCaller, type Caller } from '../support/parcels/parcel-callers.ts'
import { parcels } from '../support/parcels/parcel-rows.ts'
import { type ParcelService, startParcelService } from '../support/parcels/parcel-service.ts'
import { comparable } from '../support/requests/api.ts'

const table = 'scoped_parcels'
const all = parcels()

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService()
})

afterAll(() => service.stop())

const post = (path: string, body: unknown, { identity }: Caller) => service.api.post(path, body, { as: identity })

describe('an action', () => {
  it('is answered alike on a row out of scope and on one that does not exist, except for the request id', async () => {
    await fc.assert(
      fc.asyncProperty(anyCaller, fc.constantFrom(...all), async (caller, parcel) => {
        const asked = await post(`row-table-action/${table}/see/${parcel.id}`, {}, caller)
        const gone = await post(`row-table-action/${table}/see/99999999`, {}, caller)
        expect(gone).toMatchObject({ status: 404, json: { code: 'row_not_found' } })
        if (caller.sees(parcel)) expect(asked).toMatchObject({ status: 200, json: { seen: parcel.id } })
        else expect(comparable(asked)).toEqual(comparable(gone))
      }),
      { numRuns: 150 },
    )
  })

  it('runs only on the rows in scope of several', async () => {
    const ids = fc.uniqueArray(fc.constantFrom(...all), { minLength: 1, maxLength: 30, selector: ({ id }) => id })
    await fc.assert(
      fc.asyncProperty(anyCaller, ids, async (caller, wanted) => {
        const selected_ids = wanted.map(({ id }) => id)
        const { status, json } = await post(`row-bulk-table-action/${table}/see`, { selected_ids }, caller)
        const results = wanted.map((parcel) => ({ id: parcel.id, success: caller.sees(parcel) }))
        expect(json.results.map(({ id, success }: (typeof results)[0]) => ({ id, success }))).toEqual(results)
        expect(status).toBe(results.some(({ success }) => success) ? 200 : 422)
        expect((json.items ?? []).map(({ id }: { id: number }) => id)).toEqual(
          wanted.filter(caller.sees).map(({ id }) => id),
        )
        const missing = json.results.filter(({ success }: { success: boolean }) => !success)
        for (const { code } of missing) expect(code).toBe('row_not_found')
      }),
      { numRuns: 100 },
    )
  })

  it('runs on exactly the rows in scope that the filters select, and so does a file of it', async () => {
    await fc.assert(
      fc.asyncProperty(anyCaller, oracleQuery, async (caller, query) => {
        const ids = expectedRows(query, all.filter(caller.sees)).map(({ id }) => id)
        const { json } = await post(`bulk-table-action/${table}/see_all`, readBody(query), caller)
        expect(json.counts).toEqual({ selected: ids.length, succeeded: ids.length, failed: 0 })
        expect(json.data.seen).toEqual(ids)
        const file = await post(`bulk-table-action/${table}/ids`, { ...readBody(query), columns: ['id'] }, caller)
        const lines = file.text.split('\r\n').slice(1, -1)
        expect(lines.map(Number)).toEqual(ids)
      }),
      { numRuns: 100 },
    )
  })

  it('runs on no more than the selected rows, and refuses params that the table does not take', async () => {
    const selection = fc.uniqueArray(fc.constantFrom(...all), { minLength: 1, maxLength: 50, selector: ({ id }) => id })
    await fc.assert(
      fc.asyncProperty(anyCaller, selection, async (caller, wanted) => {
        const more = { filters: [], scope: 'true', role: 'supervisor' }
        const selected_ids = wanted.map(({ id }) => id)
        const params = { states: ['Ohio'], tenant: 'south' }
        const refused = await post(`bulk-table-action/${table}/see_all`, { selected_ids, ...more, params }, caller)
        expect(refused.json.code).toBe('validation_failed')
        const { json } = await post(`bulk-table-action/${table}/see_all`, { selected_ids, ...more }, caller)
        const own = wanted.filter(caller.sees).map(({ id }) => id)
        expect((json.data.seen as readonly number[]).toSorted((a, b) => a - b)).toEqual(own.toSorted((a, b) => a - b))
      }),
      { numRuns: 100 },
    )
  })
})
