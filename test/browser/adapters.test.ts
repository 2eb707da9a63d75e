import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { run, startAdapterPages } from './adapter-pages.ts'

const pages = await startAdapterPages()

/** The requests of a page and the rows that it shows. */
async function openPage(name: string) {
  const bodies: Record<string, unknown>[] = []
  const page = await pages.openPage(name, (opened) =>
    opened.on('request', (request) => {
      if (request.method() === 'POST') bodies.push(request.postDataJSON() ?? {})
    }),
  )
  const listRequests = (part: object) => expect.poll(() => bodies.at(-1)).toMatchObject(part)
  const says = (text: RegExp) => expect.poll(() => page.locator('#error').textContent()).toMatch(text)
  return { page, bodies, asked: listRequests, says }
}

const shows = (page: Page, selector: string, text: string | RegExp) =>
  expect.poll(() => page.locator(selector).first().textContent()).toMatch(text)

describe('the client in a page of another origin', () => {
  it('runs an action, hears of its end over a socket, and goes to a link that saves a file', async () => {
    const { page } = await openPage('client')
    await expect.poll(() => run(page, 'states.at(-1)')).toBe('open')
    const script = `(async () => {
      const structure = await client.loadTable('bird_strikes')
      const ids = (await client.queryTable('bird_strikes', { perPage: 3 })).items.map(({ id }) => id)
      const { job } = await client.bulkAction(structure, 'recompute_risk', { selected_ids: ids, expected_count: 3 })
      const { status } = await client.job(job.id).done()
      const { data } = await client.bulkAction(structure, 'export_excel', { selected_ids: ids })
      location.assign(data.url)
      return status
    })()`
    const saved = page.waitForEvent('download')
    expect(await run(page, script)).toBe('succeeded')
    expect((await saved).suggestedFilename()).toMatch(/^bird_strikes-.*\.xlsx$/)
    await expect.poll(() => run(page, 'messages.map(({ event }) => event).at(-1)')).toBe('bulk_action.completed')
  })
})

