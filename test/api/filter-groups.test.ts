import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { products } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { listIds } from '../support/fixtures/list-ids.ts'

const presence = ['is null', 'is not null'] as const

const table = defineFixture({
  name: 'grouped',
  label: { en: 'Products', ar: 'المنتجات' },
  from: products,
  key: 'id',
  scope: ({ identity: { claims } }) =>
    sql`${products.tenant} = ${claims.tenant} and ${products.id} not between 11 and 22`,
  timeZone: 'Asia/Riyadh',
  firstWeekday: 'sunday',
  columns: {
    id: { label: 'ID' },
    name: { label: { en: 'Name', ar: 'الاسم' } },
    price: { label: 'Price', loadIf: ({ identity }) => identity.claims.role === 'manager' },
  },
  filters: {
    name: {
      type: 'text',
      label: { en: 'Name', ar: 'الاسم' },
      operators: ['=', 'like', 'starts with', 'ends with', ...presence],
    },
    category: { type: 'select', label: 'Category', options: ['tool', 'food', 'toy'] },
    stock: {
      type: 'number',
      label: { en: 'Stock', ar: 'المخزون' },
      operators: ['=', '>=', '<=', 'not between', ...presence],
    },
    price: { type: 'number', label: 'Price', loadIf: ({ identity }) => identity.claims.role === 'manager' },
    made_on: { type: 'date', label: { en: 'Made on', ar: 'تاريخ الصنع' }, operators: ['>=', 'within', 'not between'] },
    sold_at: { type: 'date', label: 'Sold at', operators: ['within', ...presence] },
  },
  bulkActions: {
    csv: { export: 'csv', deliver: 'file', label: 'CSV' },
    list: { run: () => {} },
    own_field: {
      form: z.strictObject({ filter_groups: z.string(), time_zone: z.literal('mine') }),
      run: ({ input }) => ({
        refused: input.filter_groups === 'hello' ? [] : [{ id: 1, text: { en: 'No', ar: 'لا' } }],
      }),
    },
  },
})

const fixture = await startFixtureApi()
const api = fixture.variant({}, createRegistry([table], { claims: fixtureClaims }))

const select = async (groups: unknown, filters: unknown = []) => {
  const ids = listIds(await api.post('query-table/grouped', { filter_groups: groups, filters, perPage: 100 }))
  return Array.isArray(ids) ? ids.sort((a, b) => a - b) : ids
}

const tool = { field: 'category', value: 'tool' }
const toy = { field: 'category', value: 'toy' }
const noStock = { field: 'stock', operator: 'is null' }

/** A group inside so many others. */
const nest = (depth: number): object => (depth === 0 ? tool : { all: [nest(depth - 1)] })

