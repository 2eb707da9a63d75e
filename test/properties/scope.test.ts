import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectedRows, oracleQuery, readBody } from '../support/oracle/oracle-query.ts'
import { analyst, anyCaller, type Caller, callers, everyCaller } from '../support/parcels/parcel-callers.ts'
import { type Parcel, parcels } from '../support/parcels/parcel-rows.ts'
import { type ParcelService, startParcelService } from '../support/parcels/parcel-service.ts'
import { comparable } from '../support/requests/api.ts'
import type { TestIdentity } from '../support/requests/identity-provider.ts'

const table = 'scoped_parcels'
const all = parcels()
const missingIds = [-1, 0, 1, 2, 99_999_999, 2_147_483_648, 'no number', '3 or 1=1', '1e1', '~LTE', ' 3']
const disabled: TestIdentity = { sub: 'gone', tenant: 'north', role: 'disabled', states: ['Texas', 'Ohio', 'Utah'] }

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService()
})

afterAll(() => service.stop())

const post = (path: string, body: unknown, { identity }: Caller) => service.api.post(path, body, { as: identity })

describe('a query', () => {
  it('sees, pages and counts exactly the rows in its scope, for any filters', async () => {
    const perPage = fc.constantFrom(3, 100, 1_000)
    await fc.assert(
      fc.asyncProperty(
        anyCaller,
        oracleQuery,
        perPage,
        fc.integer({ min: 1, max: 4 }),
        async (caller, query, size, page) => {
          const { json } = await post(`query-table/${table}`, { ...readBody(query), perPage: size, page }, caller)
          const rows = expectedRows(query, all.filter(caller.sees))
          expect(json.items.map((item: { id: number }) => item.id)).toEqual(
            rows.slice((page - 1) * size, page * size).map(({ id }) => id),
          )
          expect(json.pagination.total).toBe(rows.length)
        },
      ),
      { numRuns: 250 },
    )
  })

  it('never widens by a filter, sort or parameter on what the caller may not even know of', async () => {
    const caller = callers['an analyst of one state']
    const [plain, tried] = await Promise.all([
      post(`query-table/${table}`, {}, caller),
      post(
        `query-table/${table}`,
        {
          filters: [{ field: 'tenant', operator: '=', value: 'south' }],
          sorts: [{ field: 'tenant', direction: 'asc' }],
          params: { states: ['Ohio'], tenant: 'south', scope: 'true', role: 'supervisor' },
        },
        caller,
      ),
    ])
    const { warnings, ...rest } = tried.json
    expect(rest).toEqual(plain.json)
    expect(warnings).toEqual([
      { code: 'unknown_filter', field: 'tenant' },
      { code: 'unknown_sort', field: 'tenant' },
      ...['states', 'tenant', 'scope', 'role'].map((field) => ({ code: 'unknown_param', field })),
    ])
  })

  it('goes on from a cursor for the caller that it was made for, and for no other', async () => {
    for (const owner of everyCaller) {
      const first = await post(`query-table/${table}`, { perPage: 2 }, owner)
      const cursor: string | null = first.json.pagination.next_cursor
      if (cursor === null) continue
      for (const caller of everyCaller) {
        const { status, json } = await post(`query-table/${table}`, { perPage: 2, cursor }, caller)
        expect(status).toBe(caller === owner ? 200 : 422)
        if (caller !== owner) expect(Object.keys(json.fields)).toEqual(['cursor'])
      }
      const elsewhere = await post('query-table/parcels', { perPage: 2, cursor }, owner)
      expect(elsewhere.status).toBe(422)
    }
  })

  it('refuses a cursor of the same caller with other rights, and begins inside the new scope', async () => {
    const before = await post(`query-table/${table}`, { perPage: 2 }, analyst('mover', 'north', 'Texas'))
    const now = analyst('mover', 'north', 'Utah')
    const cursor: string = before.json.pagination.next_cursor
    const { status, json } = await post(`query-table/${table}`, { perPage: 50, cursor }, now)
    expect([status, Object.keys(json.fields)]).toEqual([422, ['cursor']])
    const fresh = await post(`query-table/${table}`, { perPage: 50 }, now)
    const seen = new Set(all.filter(now.sees).map(({ id }) => id))
    expect(fresh.json.items.length).toBeGreaterThan(0)
    for (const { id } of fresh.json.items) expect(seen).toContain(id)
  })
})