describe('AG Grid over the server-side row model', () => {
  it('loads blocks as the user scrolls, sorts by a click and filters by typed text', async () => {
    const { page, asked: listRequests } = await openPage('ag-grid')
    await listRequests({ page: 1, perPage: 100, filters: [], sorts: [] })
    await shows(page, '.ag-row [col-id="origin"]', /^[A-Z]{3}$/)
    await expect.poll(() => run(page, 'grid.getDisplayedRowCount()')).toBe(200_000)
    await run(page, 'grid.ensureIndexVisible(550, "top")')
    await listRequests({ page: 6, perPage: 100 })
    await page.locator('.ag-header-cell[col-id="delay"] .ag-header-cell-label').click()
    await listRequests({ sorts: [{ field: 'delay', direction: 'asc' }] })
    await page.locator('.ag-floating-filter input').first().fill('abil')
    await listRequests({ filters: [{ field: 'origin__city', operator: 'like', value: 'abil' }] })
    await shows(page, '.ag-row [col-id="origin__city"]', 'Abilene')
  })

  it('filters numbers, days and several conditions, and shows what the server refuses', async () => {
    const { page, asked: listRequests, says } = await openPage('ag-grid')
    await shows(page, '.ag-row [col-id="origin"]', /^[A-Z]{3}$/)
    const range = '{ filterType: "number", type: "inRange", filter: 100, filterTo: 200 }'
    const days = '{ filterType: "date", type: "equals", dateFrom: "2001-01-02 00:00:00", dateTo: null }'
    await run(page, `grid.setFilterModel({ distance: ${range}, date: ${days} })`)
    await listRequests({
      filters: [
        { field: 'distance', operator: 'between', value: [100, 200] },
        { field: 'date_from', operator: '>=', value: '2001-01-02' },
        { field: 'date_to', operator: '<=', value: '2001-01-02' },
      ],
    })
    await shows(page, '.ag-row [col-id="date"]', '2001-01-02')
    await run(page, 'grid.setFilterModel({ origin__city: { filterType: "text", type: "startsWith", filter: "A" } })')
    await says(/^validation_failed: filters.origin__city/)
    await run(page, 'grid.setFilterModel({ origin: { filterType: "text", type: "contains", filter: "A" } })')
    await says(/^validation_failed: filters\.origin\b/)
  })

  it('groups rows, opens a group, and refuses an order of groups that the server has no equivalent of', async () => {
    const { page, asked: listRequests, says } = await openPage('ag-grid')
    await shows(page, '.ag-row [col-id="origin"]', /^[A-Z]{3}$/)
    const group = '{ colId: "origin__state", rowGroup: true, hide: true }'
    const total = '{ colId: "distance", aggFunc: "avg" }'
    await run(page, `grid.applyColumnState({ state: [${group}, ${total}] })`)
    const aggregates = [{ field: 'distance', fn: 'avg' }]
    await listRequests({ group_by: [{ field: 'origin__state' }], groups_page: { limit: 100 }, aggregates })
    await shows(page, '.ag-row-group [col-id="ag-Grid-AutoColumn"]', /^\s*[A-Z]{2}/)
    await page.locator('.ag-row-group .ag-group-contracted').first().click()
    await listRequests({ page: 1, perPage: 100, group: expect.any(String) })
    await shows(page, '.ag-row-level-1 [col-id="origin"]', /^[A-Z]{3}$/)
    await run(page, 'grid.applyColumnState({ state: [{ colId: "origin__state", sort: "desc" }] })')
    await says(/^unsupported: .*descending/)
  })

  it('shows groups as people read them', async () => {
    const { page } = await openPage('ag-grid')
    await shows(page, '.ag-row [col-id="origin"]', /^[A-Z]{3}$/)
    await run(page, 'grid.applyColumnState({ state: [{ colId: "date", rowGroup: true, hide: true }] })')
    await shows(page, '.ag-row-group [col-id="ag-Grid-AutoColumn"]', /^\s*2001(?!-)/)
  })

  it('selects the rows of its filters for an action, and refuses a group that the user has excluded', async () => {
    const { page } = await openPage('ag-grid')
    await shows(page, '.ag-row [col-id="origin"]', /^[A-Z]{3}$/)
    await run(page, 'grid.setFilterModel({ delay: { filterType: "number", type: "greaterThan", filter: 60 } })')
    await run(page, 'grid.setServerSideSelectionState({ selectAll: true, toggledNodes: ["7"] })')
    expect(await run(page, 'readSelection()')).toEqual({
      select_all: true,
      excluded_ids: ['7'],
      filters: [{ field: 'delay', operator: '>', value: 60 }],
    })
    await run(page, 'grid.setServerSideSelectionState({ selectAll: false, toggledNodes: [] })')
    await run(page, 'grid.setFilterModel(null)')
    await run(page, 'grid.applyColumnState({ state: [{ colId: "origin__state", rowGroup: true, hide: true }] })')
    await shows(page, '.ag-row-group [col-id="ag-Grid-AutoColumn"]', /^\s*[A-Z]{2}/)
    await run(page, 'grid.setServerSideSelectionState({ selectAll: true, toggledNodes: [] })')
    await run(page, 'grid.getDisplayedRowAtIndex(0).setSelected(false)')
    await expect(run(page, 'readSelection()')).rejects.toThrow(/selection of groups/)
  })

  it('filters by the advanced filter, offers the values of a facet, and searches', async () => {
    const { page, asked: listRequests } = await openPage('ag-grid')
    await shows(page, '.ag-row [col-id="origin"]', /^[A-Z]{3}$/)
    const values = '[...grid.getColumnFilterHandler("origin__state").getFilterKeys()].sort().slice(0, 2)'
    await expect.poll(() => run(page, values)).toEqual(['AK', 'AL'])
    await run(page, 'searchRows("abilene")')
    await listRequests({ search: 'abilene' })
    await shows(page, '#grid', 'Abilene')
    await run(page, 'searchRows("")')
    await expect.poll(() => page.locator('#grid').textContent()).not.toContain('Abilene')
    await run(page, 'grid.setGridOption("enableAdvancedFilter", true)')
    const city = '{ filterType: "text", colId: "origin__city", type: "contains", filter: "abil" }'
    const far = '{ filterType: "number", colId: "distance", type: "greaterThanOrEqual", filter: 2000 }'
    await run(page, `grid.setAdvancedFilterModel({ filterType: "join", type: "OR", conditions: [${city}, ${far}] })`)
    await listRequests({
      filter_groups: {
        any: [
          { field: 'origin__city', operator: 'like', value: 'abil' },
          { field: 'distance', operator: '>=', value: 2000 },
        ],
      },
    })
    await shows(page, '.ag-row [col-id="distance"]', /^[2-9]\d{3}$/)
  })
})

