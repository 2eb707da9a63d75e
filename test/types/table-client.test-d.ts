import { describe, expectTypeOf, it } from 'vitest'
import { agGridSelection } from '../../lib/client/adapters/ag-grid-selection.ts'
import {
  type AnyTables,
  all,
  any,
  createTableClient,
  none,
  type OpenApiTables,
  type Selection,
} from '../../lib/client/index.ts'
import type { registry } from '../../tables/index.ts'

const options = { baseUrl: 'https://tables.example.com', token: () => 'token' }

describe('a client that is typed by a registry', () => {
  const client = createTableClient<typeof registry>(options)

  it('knows the tables, and refuses another', async () => {
    type Name = Parameters<typeof client.queryTable>[0]
    expectTypeOf<'airports' | 'bird_strikes' | 'flights'>().toExtend<Name>()
    expectTypeOf<string>().not.toExtend<Name>()
    // @ts-expect-error: no table is called trains
    await client.loadTable('trains')
  })

  it("knows each table's columns, filters and sorts", async () => {
    const { items } = await client.queryTable('bird_strikes', {
      filters: [
        { field: 'cost_total', operator: '>=', value: 1 },
        { field: 'flight_date_from', value: '2001-01-01' },
      ],
      sorts: [{ field: 'cost_total', direction: 'desc' }],
    })
    expectTypeOf(items[0]?.species).not.toBeAny()
    expectTypeOf(items).items.toHaveProperty('cost_total')
    expectTypeOf(items).items.not.toHaveProperty('origin__city')
    // @ts-expect-error: nothing filters by note
    await client.queryTable('bird_strikes', { filters: [{ field: 'note', value: 1 }] })
    const { pagination } = await client.queryTable('bird_strikes')
    await client.queryTable('bird_strikes', { cursor: pagination.next_cursor })
    // @ts-expect-error: note is no sortable
    await client.queryTable('bird_strikes', { sorts: [{ field: 'note', direction: 'asc' }] })
  })

  it('takes the selection of a grid', async () => {
    const structure = await client.loadTable('bird_strikes')
    const selection = agGridSelection({} as Parameters<typeof agGridSelection>[0])
    await client.bulkAction(structure, 'recompute_risk', { ...selection, expected_count: 3 })
    // @ts-expect-error: no action is called recompute
    await client.bulkAction(structure, 'recompute', selection)
  })

  it("knows each action's form, default actions included", async () => {
    const item = await client.refetchRow('bird_strikes', 1)
    await client.rowAction(item, 'assign', { assignee: 'dana' })
    await client.rowAction(item, 'show_details')
    // @ts-expect-error: a form without its field
    await client.rowAction(item, 'assign', {})
    // @ts-expect-error: no such action
    await client.rowAction(item, 'explode')
    await client.rowAction(item, 'assign', {
      assignee: 'dana',
      include: ['effects'],
      columns: ['note'],
      search: 'gull',
    })
    // @ts-expect-error: an action on one row has no plan
    await client.rowAction(item, 'assign', { assignee: 'dana', plan: true })
    const structure = await client.loadTable('bird_strikes')
    await client.rowBulkAction(structure, 'assign', [1], { assignee: 'dana' })
    await client.rowBulkAction(structure, 'assign', [1], { assignee: 'dana', plan: true })
    await client.bulkAction(structure, 'export_excel', { round_trip: true })
    // @ts-expect-error: nothing filters by note
    await client.rowAction(item, 'assign', { assignee: 'dana', filters: [{ field: 'note', value: 'a' }] })
    await client.bulkAction(structure, 'export_excel', { filters: [{ field: 'status', value: 'open' }] })
    // @ts-expect-error: of another table
    await client.bulkAction(structure, 'export_csv')
    // @ts-expect-error: the action has no form
    await client.bulkAction(structure, 'export_excel', { assignee: 'dana' })
    const flight = await client.refetchRow('flights', 1)
    // @ts-expect-error: flights have no such action
    await client.rowAction(flight, 'assign', { assignee: 'dana' })
  })
})

