import { describe, expect, it } from 'vitest'
import { messagesStay, startExplorer, supervisor } from '../support/browser/explorer-page.ts'

const { stack, open } = await startExplorer({ script: messagesStay })

/** The total that the service itself tells. */
async function readTotal(table: string, filters: readonly object[]): Promise<number> {
  const { json } = await stack.call(`query-table/${table}`, { as: supervisor, body: { filters, perPage: 1 } })
  return json.pagination.total
}

describe('filters', () => {
  it('are drawn once each, also those that the structure lists as advanced and among the others', async () => {
    const { json } = await stack.call('load-table/bird_strikes', { as: supervisor })
    const [listed, advanced] = [json.filters, json.advancedFilters].map((list: readonly { label: string }[]) =>
      list.map(({ label }) => label),
    )
    expect(advanced).not.toEqual([])
    expect(listed).toEqual(expect.arrayContaining(advanced ?? []))
    const { page, waitForRows } = await open()
    await waitForRows()
    const chips = await page.locator('.filters .chip:not(.add)').allInnerTexts()
    await page.locator('.filters .chip.add').click()
    await page.locator('.popup .option').first().waitFor()
    const others = await page.locator('.popup .option').allInnerTexts()
    const waitForDrawing = [...chips, ...others].map((text) => text.trim())
    expect(waitForDrawing.toSorted()).toEqual([...new Set(waitForDrawing)].toSorted())
    // The two ends of a date are one filter, called as both are.
    expect(waitForDrawing.length).toBe(new Set([...(listed ?? []), ...(advanced ?? [])]).size)
  })

  it('apply a choice with one click, and remove it with another', async () => {
    const { page, filter, total, cells } = await open()
    await (await filter('Status')).getByRole('radio', { name: 'Open' }).click()
    await expect.poll(total).toBe(await readTotal('bird_strikes', [{ field: 'status', operator: '=', value: 'open' }]))
    expect(new Set(await cells('Status'))).toEqual(new Set(['Open']))
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Remove Status' }).click()
    await expect.poll(total).toBe(await readTotal('bird_strikes', []))
  })

  it('show what an old link asks for by the name that a filter had before', async () => {
    const { page, total, filter } = await open({ as: null, view: 'bird_strikes?f.state=%3D:open&ln=en', isLive: false })
    const formerly = { name: 'state', since: '2026-09-01', sunset: '2027-03-01' }
    await page.route('**/load-table/**', async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      json.filters.find((one: { filter_name: string }) => one.filter_name === 'status').formerly = formerly
      await route.fulfill({ response, json })
    })
    // The service understands both names.
    await page.route('**/query-table/**', (route) =>
      route.continue({ postData: route.request().postData()?.replaceAll('"state"', '"status"') ?? '' }),
    )
    await page.getByRole('button', { name: 'Bob, supervisor of all states' }).click()
    await page.getByRole('button', { name: 'Remove Status' }).waitFor()
    const count = await readTotal('bird_strikes', [{ field: 'status', operator: '=', value: 'open' }])
    await expect.poll(total).toBe(count)
    await (await filter('Status')).getByRole('radio', { name: 'Reviewed' }).click()
    await expect.poll(total).not.toBe(count)
    expect(page.url()).not.toContain('f.state=')
  })

  it('show the days of an old link, and both ends of a range that a link gives as one filter', async () => {
    const { page, filter } = await open({ as: null, view: 'bird_strikes?f.day=%3E%3D:2001-03-01&ln=en', isLive: false })
    await page.route('**/load-table/**', async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      json.filters.find((one: { filter_name: string }) => one.filter_name === 'flight_date_from').formerly = {
        name: 'day',
        since: '2026-09-01',
        sunset: '2027-03-01',
      }
      await route.fulfill({ response, json })
    })
    await page.getByRole('button', { name: 'Bob, supervisor of all states' }).click()
    await page.locator('.chip', { hasText: '2001-03-01 – …' }).waitFor()
    const popup = await filter('Flight date')
    await expect.poll(() => popup.getByLabel('From', { exact: true }).inputValue()).toBe('2001-03-01')
    await page.keyboard.press('Escape')
    const between = 'f.flight_date_from=between:2001-03-02&f.flight_date_from=between:2001-03-31'
    await page.evaluate(`location.hash = 'bird_strikes?ln=en&${between}'`)
    await page.locator('.chip', { hasText: 'between 2001-03-02 – 2001-03-31' }).click()
    await expect.poll(() => popup.getByLabel('From', { exact: true }).inputValue()).toBe('2001-03-02')
    await expect.poll(() => popup.getByLabel('To', { exact: true }).inputValue()).toBe('2001-03-31')
  })

  it('apply yes and no', async () => {
    const { filter, total } = await open()
    await (await filter('Flagged')).getByRole('radio', { name: 'No' }).click()
    await expect.poll(total).toBe(await readTotal('bird_strikes', [{ field: 'flagged', operator: '=', value: false }]))
  })

  it('call yes and no what they are called, however an address spells them', async () => {
    const any = [
      { field: 'flagged', value: false },
      { field: 'assigned', value: 1 },
    ]
    const groups = encodeURIComponent(JSON.stringify({ any }))
    const { page, filter } = await open({
      view: `bird_strikes?ln=en&f.flagged=%3D:true&f.assigned=%3D:false&groups=${groups}`,
    })
    await expect
      .poll(() => page.locator('.chip-value').allTextContents())
      .toEqual(['Yes', 'Nobody', 'Flagged is No or Assigned is Somebody'])
    const popup = await filter('Flagged')
    await expect.poll(() => popup.getByRole('radio', { name: 'Yes' }).isChecked()).toBe(true)
  })

  it('match a text that contains or equals the typed one', async () => {
    const { page, filter, cells } = await open()
    const popup = await filter('State')
    await popup.getByRole('textbox').fill('carolina')
    await page.keyboard.press('Enter')
    await expect
      .poll(async () => [...new Set(await cells('State'))].sort())
      .toEqual(['North Carolina', 'South Carolina'])
    const again = await filter('State')
    await again.getByRole('combobox').selectOption('=')
    await again.getByRole('textbox').fill('North Carolina')
    await again.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(async () => new Set(await cells('State'))).toEqual(new Set(['North Carolina']))
  })

  it('have two ends for a date', async () => {
    const { page, filter, total } = await open()
    const popup = await filter('Flight date')
    await popup.getByLabel('From', { exact: true }).fill('2001-03-01')
    await popup.getByLabel('To', { exact: true }).fill('2001-03-31')
    await page.keyboard.press('Enter')
    const ends = [
      { field: 'flight_date_from', operator: '>=', value: '2001-03-01' },
      { field: 'flight_date_to', operator: '<=', value: '2001-03-31' },
    ]
    await expect.poll(total).toBe(await readTotal('bird_strikes', ends))
  })

  it('are behind a button if they are advanced: a range of numbers, several choices, set or not', async () => {
    const { page, total } = await open()
    const more = async (label: string) => {
      await page.getByRole('button', { name: 'More filters' }).click()
      await page.locator('.popup').getByRole('button', { name: label, exact: true }).click()
      return page.getByRole('dialog', { name: label })
    }
    const cost = await more('Cost (USD)')
    await cost.getByRole('combobox').selectOption('between')
    await cost.getByLabel('At least').fill('1000')
    await cost.getByLabel('At most').fill('50000')
    await page.keyboard.press('Enter')
    const filters: object[] = [{ field: 'cost_total', operator: 'between', value: [1000, 50000] }]
    await expect.poll(total).toBe(await readTotal('bird_strikes', filters))
    const damage = await more('Damage')
    await damage.getByRole('checkbox').nth(0).check()
    await damage.getByRole('checkbox').nth(1).check()
    await page.keyboard.press('Escape')
    const assigned = await more('Assigned')
    await assigned.getByRole('radio', { name: 'Nobody' }).check()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.url()).toMatch(/f\.damage=in.*f\.damage=in.*f\.assigned=/)
    await page.getByRole('button', { name: 'Clear all' }).click()
    await expect.poll(total).toBe(await readTotal('bird_strikes', []))
  })

  it('offer the choices of the filter that they depend on, and drop one that is gone', async () => {
    const { page, filter, cells, waitForRows } = await open({ view: 'flights?ln=en' })
    await waitForRows()
    await page.locator('.chip', { hasText: /^From$/ }).click()
    await page.locator('.popup').getByRole('radio', { name: 'Juneau International' }).waitFor()
    await page.keyboard.press('Escape')
    await (await filter('From state')).getByRole('radio', { name: 'Alaska' }).click()
    await page.keyboard.press('Escape')
    await waitForRows()
    await page.locator('.chip', { hasText: /^From$/ }).click()
    await page.getByRole('radio', { name: 'Juneau International' }).click()
    await page.keyboard.press('Escape')
    await expect.poll(async () => new Set(await cells('From'))).toEqual(new Set(['JNU']))
    await (await filter('From state')).getByRole('radio', { name: 'Hawaii' }).click()
    await page.getByText('From was cleared').waitFor()
    await expect.poll(async () => new Set(await cells('From state'))).toEqual(new Set(['HI']))
  })
})