describe("MUI X's data grid", () => {
  it('pages, sorts by a click and filters', async () => {
    const { page, asked: listRequests } = await openPage('mui-data-grid')
    await shows(page, '[role="row"] [data-field="origin"][role="gridcell"]', /^[A-Z]{3}$/)
    await page.getByRole('button', { name: 'next page' }).click()
    await listRequests({ page: 2, perPage: 10 })
    await page.getByRole('columnheader', { name: 'delay' }).click()
    await listRequests({ sorts: [{ field: 'delay', direction: 'asc' }] })
    await run(page, 'grid.setFilterModel({ items: [{ field: "origin__city", operator: "contains", value: "abil" }] })')
    await listRequests({ page: 1, filters: [{ field: 'origin__city', operator: 'like', value: 'abil' }] })
    await shows(page, '[data-field="origin__city"][role="gridcell"]', 'Abilene')
  })

  it('filters days, and refuses what the server has no equivalent of', async () => {
    const { page, asked: listRequests, says } = await openPage('mui-data-grid')
    await shows(page, '[role="row"] [data-field="origin"][role="gridcell"]', /^[A-Z]{3}$/)
    await run(page, 'grid.setFilterModel({ items: [{ field: "date", operator: "is", value: "2001-01-02" }] })')
    await listRequests({ filters: [{ field: 'date_from' }, { field: 'date_to', operator: '<=', value: '2001-01-02' }] })
    await run(page, 'grid.setFilterModel({ items: [{ field: "origin__city", operator: "startsWith", value: "A" }] })')
    await says(/^validation_failed: filters.origin__city/)
    await run(
      page,
      'grid.setFilterModel({ items: [], quickFilterValues: ["abilene", "dallas"], quickFilterLogicOperator: "or" })',
    )
    await says(/^unsupported: .*joined by "or"/)
    await run(page, 'grid.setFilterModel({ items: [], quickFilterValues: ["abilene"] })')
    await listRequests({ search: 'abilene' })
    await shows(page, '[data-field="origin__city"][role="gridcell"]', 'Abilene')
    await run(page, 'grid.setFilterModel({ items: [{ field: "id", operator: "equals", value: "1" }] })')
    await says(/^unsupported: .*filtering by "id"/)
  })
})

describe('TanStack Table', () => {
  it('pages, sorts and filters with the state of the table', async () => {
    const { page, asked: listRequests } = await openPage('tanstack-table')
    await shows(page, 'li', /origin=[A-Z]{3}/)
    await expect.poll(() => page.locator('ol').getAttribute('aria-label')).toBe('40000 pages')
    await run(page, 'grid.nextPage()')
    await listRequests({ page: 2, perPage: 5 })
    await run(page, 'grid.getColumn("delay").toggleSorting(true)')
    await listRequests({ sorts: [{ field: 'delay', direction: 'desc' }] })
    await run(
      page,
      'grid.setColumnFilters([{ id: "origin", value: "ABI" }, { id: "date", value: { to: "2001-01-31" } }])',
    )
    await listRequests({
      filters: [
        { field: 'origin', value: 'ABI' },
        { field: 'date_from', value: { to: '2001-01-31' } },
      ],
    })
    await shows(page, 'li', 'origin=ABI')
    await run(page, 'grid.resetColumnFilters(true)')
    await run(page, 'grid.setGlobalFilter("abilene")')
    await listRequests({ search: 'abilene', facets: ['origin__state', 'delay'] })
    await shows(page, 'li', 'origin__city=Abilene')
    const states = 'Object.fromEntries(grid.getColumn("origin__state").getFacetedUniqueValues())'
    await expect.poll(() => run(page, `Object.keys(${states}).join()`)).toBe('TX')
    await expect
      .poll(() => run(page, 'grid.getColumn("delay").getFacetedMinMaxValues()'))
      .toEqual([expect.any(Number), expect.any(Number)])
  })

  it('refuses to filter by a column that the server has no filter for', async () => {
    const { page, says } = await openPage('tanstack-table')
    await shows(page, 'li', /origin=/)
    await run(page, 'grid.setColumnFilters([{ id: "id", value: 1 }])')
    await says(/^unsupported: .*filtering by "id"/)
  })
})

