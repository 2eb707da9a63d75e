import { describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { northRows } from '../support/fixtures/fixture-rows.ts'
import { listIds } from '../support/fixtures/list-ids.ts'

const api = await startFixtureApi()

const total = northRows.length
const byId = [{ field: 'id', direction: 'asc' }]

describe('pages', () => {
  it('page 1 of 20 rows is the default', async () => {
    const { json } = await api.post('query-table/products')
    expect(json.items).toHaveLength(20)
    expect(json.pagination).toMatchObject({ current_page: 1, per_page: 20, total, last_page: 2, from: 1, to: 20 })
  })

  it('pagination holds integers', async () => {
    const { pagination } = (await api.post('query-table/products', { page: '2', perPage: '7' })).json
    for (const key of ['current_page', 'per_page', 'total', 'last_page'])
      expect(pagination[key]).toSatisfy(Number.isInteger)
  })

  it.each([1, 3, 7, 21, 22, 23, 100])('pages of %i rows together hold every row once', async (perPage) => {
    const pages = Array.from({ length: Math.ceil(total / perPage) }, (_, index) => index + 1)
    const responses = await Promise.all(
      pages.map((page) => api.post('query-table/products', { page, perPage, sorts: byId })),
    )
    expect(responses.flatMap((response) => listIds(response))).toEqual(northRows.map(({ id }) => id))
    for (const [index, { json }] of responses.entries()) {
      const from = index * perPage + 1
      const expected = { current_page: index + 1, per_page: perPage, total, last_page: pages.length, from }
      expect(json.pagination).toMatchObject({
        ...expected,
        to: Math.min(total, from + perPage - 1),
        total_kind: 'exact',
      })
    }
  })

  it.each([3, 100, 2 ** 31 - 1, String(2 ** 31 - 1)])(
    'page %j beyond the end has no items and the true total',
    async (page) => {
      const { status, json } = await api.post('query-table/products', { page })
      expect(status).toBe(200)
      expect(json.items).toEqual([])
      expect(json.pagination).toMatchObject({ current_page: Number(page), total, last_page: 2, from: null, to: null })
    },
  )

  it('an empty table has one empty page', async () => {
    const { json } = await api.post('query-table/products', {}, { as: { sub: 'nobody' } })
    expect(json).toMatchObject({ success: true, items: [], pagination: { total: 0, last_page: 1, current_page: 1 } })
  })

  it('filters come before paging, so the total counts what they select', async () => {
    const body = { filters: [{ field: 'category', value: 'tool' }], perPage: 2, page: 2, sorts: byId }
    const response = await api.post('query-table/products', body)
    const tools = northRows.filter(({ category }) => category === 'tool').map(({ id }) => id)
    expect(listIds(response)).toEqual(tools.slice(2, 4))
    expect(response.json.pagination.total).toBe(tools.length)
  })
})

describe('numbers of pages and rows', () => {
  it.each([1, '1', ' 1 ', '01', 1.0, null])('page %j is read as page 1', async (page) => {
    expect((await api.post('query-table/products', { page })).json.pagination.current_page).toBe(1)
  })

  it.each([1, '1', 100, '100', 200, '200'])('perPage %j is accepted', async (perPage) => {
    expect((await api.post('query-table/products', { perPage })).json.pagination.per_page).toBe(Number(perPage))
  })

  const refused = [
    0,
    -1,
    1.5,
    '0',
    '-1',
    '1.5',
    '1e2',
    '',
    ' ',
    'one',
    '１',
    true,
    false,
    [],
    [1],
    {},
    2 ** 31,
    2 ** 53,
    1e21,
  ]

  it.each([...refused, '99999999999999999999'])('page %j is answered 422', async (page) => {
    const response = await api.post('query-table/products', { page })
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'page' })
  })

  it.each([...refused, 201, '201', 1_000])('perPage %j is answered 422 with the range', async (perPage) => {
    const response = await api.post('query-table/products', { perPage })
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'perPage' })
    expect(response.json.fields.perPage).toEqual(['must be a whole number from 1 to 200'])
  })

  it('names both page and perPage where both are wrong', async () => {
    const { fields } = (await api.post('query-table/products', { page: 0, perPage: 0 })).json
    expect(Object.keys(fields).toSorted()).toEqual(['page', 'perPage'])
  })

  it('a table may allow up to 1,000 rows', async () => {
    expect((await api.post('query-table/wide', { perPage: 1_000 })).status).toBe(200)
    expectFailure(await api.post('query-table/wide', { perPage: 1_001 }), { status: 422, code: 'validation_failed' })
  })
})