describe('the questions of a client that is typed by a registry', () => {
  const client = createTableClient<typeof registry>(options)

  it('name the filters of the table in groups and facets', async () => {
    const { facets } = await client.queryTable('bird_strikes', {
      filter_groups: any({ field: 'status', value: 'open' }, all(none({ field: 'species', operator: 'is null' }))),
      facets: ['damage', 'flight_date_from'],
    })
    expectTypeOf(facets?.damage?.options[0]?.count).toEqualTypeOf<number | undefined>()
    // @ts-expect-error: nothing filters by note
    await client.queryTable('bird_strikes', { filter_groups: any({ field: 'note', value: 'a' }) })
    // @ts-expect-error: nothing filters by note
    await client.queryTable('bird_strikes', { filter_groups: { all: [{ none: [{ field: 'note', value: 'a' }] }] } })
    // @ts-expect-error: nothing filters by note
    await client.queryTable('bird_strikes', { facets: ['note'] })
    // @ts-expect-error: no facet was called note
    expectTypeOf(facets?.note)
  })

  it('name the columns of the table in searches, totals, groups and parts of items', async () => {
    const page = await client.queryTable('bird_strikes', {
      search: { q: 'gull', columns: ['species'] },
      aggregates: [{ field: 'cost_total', fn: 'sum' }],
      group_by: [
        { field: 'flight_date', bucket: 'year' },
        { field: 'cost_total', bucket: { width: 1000 } },
      ],
      columns: ['species', 'NA'],
      include: ['raw', 'version'],
    })
    expectTypeOf(page.aggregates?.cost_total?.sum?.value).toEqualTypeOf<number | string | null | undefined>()
    expectTypeOf(page.groups?.[0]?.aggregates.cost_total?.sum?.text).toEqualTypeOf<string | undefined>()
    expectTypeOf(page.groups?.[0]?.token).toEqualTypeOf<string | null | undefined>()
    expectTypeOf(page.items[0]?._version).toEqualTypeOf<string | undefined>()
    // @ts-expect-error: no column is called colour
    await client.queryTable('bird_strikes', { search: { q: 'gull', columns: ['colour'] } })
    // @ts-expect-error: no column is called colour
    await client.queryTable('bird_strikes', { aggregates: [{ field: 'colour', fn: 'sum' }] })
    // @ts-expect-error: no such total
    await client.queryTable('bird_strikes', { aggregates: [{ field: 'cost_total', fn: 'total' }] })
    // @ts-expect-error: no such unit
    await client.queryTable('bird_strikes', { group_by: [{ field: 'flight_date', bucket: 'decade' }] })
    // @ts-expect-error: no column is called colour
    await client.queryTable('bird_strikes', { columns: ['colour'] })
    // @ts-expect-error: no column is called colour
    expectTypeOf(page.aggregates?.colour)
  })

  it('distinguish what explains a page from what explains a row', async () => {
    const { explain } = await client.queryTable('bird_strikes', { explain: 'auto' })
    if (explain !== undefined && 'row_id' in explain) {
      expectTypeOf(explain.excluded_by).toEqualTypeOf<readonly string[]>()
    } else expectTypeOf(explain?.most).toEqualTypeOf<string | null | undefined>()
    // @ts-expect-error: no such choice
    await client.queryTable('bird_strikes', { explain: 'always' })
  })

  it('are those of the table in saved views and bulk actions as well', async () => {
    const filter_groups = {
      any: [
        { field: 'damage', value: ['None'] },
        { field: 'cost_total', value: 1 },
      ],
    } as const
    const view = await client.saveView('bird_strikes', {
      name: 'Costly',
      query: { filter_groups, search: 'gull', group_by: [{ field: 'damage' }], columns: ['species'] },
    })
    expectTypeOf(view.query?.group_by?.[0]?.field).not.toEqualTypeOf<string | undefined>()
    // @ts-expect-error: nothing filters by note
    await client.saveView('bird_strikes', { name: 'Notes', query: { filters: [{ field: 'note', value: 'a' }] } })
    const structure = await client.loadTable('bird_strikes')
    await client.bulkAction(structure, 'export_excel', {
      filter_groups,
      search: 'gull',
      view: view.id,
      view_revision: 1,
    })
    // @ts-expect-error: nothing filters by note
    await client.bulkAction(structure, 'export_excel', { filter_groups: { any: [{ field: 'note', value: 'a' }] } })
  })

  it('clear the groups and the search of a view by an empty list, which a view cannot hold', async () => {
    const structure = await client.loadTable('bird_strikes')
    const cleared = { view: 'id', view_revision: 1, filter_groups: [], search: [] } as const
    await client.queryTable('bird_strikes', cleared)
    await client.bulkAction(structure, 'export_excel', cleared)
    // @ts-expect-error: a view has groups or none
    await client.saveView('bird_strikes', { name: 'Costly', query: { filter_groups: [] } })
  })

  it('open a group by its token, which an action does not take as null', async () => {
    const token: string | null = null
    await client.queryTable('bird_strikes', { group: token })
    const structure = await client.loadTable('bird_strikes')
    // @ts-expect-error: the action would run on every row
    await client.bulkAction(structure, 'export_excel', { group: token })
  })
})