describe('filter groups', () => {
  it('keep rows of which all, any or none of their parts hold', async () => {
    expect(await select({ any: [tool, toy] })).toEqual([1, 2, 5, 6, 8, 10])
    expect(await select({ all: [tool, { field: 'stock', operator: '>=', value: 7 }] })).toEqual([8])
    expect(await select({ any: [{ all: [toy, { field: 'stock', operator: '<=', value: 0 }] }, noStock] })).toEqual([
      5, 6, 7,
    ])
  })

  it('keep rows with missing values where none may hold', async () => {
    expect(await select({ none: [tool, toy, { field: 'category', value: 'food' }] })).toEqual([7])
    expect(await select({ none: [{ field: 'stock', operator: 'not between', value: [0, 10] }] })).toEqual([
      1, 2, 5, 8, 10,
    ])
  })

  it('hold beside flat filters and inside the scope', async () => {
    expect(await select({ any: [tool, toy] }, [{ field: 'name', operator: 'starts with', value: 'HA' }])).toEqual([
      1, 2,
    ])
    const south = await api.post(
      'query-table/grouped',
      { filter_groups: { any: [tool, { none: [tool] }] } },
      {
        as: { sub: 'sami', tenant: 'south' },
      },
    )
    expect(south.json.items.length).toBeGreaterThan(0)
    expect(south.json.items.some(({ id }: { id: number }) => id <= 10)).toBe(false)
  })

  it('select the rows of exports, whose counts and files agree with the list', async () => {
    const filter_groups = { any: [tool, noStock] }
    const { text } = await api.post('bulk-table-action/grouped/csv', { filter_groups, expected_count: 4 })
    expect(text.match(/^\d+/gm)?.map(Number)).toEqual([1, 2, 7, 8])
    const { json: ran } = await api.post('bulk-table-action/grouped/list', { filter_groups })
    expect(ran.counts).toEqual({ selected: 4, succeeded: 4, failed: 0 })
  })

  it('leave a body’s keys to an action whose form has fields of their names', async () => {
    const { json } = await api.post('bulk-table-action/grouped/own_field', {
      filter_groups: 'hello',
      time_zone: 'mine',
    })
    expect([json.success, json.counts?.selected]).toEqual([true, 10])
  })

  it('go on with a cursor, which belongs to its groups', async () => {
    const asked = { filter_groups: { any: [tool, toy] }, perPage: 4 }
    const { json: first } = await api.post('query-table/grouped', asked)
    const cursor = first.pagination.next_cursor
    const { json: second } = await api.post('query-table/grouped', { ...asked, cursor })
    expect([
      ...(listIds({ json: first } as never) as number[]),
      ...(listIds({ json: second } as never) as number[]),
    ]).toEqual([1, 2, 5, 6, 8, 10])
    const other = await api.post('query-table/grouped', { ...asked, filter_groups: { none: [tool, toy] }, cursor })
    expectFailure(other, { status: 422, code: 'validation_failed', field: 'cursor' })
  })

  it.each([
    ['filter_groups', 'any', 'a text'],
    ['filter_groups', [tool], 'a list'],
    ['filter_groups', {}, 'an empty object'],
    ['filter_groups', { all: [tool], any: [tool] }, 'two kinds at once'],
    ['filter_groups', { ...tool }, 'a filter without a group'],
    ['filter_groups.all', { all: [] }, 'an empty list'],
    ['filter_groups.all', { all: tool }, 'no list'],
    ['filter_groups.any.0', { any: [null] }, 'nothing'],
    ['filter_groups.any.0', { any: [{ value: 'tool' }] }, 'a filter without a name'],
    ['filter_groups.all.0', { all: [{ ...tool, any: [toy] }] }, 'a filter that is a group as well'],
    ['filter_groups.any.1.none', { any: [tool, { none: [] }] }, 'an empty list inside'],
    ['filter_groups.any.0.field', { any: [{ field: 'nope', value: 1 }] }, 'an unknown filter'],
    ['filter_groups.any.0.field', { any: [{ field: 'price', value: 1 }] }, 'a filter that is hidden from the caller'],
    ['filter_groups.any.0.field', { any: [{ field: 7, value: 1 }] }, 'a name that is no text'],
    [
      'filter_groups.any.0',
      { any: [{ field: 'stock', operator: 'like', value: 1 }] },
      'an operator that is not allowed',
    ],
    ['filter_groups.any.0', { any: [{ field: 'stock', value: 'five' }] }, 'a value that is no number'],
    ['filter_groups.any.0', { any: [{ field: 'category', value: 'all' }] }, 'the option for no restriction'],
    [
      'filter_groups.any.0',
      { any: [{ field: 'made_on_from', operator: 'within', value: 'someday' }] },
      'an unknown period',
    ],
    ['filter_groups.all.0.all.0.all.0.all.0.all.0', nest(6), 'groups that are too deep'],
    ['filter_groups', { any: Array.from({ length: 101 }, () => tool) }, 'too many filters'],
    ['filter_groups', { any: Array.from({ length: 501 }, () => ({ all: [] })) }, 'too many groups'],
  ])('are refused at %s for %j (%s)', async (field, groups, _) => {
    for (const path of ['query-table/grouped', 'bulk-table-action/grouped/csv', 'bulk-table-action/grouped/list']) {
      expectFailure(await api.post(path, { filter_groups: groups }), { status: 422, code: 'validation_failed', field })
    }
  })

  it('are as deep as five groups and as wide as a hundred filters', async () => {
    expect(await select(nest(5))).toEqual([1, 2, 8])
    expect(await select({ any: Array.from({ length: 100 }, () => tool) })).toEqual([1, 2, 8])
  })

  it('are absent as null in a query, and refused as null in an action, which would run on more than was meant', async () => {
    expect(await select(null)).toHaveLength(10)
    const refused = await api.post('bulk-table-action/grouped/list', { filter_groups: null })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'filter_groups' })
  })

  it('are refused under a name that is nearly theirs', async () => {
    const refused = await api.post('bulk-table-action/grouped/list', { filterGroups: { any: [tool] } })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'filterGroups' })
  })
})

