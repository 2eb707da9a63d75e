import { describe, expect, it } from 'vitest'
import { startExplorer, supervisor } from '../support/browser/explorer-page.ts'
import { pageViolations } from '../support/browser/page-violations.ts'

const { stack, open } = await startExplorer()

interface Group {
  readonly keys: readonly { readonly text: string }[]
  readonly count: number
  readonly aggregates: Readonly<Record<string, Readonly<Record<string, { readonly text: string }>>>>
}

/** The groups that the service itself tells. */
async function readGroups(body: object): Promise<readonly Group[]> {
  const { json } = await stack.call('query-table/bird_strikes', { as: supervisor, body: { ...body, perPage: 1 } })
  return json.groups
}

const substantial = [{ field: 'damage', operator: 'in', value: ['Substantial'] }]
const phone = { width: 390, height: 800 }

const languages = [
  {
    ln: 'en',
    group: 'Group',
    add: 'Group by a column',
    date: 'Flight date',
    unit: 'Flight date: Joined by',
    year: 'year',
    refresh: 'Refresh',
    back: 'Back to the groups',
    chart: 'Chart',
    table: 'Table',
    viewport: undefined,
  },
  {
    ln: 'ar',
    group: 'التجميع',
    add: 'تجميع حسب عمود',
    date: 'تاريخ الرحلة',
    unit: 'تاريخ الرحلة: مجمَّعة حسب',
    year: 'السنة',
    refresh: 'تحديث',
    back: 'العودة إلى المجموعات',
    chart: 'رسم بياني',
    table: 'جدول',
    viewport: phone,
  },
] as const