/** As openapi-typescript writes it. */
interface Components {
  schemas: {
    Failure: { code: string }
    'orders.Item': { id: number; total: string; row?: object }
    'orders.Filter': 'total' | 'placed_on_from'
    'orders.Sort': 'total'
    'orders.Params': { warehouse: string }
    'orders.RowActions': { approve: { note: string } }
    'shops.Item': { id: string }
  }
}

describe('a client that is typed by an OpenAPI document', () => {
  const client = createTableClient<OpenApiTables<Components>>(options)

  it('knows what the document knows', async () => {
    expectTypeOf(client.queryTable).parameter(0).toEqualTypeOf<'orders' | 'shops'>()
    const { items } = await client.queryTable('orders', { params: { warehouse: 'main' } })
    // A query with `columns` returns items with these alone.
    expectTypeOf(items.map(({ total }) => total)).toEqualTypeOf<(string | undefined)[]>()
    expectTypeOf(items.map(({ id }) => id)).toEqualTypeOf<(string | number)[]>()
    // @ts-expect-error: no such filter
    await client.queryTable('orders', { filters: [{ field: 'colour', value: 1 }] })
    const order = await client.refetchRow('orders', 1)
    await client.rowAction(order, 'approve', { note: '' })
    // @ts-expect-error: a note is a text
    await client.rowAction(order, 'approve', { note: 1 })
  })

  it('lets pass what the document does not describe', async () => {
    await client.queryTable('shops', { filters: [{ field: 'anything', value: 1 }] })
    await client.rowAction(await client.refetchRow('shops', 'a'), 'anything')
  })
})

describe('a client that is not typed', () => {
  const client = createTableClient(options)

  it('takes any name', async () => {
    const item = await client.refetchRow('anything', 1)
    expectTypeOf(item['total']).toBeUnknown()
    await client.rowAction(item, 'approve', { note: '', include: ['effects'] })
    await client.queryTable('anything', { filters: [{ field: 'colour', value: 'red' }] })
  })

  it('takes any form of a bulk action beside its selection', async () => {
    const structure = await client.loadTable('anything')
    await client.bulkAction(structure, 'reassign', { filters: [], assignee: 'dana' })
    const selection: Selection<AnyTables[string]> = { select_all: true }
    await client.bulkAction(structure, 'reassign', selection)
    // @ts-expect-error: filters are a list
    await client.bulkAction(structure, 'reassign', { filters: 'open', assignee: 'dana' })
  })
})
