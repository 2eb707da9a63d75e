import { sql } from 'drizzle-orm'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry, everyRow, tableDefiner } from '../../../lib/index.ts'
import { type ParcelService, startParcelService } from '../../support/parcels/parcel-service.ts'

const page = pgTable('page', { id: integer().primaryKey(), title: text().notNull(), parent_id: integer() })
const quoted = pgTable('odd "name"; --', { id: integer().primaryKey(), value: text('va"lue $1') })

const inherited = pgTable('inherited', { id: integer().primaryKey(), constructor: text(), valueOf: text() })

const defineTable = tableDefiner<Record<string, unknown>>()

const registry = createRegistry([
  defineTable({
    name: 'pages',
    from: page,
    key: 'id',
    relations: { counted: { table: page, on: { parent_id: 'id' } }, total: { table: page, on: { parent_id: 'id' } } },
    scope: everyRow,
    columns: {
      id: { label: 'ID' },
      title: { label: 'Title' },
      counted__title: { label: 'Parent' },
      total__id: { label: 'Parent' },
    },
    sortables: ['title', 'counted__title'],
    filters: {
      counted__title: { type: 'text', label: 'Parent', operators: ['like'] },
      title: { type: 'text', label: 'Title', operators: ['like'] },
    },
  }),
  defineTable({
    name: 'inherited',
    from: inherited,
    key: 'id',
    scope: everyRow,
    columns: {
      constructor: { label: 'Constructor', values: { ferrari: 'Ferrari' }, sortable: true },
      valueOf: { label: 'Value', sortable: true },
    },
    filters: { constructor: {}, valueOf: {} },
    params: z.object({ constructor: z.string().optional() }),
    rowActions: {
      echo: {
        form: z.object({ constructor: z.string().optional(), valueOf: z.string().optional() }),
        run: ({ input }) => Promise.resolve({ data: { given: input } }),
      },
    },
  }),
  defineTable({
    name: 'related_pages',
    from: quoted,
    key: 'id',
    relations: { page: { table: page, on: { id: 'id' } } },
    computed: { literal: sql<string>`'$1 {' || ${quoted.value}` },
    scope: () => sql`${quoted.id} >= ${0} and '$2' <> ${'x'}`,
    columns: {
      id: { label: 'ID' },
      value: { label: 'Value' },
      page__title: { label: 'Title' },
      literal: { label: 'Literal', type: 'text' },
    },
    sortables: ['page__title', 'value', 'literal'],
    filters: {
      page__title: { type: 'text', label: 'Title', operators: ['like'] },
      literal: { type: 'text', label: 'Literal', operators: ['=', 'like', 'in'] },
    },
  }),
])

const rowCount = 1_200
const longTitle = 'x'.repeat(9_000)

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService({ registry })
  const owner = postgres(service.url, { max: 1 })
  await owner.unsafe(`
    create table page (id integer primary key, title text not null, parent_id integer);
    insert into page select id, repeat('x', 9000) || id, id - 1 from generate_series(1, ${rowCount}) id;
    create table inherited (id integer primary key, constructor text, "valueOf" text);
    insert into inherited values (1, 'ferrari', 'x');
    create table "odd ""name""; --" (id integer primary key, "va""lue $1" text);
    insert into "odd ""name""; --" select id, 'v' || id from generate_series(1, ${rowCount}) id;
  `)
  await owner.end()
})

afterAll(() => service.stop())

const tables = [
  ['pages', { filters: { counted__title: { operator: 'like', value: 'x' } } }, 'counted__title', rowCount - 1],
  ['related_pages', { filters: { page__title: { operator: 'like', value: 'x' } } }, 'page__title', rowCount],
] as const

describe('names that a statement uses itself, or that break out of one', () => {
  it.each(tables)('change neither the pages nor the totals of %s', async (table, filtered, sort, total) => {
    for (const body of [
      {},
      { sorts: [{ field: sort, direction: 'desc' }] },
      filtered,
      { ...filtered, page: 60 },
      { page: 40, sorts: [{ field: sort, direction: 'asc' }] },
    ]) {
      const { status, text: response, json } = await service.api.post(`query-table/${table}`, { perPage: 20, ...body })
      expect(status, response.slice(0, 300)).toBe(200)
      expect(json.pagination.total).toBe('filters' in body ? total : rowCount)
      expect(json.items.length).toBe(Math.min(20, json.pagination.total - (json.pagination.from - 1)))
    }
  })

  it('keep parameters and literals apart', async () => {
    const { json } = await service.api.post('query-table/related_pages', {
      filters: { literal: { operator: '=', value: '$1 {v7' } },
      sorts: [{ field: 'literal', direction: 'desc' }],
    })
    expect(json.items).toMatchObject([{ id: 7, literal: '$1 {v7', page__title: `${longTitle}7` }])
  })
})

describe('names of members that every object has', () => {
  it('are filters, facets and columns like others', async () => {
    const loaded = await service.api.get('load-table/inherited/true')
    expect(loaded.json).toMatchObject({ success: true, data: [{ id: 1, constructor: 'ferrari', valueOf: 'x' }] })
    const { json } = await service.api.post('query-table/inherited', { facets: ['constructor'] })
    expect(json.facets['constructor'].options).toEqual([{ value: 'ferrari', label: 'Ferrari', count: 1 }])
  })

  it('are optional fields of a form like others', async () => {
    const { json } = await service.api.post('row-table-action/inherited/echo/1', { valueOf: 'x' })
    expect(json).toMatchObject({ success: true, data: { given: { valueOf: 'x' } } })
  })

  it('are optional params of a table like others', async () => {
    const count = async (params?: object) => (await service.api.post('query-table/inherited', { params })).status
    expect(await Promise.all([count(), count({ constructor: 'x' }), count({ constructor: 1 })])).toEqual([
      200, 200, 422,
    ])
  })
})

it('goes on by cursor over values of many thousand characters', async () => {
  const ids: number[] = []
  let cursor: string | undefined
  do {
    const body = {
      perPage: 200,
      sorts: [
        { field: 'counted__title', direction: 'asc' },
        { field: 'title', direction: 'desc' },
      ],
      ...(cursor !== undefined && { cursor }),
    }
    const { status, text: response, json } = await service.api.post('query-table/pages', body)
    expect(status, response.slice(0, 300)).toBe(200)
    ids.push(...json.items.map((item: { id: number }) => item.id))
    cursor = json.pagination.next_cursor ?? undefined
  } while (cursor !== undefined)
  expect(ids).toHaveLength(rowCount)
  expect(new Set(ids).size).toBe(rowCount)
})