describe('a table that limits the depth of page numbers', () => {
  it('answers up to the limit and refuses beyond it, naming the cursor', async () => {
    expect((await api.post('query-table/deep', { page: 3, perPage: 5 })).status).toBe(200)
    const response = await api.post('query-table/deep', { page: 4, perPage: 5 })
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'page' })
    expect(response.json.fields.page[0]).toContain('next_cursor')
  })

  it('is read to its end by cursors', async () => {
    const names: string[] = []
    for (let cursor: unknown = undefined; cursor !== null; ) {
      const { json } = await api.post('query-table/deep', { perPage: 5, cursor })
      names.push(...json.items.map((item: { name: string }) => item.name))
      cursor = json.pagination.next_cursor
    }
    expect(names).toHaveLength(total)
    expect(new Set(names).size).toBe(total)
  })
})

describe('ways of counting', () => {
  it.each([
    ['products', 2, { total, total_kind: 'exact' }],
    ['capped_at_five', 2, { total: 5, total_kind: 'capped', last_page: 3 }],
    ['capped_at_five', 100, { total, total_kind: 'exact', last_page: 1 }],
    ['capped', 2, { total, total_kind: 'exact' }],
    ['estimated_in_scope', 100, { total, total_kind: 'exact' }],
  ])('%s in pages of %i', async (table, perPage, expected) => {
    expect((await api.post(`query-table/${table}`, { perPage })).json.pagination).toMatchObject(expected)
  })

  it('an estimated total is marked as estimated, and is never below the number of rows read', async () => {
    const { pagination } = (await api.post('query-table/estimated', { perPage: 10, page: 2 })).json
    expect(pagination.total_kind).toBe('estimated')
    expect(pagination.total).toBeGreaterThanOrEqual(20)
  })

  it('a cap that the filters stay below leaves the total exact', async () => {
    const body = { perPage: 2, filters: [{ field: 'name', operator: 'like', value: 'hammer' }] }
    expect((await api.post('query-table/capped_at_five', body)).json.pagination).toMatchObject({
      total: 2,
      total_kind: 'exact',
    })
  })

  it('a cap that the filters reach exactly leaves the total exact', async () => {
    const countWith = (part: string) => northRows.filter(({ name }) => name.toLowerCase().includes(part)).length
    const value = northRows.flatMap(({ name }) => [...name.toLowerCase()]).find((letter) => countWith(letter) === 5)
    const body = { perPage: 2, filters: [{ field: 'name', operator: 'like', value }] }
    expect((await api.post('query-table/capped_at_five', body)).json.pagination).toMatchObject({
      total: 5,
      total_kind: 'exact',
    })
  })

  it('a total inside a scope is never an estimate, which would include rows outside the scope', async () => {
    for (const page of [1, 2, 1_000]) {
      const { pagination } = (await api.post('query-table/estimated_in_scope', { perPage: 10, page })).json
      expect(pagination).toMatchObject({ total, total_kind: 'exact' })
    }
  })

  it.each(['capped_at_five', 'estimated'])('no cursor of %s leads to an empty page', async (table) => {
    const rows = (await api.post(`query-table/${table}`, { count_only: true })).json.pagination.total
    const perPage = [2, 3, 5].find((size) => rows % size === 0) ?? 1
    const last = rows / perPage
    const { pagination } = (await api.post(`query-table/${table}`, { perPage, page: last })).json
    expect(pagination).toMatchObject({ to: rows, total: rows, total_kind: 'exact', last_page: last, next_cursor: null })
  })

  it.each(['capped_at_five', 'estimated_in_scope'])('%s still gives a cursor to every further row', async (table) => {
    const ids: unknown[] = []
    let pagination: { readonly next_cursor: string | null; readonly [key: string]: unknown } | undefined
    do {
      const { json } = await api.post(`query-table/${table}`, { perPage: 4, cursor: pagination?.next_cursor })
      ids.push(...json.items.map((item: { id: number }) => item.id))
      pagination = json.pagination
    } while (pagination !== undefined && pagination.next_cursor !== null)
    expect(ids).toEqual(northRows.map(({ id }) => id))
    expect(pagination).toMatchObject({ total, total_kind: 'exact' })
  })
})