describe.each(languages)('groups, in $ln', (words) => {
  const options = words.viewport === undefined ? {} : { viewport: words.viewport }
  const years = `bird_strikes?ln=${words.ln}&f.damage=in:Substantial&by=year:flight_date`

  it('say that they are not live, and are asked for again by a button', async () => {
    const { page } = await open({ view: years, ...options })
    await page.locator('.grouped').waitFor()
    const asked = page.waitForRequest((request) => request.postData()?.includes('"group_by"') === true)
    await page.getByRole('button', { name: words.refresh, exact: true }).click()
    await asked
    await expect.poll(() => page.locator('#rows').getAttribute('aria-busy')).toBe('false')
  })

  it('are chosen by keyboard, stand in the address and have the totals of the table', async () => {
    const view = `bird_strikes?ln=${words.ln}&f.damage=in:Substantial&total=sum:cost_total`
    const { page, waitForRows } = await open({ view, ...options })
    await waitForRows()
    await page.locator('.tools').getByRole('button', { name: words.group }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: words.add }).selectOption(words.date)
    await page.getByRole('combobox', { name: words.unit }).selectOption(words.year)
    await page.keyboard.press('Escape')
    const [first] = await readGroups({
      filters: substantial,
      group_by: [{ field: 'flight_date', bucket: 'year' }],
      aggregates: [{ field: 'cost_total', fn: 'sum' }],
    })
    const row = page.locator('.grouped tbody tr').first()
    await row.getByText(first?.keys[0]?.text ?? '', { exact: true }).waitFor()
    await expect
      .poll(() => row.locator('.number').allTextContents())
      .toEqual([String(first?.count), first?.aggregates['cost_total']?.['sum']?.text])
    await expect.poll(() => page.url()).toContain('by=year%3Aflight_date')
  })

  it('open their rows, which can be acted upon, and lead back', async () => {
    const { page, waitForRows, total, queries, complaints } = await open({ view: years, ...options })
    const [, second] = await readGroups({
      filters: substantial,
      group_by: [{ field: 'flight_date', bucket: 'year' }],
    })
    const opener = page.locator('.grouped tbody tr').nth(1).getByRole('button')
    await opener.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: words.back }).waitFor()
    await waitForRows()
    await expect.poll(total).toBe(second?.count)
    await expect.poll(() => queries.at(-1)).toMatchObject({ filters: substantial, group: expect.any(String) })
    await page.getByRole('button', { name: words.back }).press('Enter')
    await opener.and(page.locator(':focus')).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: words.back }).waitFor()
    await page.reload()
    await page.locator('.selection button').waitFor()
    await expect.poll(total).toBe(second?.count)
    expect(complaints).toEqual([])
  })

  it('are drawn as bars that are described in words, and stay a table for those who want one', async () => {
    const { page, shot, complaints } = await open({ view: years, ...options })
    await page.getByRole('button', { name: words.chart }).click()
    const chart = page.getByRole('list', { name: words.date })
    await chart.waitFor()
    const groups = await readGroups({ filters: substantial, group_by: [{ field: 'flight_date', bucket: 'year' }] })
    await expect.poll(() => chart.getByRole('button').count()).toBe(groups.length)
    const most = groups.reduce((one, other) => (other.count > one.count ? other : one))
    await page.getByText(`${most.keys[0]?.text} (${most.count})`).waitFor()
    await shot(`chart-${words.ln}`)
    expect(await pageViolations(page)).toEqual([])
    await chart.getByRole('button').first().click()
    await page.getByRole('button', { name: words.back }).click()
    await page.getByRole('button', { name: words.table }).click()
    await page.locator('.grouped').waitFor()
    await shot(`groups-${words.ln}`)
    expect(await pageViolations(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('are bars that are read and opened by keyboard', async () => {
    const { page, total } = await open({ view: `${years}&chart=`, ...options })
    const [first, second] = await readGroups({
      filters: substantial,
      group_by: [{ field: 'flight_date', bucket: 'year' }],
    })
    const read = (group: Group | undefined) => `${group?.keys[0]?.text}: ${group?.count}`
    await page.getByRole('button', { name: read(first), exact: true }).focus()
    await page.keyboard.press('Tab')
    await page.getByText(read(second), { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: words.back }).waitFor()
    await expect.poll(total).toBe(second?.count)
    await page.getByRole('button', { name: words.back }).press('Enter')
    const opener = page.getByRole('button', { name: read(second), exact: true })
    await opener.and(page.locator(':focus')).waitFor()
  })
})

describe('groups', () => {
  it('are paged where three columns make many of them', async () => {
    const view = 'bird_strikes?ln=en&by=month:flight_date&by=:damage&by=1000:cost_total'
    const { page } = await open({ view })
    await page.getByText('200 groups on this page').waitFor()
    const first = await page.locator('.grouped tbody th').first().textContent()
    await page.getByRole('navigation', { name: 'Groups' }).getByRole('button', { name: 'Next page' }).click()
    await expect.poll(() => page.locator('.grouped tbody th').first().textContent()).not.toBe(first)
    await page.getByRole('navigation', { name: 'Groups' }).getByRole('button', { name: 'Previous page' }).click()
    await expect.poll(() => page.locator('.grouped tbody th').first().textContent()).toBe(first)
  })

  it('are shown at the same page again when the rows of one are left', async () => {
    const { page } = await open({
      view: 'bird_strikes?ln=en&by=month:flight_date&by=:damage&by=1000:cost_total',
    })
    const head = page.locator('.grouped tbody th').first()
    const first = await head.textContent()
    await page.getByRole('navigation', { name: 'Groups' }).getByRole('button', { name: 'Next page' }).click()
    await expect.poll(() => head.textContent()).not.toBe(first)
    const second = await head.textContent()
    await head.getByRole('button').click()
    await page.getByRole('button', { name: 'Back to the groups' }).click()
    await expect.poll(() => head.textContent()).toBe(second)
  })

  it('keep their own heads while others are loaded, and neither open nor lead on', async () => {
    const { page, queries } = await open({
      view: 'bird_strikes?ln=en&by=month:flight_date&by=:damage&by=1000:cost_total',
    })
    await page.getByText('200 groups on this page').waitFor()
    const answered = Promise.withResolvers<void>()
    await page.route('**/query-table/**', async (route) => {
      await answered.promise
      await route.continue()
    })
    const count = queries.length
    await page.evaluate(`location.hash = 'bird_strikes?ln=en&by=month:flight_date&by=:damage'`)
    await expect.poll(() => queries.length).toBeGreaterThan(count)
    await page.locator('.grouped tbody.fading').waitFor()
    const heads = page.locator('.grouped thead th')
    expect(await heads.count()).toBe(4)
    expect(await page.locator('.grouped tbody tr').first().locator('th, td').count()).toBe(4)
    const next = page.getByRole('navigation', { name: 'Groups' }).getByRole('button', { name: 'Next page' })
    expect(await next.getAttribute('aria-disabled')).toBe('true')
    await page.locator('.grouped tbody tr').first().click()
    answered.resolve()
    await expect.poll(() => heads.count()).toBe(3)
    expect(page.url()).not.toContain('group=')
    expect(queries.some(({ groups_page: page }) => Object.hasOwn(page ?? {}, 'after'))).toBe(false)
  })

  it('are lines one below the other where an axis would be too wide', async () => {
    const { page } = await open({ as: null, view: 'bird_strikes?ln=en&by=1:cost_total&chart=' })
    await page.route('**/query-table/**', async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      const [group] = json.groups ?? []
      const values = [0, 1, 1_000_000]
      if (group) json.groups = values.map((value) => ({ ...group, keys: [{ value, text: String(value) }] }))
      await route.fulfill({ response, json })
    })
    await page.getByRole('button', { name: 'Bob, supervisor of all states' }).click()
    await expect.poll(() => page.locator('.bar').count()).toBe(3)
    expect((await page.locator('.lines').boundingBox())?.width).toBeLessThan(1_360)
  })

  it('are ranges of a width where the column is a number, and refuse a width below 0', async () => {
    const { page, waitForRows, button, queries } = await open({ view: 'bird_strikes?ln=en&by=:speed_knots' })
    await page.locator('.grouped').waitFor()
    await page.locator('.tools').getByRole('button', { name: 'Group' }).click()
    const width = page.getByRole('textbox', { name: 'Speed (knots): Width of ranges' })
    await width.fill('-5')
    await width.press('Enter')
    await page.getByText('Write a number above 0, such as 100.').waitFor()
    await width.fill('٥٠')
    await width.press('Enter')
    await expect
      .poll(() => queries.at(-1))
      .toMatchObject({ group_by: [{ field: 'speed_knots', bucket: { width: 50 } }] })
    await expect.poll(() => width.inputValue()).toBe('50')
    expect(await width.and(page.locator(':focus')).count()).toBe(1)
    await page.locator('.popup').getByRole('button', { name: 'Remove Speed (knots)' }).click()
    await waitForRows()
    await page.keyboard.press('Escape')
    await button('Sort').waitFor()
  })

  it('are closed by another filter, because they consist of the rows of the one before', async () => {
    const { page, filter, total } = await open({ view: 'bird_strikes?ln=en&by=:damage' })
    await page.locator('.grouped tbody button').first().click()
    await page.getByRole('button', { name: 'Back to the groups' }).waitFor()
    await total()
    const popup = await filter('Status')
    await popup.getByRole('radio').first().click()
    await page.locator('.grouped').waitFor()
    await expect.poll(() => page.url()).not.toContain('group=')
  })

  it('say why the service refuses them, and can be given up', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?ln=en&by=:nope' })
    await page.locator('.table-frame').getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Ungroup' }).click()
    await waitForRows()
    await expect.poll(() => page.url()).not.toContain('by=')
  })

  it('are loaded with a part that a first look at a table does not need', async () => {
    const { page, waitForRows, requests } = await open({ script: 'globalThis.requestIdleCallback = () => 0' })
    const scripts = () => requests.filter((path) => path.endsWith('.js')).length
    await waitForRows()
    const before = scripts()
    await page.goto(page.url().replace(/#.*/, '#bird_strikes?by=:damage&chart='))
    await page.locator('.bar').first().waitFor()
    expect(scripts()).toBeGreaterThan(before)
  })
})
