import { afterAll, describe, expect, it } from 'vitest'
import { startParcelService, supervisor } from '../support/parcels/parcel-service.ts'

const service = await startParcelService()
afterAll(() => service.stop())

/** Returns the statements that a page of a table sends. */
async function listStatements(table: string, body: object): Promise<readonly string[]> {
  service.statements()
  const { status } = await service.api.post(`query-table/${table}`, body, { as: supervisor })
  expect(status).toBe(200)
  return service.statements().map(({ text }) => text)
}

const page = { perPage: 20, sorts: [{ field: 'weight', direction: 'asc' }] }

describe('the statement of a page', () => {
  it.each([
    ['a filter', { filters: { weight: { operator: '>=', value: 5 } } }],
    ['a search', { search: 'small' }],
    ['filter groups', { filter_groups: { any: [{ field: 'weight', operator: '>=', value: 3 }] } }],
  ])('binds its limit beside the values of %s, so that Postgres plans it for each of them', async (_, body) => {
    const [text] = await listStatements('parcels', { ...page, ...body })
    expect(text).toMatch(/ limit \$\d/)
    expect(text).not.toContain(' limit 20')
  })

  it('writes its limit out where it has no values, so that Postgres keeps its plan', async () => {
    const [text] = await listStatements('parcels', page)
    expect(text).toContain(' limit 20')
  })

  it('compares a list of one value as that value, which keeps the order of an index', async () => {
    const list = (values: readonly string[]) =>
      listStatements('parcels', { ...page, filters: { kind: { operator: 'in', value: values } } })
    expect((await list(['small', 'medium']))[0]).toContain('= any(')
    expect((await list(['medium']))[0]).not.toContain('any(')
  })
})

describe('the statement of a search', () => {
  it.each(['parcels', 'capped_parcels'])('finds the rows of %s once, for the page and for its total', async (table) => {
    const [text] = await listStatements(table, { ...page, search: 'box' })
    expect(text?.match(/fold_text\("parcels"."note"\)/g)).toHaveLength(1)
    expect(text).toContain('count(*)')
  })

  it('counts its rows for count: "auto" as well, without a statement of its own', async () => {
    const body = { ...page, search: 'box', perPage: 5, count: 'auto' }
    const [text, ...others] = await listStatements('parcels', body)
    expect(text).toContain('count(*)')
    expect(others).toEqual([])
    const read = async (number: number, count: string) =>
      (await service.api.post('query-table/parcels', { ...body, page: number, count })).json.pagination
    for (const number of [1, 2, 99]) {
      const { next_cursor: _, ...exact } = await read(number, 'exact')
      expect(await read(number, 'auto')).toMatchObject(exact)
    }
  })

  it('finds the keys of a relation by an array, and those of two characters by their hashes', async () => {
    const [long] = await listStatements('parcels', { ...page, search: 'austin' })
    expect(long).toContain('"parcels"."depot_id" = any(array(select "depot"."id"')
    const [short] = await listStatements('parcels', { ...page, search: 'au' })
    expect(short).toContain('("parcels"."depot_id") in (select "depot"."id"')
    expect(short).not.toContain('any(')
  })
})

describe('the statement of totals', () => {
  it.each(['weight', 'price'])('reads the least and the greatest %s from the ends of an index', async (field) => {
    const aggregates = [
      { field, fn: 'min' },
      { field, fn: 'max' },
    ]
    const texts = await listStatements('parcels', { ...page, aggregates })
    const totals = texts.filter((text) => text.includes('min('))
    expect(totals).toHaveLength(1)
    expect(totals[0]).not.toContain('filter (where')
  })
})