describe('DataTables with server-side processing', () => {
  it('pages, sorts and searches in a column', async () => {
    const { page, asked: listRequests } = await openPage('data-tables')
    await shows(page, 'tbody tr td:nth-child(2)', /^[A-Z]{3}$/)
    await listRequests({ page: 1, perPage: 10, sorts: [{ field: 'date', direction: 'asc' }] })
    await page.locator('.dt-paging-button.next').click()
    await listRequests({ page: 2 })
    await page.locator('th', { hasText: 'delay' }).click()
    await listRequests({ sorts: [{ field: 'delay', direction: 'asc' }] })
    await run(page, 'grid.column(1).search("ABI").draw()')
    await listRequests({ filters: [{ field: 'origin', value: 'ABI' }] })
    await shows(page, 'tbody tr td:nth-child(2)', 'ABI')
  })

  it('searches in all columns, and refuses regular expressions', async () => {
    const { page, asked: listRequests, says } = await openPage('data-tables')
    await shows(page, 'tbody tr td:nth-child(2)', /^[A-Z]{3}$/)
    await page.locator('input[type="search"]').fill('Abilene')
    await listRequests({ search: 'Abilene' })
    await shows(page, 'tbody', 'Abilene')
    await run(page, 'grid.search("").column(1).search("A.", true).draw()')
    await says(/^unsupported: .*regular expression/)
  })
})

describe('refine', () => {
  it('pages, sorts, filters, and changes a row by an action', async () => {
    const { page, asked: listRequests, bodies } = await openPage('refine')
    await shows(page, 'li', /cost=/)
    await run(page, 'grid.setFilters([{ field: "cost_total", operator: "lte", value: 5000 }])')
    await listRequests({ page: 1, perPage: 5, filters: [{ field: 'cost_total', operator: '<=', value: 5000 }] })
    await shows(page, 'li', /cost=\d{1,4} /)
    const either =
      '[{ field: "cost_total", operator: "gte", value: 900000 }, { field: "species", operator: "contains", value: "gull" }]'
    await run(page, `grid.setFilters([{ operator: "or", value: ${either} }], "replace")`)
    await listRequests({
      filter_groups: {
        any: [
          { field: 'cost_total', operator: '>=', value: 900_000 },
          { field: 'species', operator: 'like', value: 'gull' },
        ],
      },
    })
    await run(page, 'grid.setFilters([{ field: "cost_total", operator: "lte", value: 5000 }], "replace")')
    await shows(page, 'li', /cost=\d{1,4} /)
    const id = Number(/id=(\d+)/.exec((await page.locator('li').first().textContent()) ?? '')?.[1])
    await run(page, `change({ id: ${id}, values: { assignee: "rita" } })`)
    await shows(page, `li:has-text("id=${id} ")`, 'assignee=rita')
    await run(page, 'grid.setCurrentPage(2)')
    await listRequests({ page: 2, sorts: [{ field: 'cost_total', direction: 'desc' }] })
    expect(bodies).toContainEqual({ assignee: 'rita' })
  })

  it('refuses an action without its form, and an operator that the server has no equivalent of', async () => {
    const { page, says } = await openPage('refine')
    await shows(page, 'li', /cost=/)
    await run(page, 'change({ id: grid.result.data[0].id, values: {} })')
    await says(/^validation_failed: assignee/)
    await run(page, 'grid.setFilters([{ field: "species", operator: "containss", value: "G" }])')
    await says(/^unsupported: .*"containss" of "species"/)
  })
})

describe('react-admin', () => {
  it('pages, sorts, filters, and changes rows by actions', async () => {
    const { page, asked: listRequests } = await openPage('react-admin')
    await shows(page, 'li', /cost=/)
    await run(page, 'grid.setPage(2)')
    await listRequests({ page: 2, perPage: 5, sorts: [{ field: 'cost_total', direction: 'desc' }] })
    await run(page, 'grid.setFilters({ cost_total_lte: 4000, flight_date_from: "1990-01-01" })')
    await listRequests({
      filters: [
        { field: 'cost_total', operator: '<=', value: 4000 },
        { field: 'flight_date_from', value: '1990-01-01' },
      ],
    })
    await shows(page, 'li', /cost=[123]\d{3} /)
    const meta = 'meta: { action: "assign" }'
    await run(
      page,
      `update("bird_strikes", { id: grid.data[0].id, data: { assignee: "ray" }, previousData: {}, ${meta} })`,
    )
    await shows(page, 'li', 'assignee=ray')
    await run(
      page,
      `updateMany("bird_strikes", { ids: grid.data.map(({ id }) => id), data: { assignee: "una" }, ${meta} })`,
    )
    await shows(page, 'li:last-child', 'assignee=una')
    await run(page, 'grid.setFilters({ q: "gull", cost_total_lte: 4000 })')
    await listRequests({ search: 'gull', filters: [{ field: 'cost_total', operator: '<=', value: 4000 }] })
  })

  it('refuses to sort by what the server does not sort by', async () => {
    const { page, says } = await openPage('react-admin')
    await shows(page, 'li', /cost=/)
    await run(page, 'grid.setSort({ field: "note", order: "ASC" })')
    await says(/^unsupported: .*sorting by "note"/)
  })
})