describe('a row', () => {
  it('is answered out of scope like one that does not exist, except for the request id', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyCaller,
        fc.constantFrom(...all),
        fc.constantFrom(...missingIds),
        async (caller, parcel, missing) => {
          const [asked, gone] = await Promise.all(
            [parcel.id, missing].map((id) => post(`row-refetch/${table}/${encodeURIComponent(id)}`, {}, caller)),
          )
          if (asked === undefined || gone === undefined) throw new Error('two requests have two responses')
          expect(gone).toMatchObject({ status: 404, json: { code: 'row_not_found' } })
          if (caller.sees(parcel))
            expect(asked).toMatchObject({ status: 200, json: { data: { row: { id: parcel.id } } } })
          else expect(comparable(asked)).toEqual(comparable(gone))
        },
      ),
      { numRuns: 300 },
    )
  })

  it('is missing out of scope from a list of rows like one that does not exist', async () => {
    const ids = fc.uniqueArray(fc.oneof(fc.constantFrom(...all.map(({ id }) => id)), fc.constantFrom(...missingIds)), {
      minLength: 1,
      maxLength: 30,
      selector: String,
    })
    const byId = new Map<unknown, Parcel>(all.map((parcel) => [parcel.id, parcel]))
    await fc.assert(
      fc.asyncProperty(anyCaller, ids, async (caller, wanted) => {
        const { json } = await post(`multi-row-refetch/${table}`, { row_ids: wanted }, caller)
        const isSeen = (id: unknown) => {
          const parcel = byId.get(id)
          return parcel !== undefined && caller.sees(parcel)
        }
        expect(json.items.map((item: { id: number }) => item.id)).toEqual(wanted.filter(isSeen))
        expect(json.missing).toEqual(wanted.filter((id) => !isSeen(id)))
      }),
      { numRuns: 150 },
    )
  })
})

describe.each(Object.entries(callers))('%s', (_, caller) => {
  it('loads the first page of its own rows and their total', async () => {
    const { json } = await service.api.get(`load-table/${table}/true`, { as: caller.identity })
    const own = all.filter(caller.sees)
    const ids = own.map(({ id }) => id).sort((a, b) => a - b)
    expect(json.data.map((item: { id: number }) => item.id)).toEqual(ids.slice(0, 20))
    expect(json.pagination.total).toBe(own.length)
  })

  it('gets the bindings of its own rows, and those of no filter that it may not see', async () => {
    const { json } = await service.api.get(`load-table/${table}/true`, { as: caller.identity })
    const codes = new Set(all.filter(caller.sees).map(({ code }) => code))
    for (const { value } of json.bindings.note) expect(codes).toContain(value)
    expect('tenant' in json.bindings).toBe('role' in caller.identity)
  })

  it('sees the tenant column only as a supervisor, in no place of any response', async () => {
    const responses = await Promise.all([
      service.api.get(`load-table/${table}/true`, { as: caller.identity }),
      post(`query-table/${table}`, { filters: { tenant: 'north' } }, caller),
      post(`multi-row-refetch/${table}`, { row_ids: all.slice(0, 200).map(({ id }) => id) }, caller),
    ])
    const tellsOfTenant = responses.map(({ json }) => /tenant/i.test(JSON.stringify({ ...json, warnings: [] })))
    expect(tellsOfTenant).toEqual('role' in caller.identity ? [true, true, true] : [false, false, false])
  })
})

describe('a caller that the table turns away', () => {
  const turnedAway: Caller = { identity: disabled, sees: () => false }
  const requests = [
    ['load-table', () => service.api.get(`load-table/${table}/true`, { as: disabled })],
    ['query-table', () => post(`query-table/${table}`, {}, turnedAway)],
    ['row-refetch of a row', () => post(`row-refetch/${table}/${all[0]?.id}`, {}, turnedAway)],
    ['row-refetch of no row', () => post(`row-refetch/${table}/1`, {}, turnedAway)],
    ['multi-row-refetch', () => post(`multi-row-refetch/${table}`, { row_ids: [all[0]?.id] }, turnedAway)],
    ['row-table-action', () => post(`row-table-action/${table}/see/${all[0]?.id}`, {}, turnedAway)],
    ['row-bulk-table-action', () => post(`row-bulk-table-action/${table}/see`, { selected_ids: [1] }, turnedAway)],
    ['bulk-table-action', () => post(`bulk-table-action/${table}/see_all`, {}, turnedAway)],
  ] as const

  it.each(requests)('is refused by %s before anything is read', async (_, request) => {
    service.statements()
    expect(await request()).toMatchObject({ status: 403, json: { code: 'forbidden' } })
    expect(service.statements()).toEqual([])
  })
})