describe('a filter that asks for empty values', () => {
  it('stays where the table sends the choices of its field', async () => {
    const { page, waitForRows, queries } = await open({ view: 'bird_strikes?ln=en', isLive: false })
    await waitForRows()
    await page.route('**/query-table/**', async (route) => {
      const response = await route.fetch()
      const bindings = { origin_state: [{ value: 'Ohio', label: 'Ohio' }] }
      await route.fulfill({ response, json: { ...(await response.json()), bindings } })
    })
    await page.evaluate(`location.hash = 'bird_strikes?ln=en&f.origin_state=is+null:'`)
    const filters = [{ field: 'origin_state', operator: 'is null' }]
    await expect.poll(() => queries.at(-1)).toMatchObject({ filters })
    await waitForRows()
    expect(page.url()).toContain('f.origin_state=is+null')
    expect(await page.getByText('was cleared').count()).toBe(0)
  })
})

describe('sorts', () => {
  it('follow the names of columns, up, down and not, and with Shift one after the other', async () => {
    const { page, queries, waitForRows } = await open()
    await waitForRows()
    const cost = page.getByRole('columnheader', { name: 'Cost (USD)' })
    for (const [sorted, direction] of [
      ['ascending', 'asc'],
      ['descending', 'desc'],
    ] as const) {
      await cost.getByRole('button').click()
      await expect.poll(() => cost.getAttribute('aria-sort')).toBe(sorted)
      await expect.poll(() => queries.at(-1)).toMatchObject({ sorts: [{ field: 'cost_total', direction }] })
    }
    await page
      .getByRole('columnheader', { name: 'Status' })
      .getByRole('button')
      .click({ modifiers: ['Shift'] })
    await expect.poll(() => queries.at(-1)).toMatchObject({ sorts: [{ field: 'cost_total' }, { field: 'status' }] })
    await page.getByRole('columnheader', { name: 'Status' }).getByRole('button').click()
  })

  it('are read out when they change, as the number of rows stays the same', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?ln=en' })
    await waitForRows()
    const status = page.getByRole('status').filter({ hasText: 'Sort:' })
    await expect.poll(() => status.textContent()).toBe('Sort: Flight date, Descending')
    const cost = page.getByRole('columnheader', { name: 'Cost (USD)' }).getByRole('button')
    for (const sort of ['Cost (USD), Ascending', 'Cost (USD), Descending', 'Flight date, Descending']) {
      await cost.press('Enter')
      await expect.poll(() => status.textContent()).toBe(`Sort: ${sort}`)
    }
  })

  it('can be chosen from a list as well', async () => {
    const { page, queries, waitForRows } = await open()
    await waitForRows()
    await page.getByRole('button', { name: 'Sort', exact: true }).click()
    await page.getByRole('combobox', { name: 'Add a column' }).selectOption('species')
    await page.getByRole('combobox', { name: 'Sort by Species' }).selectOption('desc')
    await page.getByRole('combobox', { name: 'Add a column' }).selectOption('id')
    await expect
      .poll(() => queries.at(-1))
      .toMatchObject({
        sorts: [
          { field: 'species', direction: 'desc' },
          { field: 'id', direction: 'asc' },
        ],
      })
  })
})
