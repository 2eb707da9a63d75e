import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oracleFilter } from '../support/oracle/oracle-filters.ts'
import { type OracleQuery, oracleQuery, oracleSorts, readBody } from '../support/oracle/oracle-query.ts'
import { type OracleKey, valueUnder } from '../support/oracle/oracle-values.ts'
import { parcels } from '../support/parcels/parcel-rows.ts'
import { type ParcelService, startParcelService } from '../support/parcels/parcel-service.ts'

type Item = Readonly<Record<string, unknown>> & { readonly id: number }

/** Several pages that are as large as they can be. */
const all = parcels(3_000)

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService({ count: all.length })
})

afterAll(() => service.stop())

async function ask(body: object, table = 'parcels') {
  const { status, text, json } = await service.api.post(`query-table/${table}`, body)
  expect(status, `${JSON.stringify(body)}: ${text}`).toBe(200)
  return json as {
    readonly items: readonly Item[]
    readonly pagination: Record<string, never> & {
      readonly next_cursor: string | null
      readonly total: number
      readonly last_page: number
    }
  }
}

/** All rows of a query in one set, by pages that are as large as they can be. */
async function everyItem(
  query: object,
  perPage: number,
): Promise<{ readonly items: readonly Item[]; readonly totals: ReadonlySet<number> }> {
  const items: Item[] = []
  const totals = new Set<number>()
  for (let page = 1, last = 1; page <= last; page++) {
    const response = await ask({ ...query, page, perPage })
    items.push(...response.items)
    totals.add(response.pagination.total)
    last = response.pagination.last_page
  }
  return { items, totals }
}

async function everyItemByCursor(
  query: object,
  choosePerPage: (page: number) => number,
  table?: string,
): Promise<readonly Item[]> {
  const items: Item[] = []
  let cursor: string | null | undefined
  for (let page = 1; cursor !== null; page++) {
    const response = await ask(
      { ...query, perPage: choosePerPage(page), ...(cursor !== undefined && { cursor }) },
      table,
    )
    expect(response.pagination['current_page']).toBe(page)
    expect(response.pagination['from']).toBe(response.items.length === 0 ? null : items.length + 1)
    items.push(...response.items)
    cursor = response.pagination.next_cursor
  }
  return items
}

const listIds = (items: readonly Item[]): readonly number[] => items.map(({ id }) => id)

/** The ids of all rows of a query in their order, without the cells, which are most of a page of 1,000. */
const everyId = async (query: object): Promise<readonly number[]> =>
  listIds((await everyItem({ ...query, columns: ['id'] }, 1_000)).items)

const byId = new Map(all.map((parcel) => [parcel.id, parcel]))

/** Once a first sort's value is missing, it stays missing, or with NULLs first the other way round. */
function expectNullsTogether(query: OracleQuery, items: readonly Item[]): void {
  const [first] = query.sorts
  if (first === undefined) return
  const missing = items.map(({ id }) => {
    const parcel = byId.get(id)
    return parcel === undefined || valueUnder(first.field, parcel) === null
  })
  const change = missing.indexOf(first.nulls !== 'first')
  if (change >= 0) expect(new Set(missing.slice(change)).size).toBe(1)
}

describe('the pages of a query', () => {
  it('put together are the whole set, each row once, by page number and by cursor alike', async () => {
    await fc.assert(
      fc.asyncProperty(
        oracleQuery,
        fc.integer({ min: 90, max: 400 }),
        fc.integer({ min: 90, max: 400 }),
        async (query, perPage, other) => {
          const body = readBody(query)
          const byNumber = await everyItem(body, perPage)
          const byCursor = await everyItemByCursor(body, (page) => (page % 2 === 0 ? other : perPage))
          expect([...byNumber.totals]).toEqual([byNumber.items.length])
          expect(new Set(listIds(byNumber.items)).size).toBe(byNumber.items.length)
          expect(listIds(byCursor)).toEqual(listIds(byNumber.items))
          expect(JSON.stringify(byCursor) === JSON.stringify(byNumber.items)).toBe(true)
          expect(await everyId(body)).toEqual(listIds(byNumber.items))
          expectNullsTogether(query, byNumber.items)
        },
      ),
      { numRuns: 30 },
    )
  })

  it('have the same order with one row each as with more', async () => {
    const query = fc.record({ filters: fc.array(oracleFilter, { minLength: 2, maxLength: 3 }), sorts: oracleSorts })
    await fc.assert(
      fc.asyncProperty(query, async (small) => {
        const whole = listIds((await ask({ ...readBody(small), perPage: 20 })).items)
        const byCursor: number[] = []
        let cursor: string | null | undefined
        while (cursor !== null && byCursor.length < whole.length) {
          const { items, pagination } = await ask({
            ...readBody(small),
            perPage: 1,
            ...(cursor !== undefined && { cursor }),
          })
          byCursor.push(...listIds(items))
          cursor = pagination.next_cursor
        }
        const byNumber = await Promise.all(
          whole.map(async (_, index) =>
            listIds((await ask({ ...readBody(small), page: index + 1, perPage: 1 })).items),
          ),
        )
        expect(byCursor).toEqual(whole)
        expect(byNumber.flat()).toEqual(whole)
      }),
      { numRuns: 25 },
    )
  })

  const sorts = [
    { field: 'depot__city', direction: 'desc' },
    { field: 'weight', direction: 'asc' },
  ]
  let sorted: Promise<readonly number[]> | undefined

  it.each([499, 500, 501, 1_000, 2_999, 3_000, 3_001])(
    'keep their order across row %i, where the way of reading them changes',
    async (offset) => {
      sorted ??= everyId({ sorts })
      const whole = await sorted
      expect(whole).toHaveLength(all.length)
      const { items, pagination } = await ask({ sorts, page: offset + 1, perPage: 1 })
      expect(listIds(items)).toEqual(whole.slice(offset, offset + 1))
      expect(pagination.total).toBe(all.length)
    },
  )

  it('go on by cursor to the end of rows that are not counted to the end', async () => {
    const query = {
      sorts: [
        { field: 'note', direction: 'desc' },
        { field: 'seen', direction: 'asc' },
      ],
    }
    const items = await everyItemByCursor(query, () => 250, 'capped_parcels')
    expect(listIds(items)).toEqual(await everyId(query))
  })
})

describe('a sort turned around', () => {
  it.each<OracleKey>(['id', 'code'])(
    'turns the rows around if it is by %s, which is total and never null',
    async (field) => {
      const [ascending, descending] = await Promise.all(
        ['asc', 'desc'].map((direction) => everyId({ sorts: [{ field, direction }] })),
      )
      expect(descending).toEqual(ascending?.toReversed())
    },
  )

  it.each<OracleKey>(['weight', 'state', 'seen', 'depot__region__name', 'heavy', 'score', 'kind'])(
    'leaves missing values at the end if it is by %s',
    async (field) => {
      const known = new Set(all.filter((parcel) => valueUnder(field, parcel) !== null).map(({ id }) => id))
      for (const direction of ['asc', 'desc']) {
        const ids = await everyId({ sorts: [{ field, direction }] })
        expect(ids.findIndex((id) => !known.has(id))).toBe(known.size)
      }
    },
  )
})
