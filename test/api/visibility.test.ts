import { describe, expect, it } from 'vitest'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { manager } from '../support/fixtures/identities.ts'
import { listIds } from '../support/fixtures/list-ids.ts'
import type { ApiResponse } from '../support/requests/api.ts'

const api = await startFixtureApi()

const load = async (options = {}) => (await api.get('load-table/deals/true', options)).json
const query = (body: object, options = {}) => api.post('query-table/deals', body, options)

const names = (json: ApiResponse['json']) => ({
  columns: json.columns.map((column: { data_src: string }) => column.data_src),
  filters: [
    ...new Set([...json.filters, ...json.advancedFilters].map((filter: { filter_name: string }) => filter.filter_name)),
  ],
  sortables: json.sortables,
  rowActions: Object.keys(json.rowActions),
  bulkActions: json.bulkActions.map((action: { action_key: string }) => action.action_key),
  defaultSort: [json.defSortCol, json.defSortDir],
  bindings: Object.keys(json.bindings),
})

describe('what an identity may not know of is not sent', () => {
  it('a manager is shown the whole table', async () => {
    expect(names(await load({ as: manager }))).toEqual({
      columns: ['id', 'name', 'price', 'weight', 'stock', 'margin', 'made_on'],
      filters: ['name', 'price', 'made_on_from', 'made_on_to', 'reserve'],
      sortables: ['id', 'name', 'price', 'stock'],
      rowActions: ['show_details', 'approve', 'read'],
      bulkActions: ['export_excel', 'settle', 'list'],
      defaultSort: ['price', 'desc'],
      bindings: ['open', 'price', 'reserve', 'weight', 'made_on'],
    })
  })

  it('anybody else is shown the rest, with nothing that points to it', async () => {
    expect(names(await load())).toEqual({
      columns: ['id', 'name', 'stock'],
      filters: ['name'],
      sortables: ['id', 'name', 'stock'],
      rowActions: ['show_details', 'read'],
      bulkActions: ['export_excel', 'list'],
      defaultSort: ['id', 'asc'],
      bindings: ['open'],
    })
  })

  it('the whole response names no hidden thing', async () => {
    const responses = await Promise.all([
      api.get('load-table/deals/true'),
      query({ perPage: 1 }),
      api.post('row-refetch/deals/1'),
      api.post('multi-row-refetch/deals', { row_ids: [1] }),
    ])
    for (const { status, text } of responses) {
      expect(status, text).toBe(200)
      expect(text).not.toMatch(/price|weight|margin|made_on|reserve|approve|settle|secret|next_cursor":"[^"]*12\.5/i)
    }
  })

  it('loadIf is true on everything that is sent', async () => {
    const { columns, filters, advancedFilters } = await load({ as: manager })
    for (const entry of [...columns, ...filters, ...advancedFilters]) expect(entry.loadIf).toBe(true)
  })
})

describe('rows', () => {
  it('have a key for each visible column and no other', async () => {
    const [row] = (await query({ filters: [{ field: 'name', value: 'Hammer' }] })).json.items
    expect(Object.keys(row).toSorted()).toEqual(['actions', 'id', 'name', 'row', 'stock'])
    expect(Object.keys(row.actions)).toEqual(['show_details', 'read'])
  })

  it('are the same for both callers, each in the default order that the caller may know', async () => {
    const [plain, managers] = await Promise.all([query({ perPage: 100 }), query({ perPage: 100 }, { as: manager })])
    const ids = listIds(plain) as number[]
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    expect(listIds(managers)).not.toEqual(ids)
    expect((listIds(managers) as number[]).toSorted((a, b) => a - b)).toEqual(ids)
  })

  it('have the cells of a virtual column made only for callers who may see it', async () => {
    const { json } = await api.post('row-refetch/deals/1', {}, { as: manager })
    expect(json.data.row.margin).toBe('margin of 12.5000')
  })
})

describe('requests cannot distinguish a hidden thing from one that does not exist', () => {
  const withoutNames = (response: ApiResponse, name: string) =>
    response.text.replaceAll(name, '?').replace(/"request_id":"[^"]+"/, '')

  it.each(['price', 'made_on_from', 'made_on_to', 'reserve'])(
    'the filter %s is unknown, regardless of its operator and value',
    async (field) => {
      for (const filter of [
        { value: 5 },
        { operator: 'foreign', value: 5 },
        { value: 'unreadable' },
        { value: { from: 'x' } },
        {},
      ]) {
        const hidden = await query({ filters: [{ field, ...filter }] })
        const absent = await query({ filters: [{ field: 'absent_name', ...filter }] })
        expect(hidden.status).toBe(200)
        expect(hidden.json.warnings).toEqual([{ code: 'unknown_filter', field }])
        expect(withoutNames(hidden, field)).toBe(withoutNames(absent, 'absent_name'))
      }
    },
  )

  it.each(['price', 'margin', 'weight'])('the sort %s is unknown, regardless of its direction', async (field) => {
    for (const direction of ['asc', 'desc', 'sideways', 5]) {
      const hidden = await query({ sorts: [{ field, direction }] })
      const absent = await query({ sorts: [{ field: 'absent_name', direction }] })
      expect(hidden.json.warnings).toEqual([{ code: 'unknown_sort', field }])
      expect(withoutNames(hidden, field)).toBe(withoutNames(absent, 'absent_name'))
    }
  })

  it('a manager’s filter and sort do work', async () => {
    const body = {
      filters: [{ field: 'reserve', operator: '>=', value: 100 }],
      sorts: [{ field: 'price', direction: 'asc' }],
    }
    const response = await query(body, { as: manager })
    expect(listIds(response)).toEqual([13, 3, 4])
    expect(response.json).not.toHaveProperty('warnings')
  })

  it('a manager’s cursor holds hidden values and opens nothing for anybody else', async () => {
    const { next_cursor } = (await query({ perPage: 2 }, { as: manager })).json.pagination
    expect((await query({ perPage: 2, cursor: next_cursor })).status).toBe(422)
    const sameSubject = { sub: manager.sub, tenant: 'north' }
    expect((await query({ perPage: 2, cursor: next_cursor }, { as: sameSubject })).status).toBe(422)
  })
})