describe('operators beside the usual ones', () => {
  it.each([
    [{ field: 'name', operator: 'starts with', value: 'h' }, [1, 2]],
    [{ field: 'name', operator: 'ends with', value: 'R' }, [1, 2, 9]],
    [{ field: 'name', operator: 'ends with', value: '%' }, []],
    [{ field: 'stock', operator: 'is null' }, [7]],
    [{ field: 'stock', operator: 'is not null', value: null }, [1, 2, 3, 4, 5, 6, 8, 9, 10]],
    [{ field: 'stock', operator: 'not between', value: [0, 50] }, [3, 4, 6, 7]],
    [{ field: 'made_on_from', operator: 'not between', value: ['2026-01-01', '2026-02-28'] }, [5, 7, 10]],
  ])('%j finds %j', async (filter, ids) => {
    expect(await select(undefined, [filter])).toEqual(ids)
  })

  it.each([
    ['stock', [50, 0]],
    ['made_on_from', ['2026-02-28', '2026-01-01']],
  ])('leave out nothing, and warn of nothing, where a range begins after its end: %s', async (field, value) => {
    const filters = [{ field, operator: 'not between', value }]
    const { json } = await api.post('query-table/grouped', { filters })
    expect(json.pagination.total).toBe(10)
    expect(json.warnings).toBeUndefined()
  })

  it('need a value where there is something to compare', async () => {
    const refused = await api.post('query-table/grouped', { filters: [{ field: 'name', operator: 'starts with' }] })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'filters.name' })
  })

  it.each([7, ['name'], { toString: null }])('belong to no filter that is named %j', async (field) => {
    const refused = await api.post('query-table/grouped', { filters: [{ field, value: 'h' }] })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'filters.0.field' })
  })

  it('stand in the structure only where the table allows them', async () => {
    const { json } = await api.get('load-table/grouped')
    const listNames = (name: string) => json.filters.find((one: { filter_name: string }) => one.filter_name === name)
    expect(listNames('sold_at_from').props.operators).toEqual(['within', 'is null', 'is not null'])
    expect(listNames('category').props.operators).toEqual(['='])
  })
})

describe('a period such as today', () => {
  const sold = (value: unknown, rest: object = {}) =>
    api.post('query-table/grouped', { filters: [{ field: 'sold_at_from', operator: 'within', value }], ...rest })

  it('selects from its first moment to before its last in the time zone of the table', async () => {
    const database = postgres(fixture.databaseUrl)
    await database`update products set sold_at = now() where id = 3`
    await database`update products set sold_at = now() + interval '400 days' where id = 4`
    const { json } = await sold('this_year')
    const [{ from, to }] = json.resolved
    expect(json.resolved).toEqual([{ field: 'sold_at_from', operator: 'within', value: 'this_year', from, to }])
    expect([from, to]).toEqual([
      expect.stringMatching(/^\d{4}-01-01T00:00:00.000\+03:00$/),
      expect.stringMatching(/^\d{4}-01-01T00:00:00.000\+03:00$/),
    ])
    const inside =
      await database`select id from products where tenant = 'north' and sold_at >= ${from} and sold_at < ${to} and id <= 10 order by id`
    expect(listIds({ json } as never)).toEqual(inside.map(({ id }) => id))
    expect(inside.map(({ id }) => id)).toContain(3)
    await database.end()
  })

  it('begins at the midnight of the request’s time zone', async () => {
    const { json } = await sold('today', { time_zone: 'America/New_York' })
    expect(json.resolved[0].from).toMatch(/T00:00:00.000-0[45]:00$/)
    const { json: days } = await api.post('query-table/grouped', {
      filters: [{ field: 'made_on_from', operator: 'within', value: 'last_7_days' }],
      time_zone: 'Pacific/Auckland',
    })
    const [{ from, to }] = days.resolved
    expect((Date.parse(to) - Date.parse(from)) / 86_400_000).toBe(7)
  })

  it('begins on the first weekday of the table if it is of weeks', async () => {
    const { json } = await sold('this_week')
    expect(new Date(json.resolved[0].from.slice(0, 10)).getUTCDay()).toBe(0)
  })

  it('is told once, however often it is asked for', async () => {
    const filter = { field: 'sold_at_from', operator: 'within', value: 'today' }
    const { json } = await api.post('query-table/grouped', {
      filters: [filter],
      filter_groups: { any: [filter, noStock] },
    })
    expect(json.resolved).toHaveLength(1)
  })

  it.each(['Mars/Olympus', '', 7, [], '+03:00', `${'A'.repeat(70)}`])(
    'does not begin in the time zone %j',
    async (zone) => {
      expectFailure(await sold('today', { time_zone: zone }), {
        status: 422,
        code: 'validation_failed',
        field: 'time_zone',
      })
    },
  )

  it.each(['', 'Today', 'last_0_days', 'last_9999_years', 7, null, ['today'], 'next_9999_years'])(
    'is not %j',
    async (value) => {
      expectFailure(await sold(value), { status: 422, code: 'validation_failed', field: 'filters.sold_at_from' })
    },
  )
})
