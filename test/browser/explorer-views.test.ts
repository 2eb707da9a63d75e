import { describe, expect, it } from 'vitest'
import { messagesStay, startExplorer, supervisor } from '../support/browser/explorer-page.ts'
import { pageViolations } from '../support/browser/page-violations.ts'
import type { DemoIdentity } from '../support/stack/demo-stack.ts'

const { stack, open } = await startExplorer({ script: messagesStay })

/** Saves a view as another client does. */
async function saveView(as: DemoIdentity, body: object): Promise<{ readonly id: string; readonly revision: number }> {
  const { json } = await stack.call('views/bird_strikes', { as, body })
  return json.view
}

const listViews = async (as: DemoIdentity) => (await stack.call('views/bird_strikes', { as })).json.items

const query = {
  filters: [{ field: 'status', operator: '=', value: 'open' }],
  search: 'gull',
  sorts: [{ field: 'cost_total', direction: 'desc' }],
  columns: ['id', 'cost_total', 'status'],
  aggregates: [{ field: 'cost_total', fn: 'sum' }],
  per_page: 50,
}

const languages = [
  {
    ln: 'en',
    views: 'Views',
    newName: 'Name of the new view',
    saveNew: 'Save as a new view',
    name: 'Name of the view',
    first: 'Open it first',
    save: 'Save',
    update: 'Update with what is shown',
    remove: 'Delete',
    surely: 'Delete it for good',
    plain: 'Without a view',
    viewport: undefined,
  },
  {
    ln: 'ar',
    views: 'طرق العرض',
    newName: 'اسم طريقة العرض الجديدة',
    saveNew: 'حفظ كطريقة عرض جديدة',
    name: 'اسم طريقة العرض',
    first: 'فتحها أولًا',
    save: 'حفظ',
    update: 'تحديثها بما هو معروض',
    remove: 'حذف',
    surely: 'حذفها نهائيًا',
    plain: 'دون طريقة عرض',
    viewport: { width: 390, height: 800 },
  },
] as const

describe.each(languages)('saved views, in $ln', (words) => {
  it('are saved, renamed, updated and deleted by keyboard', async () => {
    const as = { ...supervisor, sub: `keeper-${words.ln}` }
    const { page, waitForRows, queries, shot, complaints } = await open({
      as,
      view: `bird_strikes?ln=${words.ln}&f.status=%3D:open&q=gull&sort=-cost_total&total=sum:cost_total`,
      ...(words.viewport && { viewport: words.viewport }),
    })
    await waitForRows()
    await page.locator('.tools').getByRole('button', { name: words.views }).focus()
    await page.keyboard.press('Enter')
    const popup = page.locator('.popup')
    await popup.getByRole('textbox', { name: words.newName }).fill('Costly')
    await page.keyboard.press('Enter')
    await popup.getByRole('button', { name: 'Costly' }).waitFor()
    await expect.poll(() => page.url()).toContain('view=')
    const { columns: _columns, per_page: _size, ...shown } = query
    await expect.poll(() => listViews(as)).toMatchObject([{ name: 'Costly', query: shown, is_default: false }])
    await popup.getByRole('textbox', { name: words.name, exact: true }).fill('Expensive')
    await popup.getByRole('checkbox', { name: words.first }).check()
    await popup.getByRole('button', { name: words.save, exact: true }).press('Enter')
    await popup.getByRole('button', { name: 'Expensive' }).waitFor()
    await shot(`views-${words.ln}`)
    expect(await pageViolations(page, '.popup')).toEqual([])
    expect(await popup.getByRole('button', { name: words.update }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.locator('.filters .on .clear').first().click()
    await waitForRows()
    await page.locator('.tools').getByRole('button', { name: words.views }).click()
    await popup.getByRole('button', { name: words.update }).click()
    await popup.getByRole('button', { name: words.update }).waitFor({ state: 'hidden' })
    await expect.poll(() => listViews(as)).toMatchObject([{ name: 'Expensive', is_default: true, revision: 2 }])
    await expect.poll(async () => (await listViews(as))[0].query).not.toHaveProperty('filters')
    await popup.getByRole('button', { name: words.plain }).click()
    // The totals are a request of their own, before or after that of the rows.
    const latestSorts = () => queries.findLast(({ sorts }) => sorts !== undefined)?.['sorts']
    await expect.poll(latestSorts).toEqual([])
    await popup.getByRole('button', { name: 'Expensive' }).click()
    await expect.poll(latestSorts).toEqual(query.sorts)
    await popup.getByRole('button', { name: words.remove, exact: true }).click()
    await popup.getByRole('button', { name: words.surely }).click()
    await popup.getByRole('button', { name: 'Expensive' }).waitFor({ state: 'hidden' })
    await expect.poll(() => listViews(as)).toEqual([])
    expect(complaints).toEqual([])
  })
})

/** Lets timers of 400 ms run at the latest: when they are ended. */
const lateTimers = `
const [startTimer, endTimer] = [globalThis.setTimeout, globalThis.clearTimeout]
const late = new Map()
globalThis.setTimeout = (run, ms, ...values) => {
  if (ms !== 400) return startTimer(run, ms, ...values)
  const id = startTimer(() => {}, 0)
  late.set(id, run)
  return id
}
globalThis.clearTimeout = (id) => {
  const run = late.get(id)
  late.delete(id)
  if (run) run()
  endTimer(id)
}`

describe('a saved view', () => {
  it('is opened by an address that has its id alone, with one request for rows', async () => {
    const as = { ...supervisor, sub: 'linker' }
    const { id } = await saveView(as, { name: 'Open ones', query })
    const { page, waitForRows, queries } = await open({ as, view: `bird_strikes?ln=en&view=${id}` })
    await waitForRows()
    const rows = queries.filter((one) => !('aggregates' in one))
    expect(rows).toMatchObject([{ filters: query.filters, search: query.search, sorts: query.sorts, perPage: 50 }])
    await expect.poll(() => page.url()).toContain(`view=${id}%3A1`)
    await expect.poll(() => page.locator('thead th').count()).toBe(query.columns.length + 2)
    await page.locator('tfoot .total').waitFor()
  })

  it('keeps its search where the pause of the search box ends as it is opened', async () => {
    const as = { ...supervisor, sub: 'typist' }
    const { id } = await saveView(as, { name: 'Gulls', query })
    const options = { as, script: lateTimers, isLive: false, view: `bird_strikes?ln=en&view=${id}` }
    const { page, waitForRows, queries } = await open(options)
    await waitForRows()
    await page.locator('tfoot .total').waitFor()
    expect(queries.map(({ search }) => search)).toEqual([query.search, query.search])
    expect(await page.getByRole('searchbox').inputValue()).toBe(query.search)
  })

  it('is reported where it is gone, and the table opens as it begins', async () => {
    const { page, waitForRows, messages } = await open({
      view: 'bird_strikes?ln=en&view=00000000-0000-4000-8000-000000000000',
    })
    await waitForRows()
    await expect.poll(messages).toContain('This view does not exist any more, or is not shared with you.')
    await expect.poll(() => page.url()).not.toContain('view=')
  })

  it('is still the one to open where the list of views cannot be loaded, and opens at another attempt', async () => {
    const as = { ...supervisor, sub: 'patient' }
    const { id } = await saveView(as, { name: 'Waited for', query })
    const { page, waitForRows, messages } = await open({ as, view: 'bird_strikes?ln=en&per=50' })
    await waitForRows()
    const json = { success: false, message: 'It took too long', code: 'timed_out' }
    await page.route('**/views/**', (route) => route.fulfill({ status: 504, json }))
    await page.evaluate(`location.hash = 'bird_strikes?ln=en&view=${id}'`)
    const message = page.locator('.message.danger', { hasText: 'It took too long' })
    await message.waitFor()
    expect(page.url()).toContain(`view=${id}`)
    await page.unroute('**/views/**')
    await message.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => page.url()).toContain(`view=${id}%3A1`)
    await expect.poll(() => message.count()).toBe(0)
    expect(await messages()).not.toContain('This view does not exist any more, or is not shared with you.')
  })

  it('opens first where it is the default, the last one where another was open, and none again where the user left it', async () => {
    const as = { ...supervisor, sub: 'beginner' }
    const { id } = await saveView(as, { name: 'First', query, is_default: true })
    const other = await saveView(as, { name: 'Other', query: { sorts: [{ field: 'species', direction: 'asc' }] } })
    const { page, queries, waitForRows } = await open({ as, view: 'bird_strikes' })
    await expect.poll(() => page.url()).toContain(`view=${id}`)
    await page.locator('.tools').getByRole('button', { name: 'Views' }).click()
    await page.locator('.popup').getByRole('button', { name: 'Other' }).click()
    await expect.poll(() => page.url()).toContain(`view=${other.id}`)
    await page.goto('about:blank')
    await page.goto(`${stack.facts().base_url}/explorer#bird_strikes`)
    await expect.poll(() => page.url()).toContain(`view=${other.id}`)
    await expect.poll(() => queries.at(-1)).toMatchObject({ sorts: [{ field: 'species', direction: 'asc' }] })
    await page.locator('.tools').getByRole('button', { name: 'Views' }).click()
    await page.locator('.popup').getByRole('button', { name: 'Without a view' }).click()
    await expect.poll(() => page.url()).toMatch(/#bird_strikes\?$/)
    await page.reload()
    await waitForRows()
    expect(page.url()).toMatch(/#bird_strikes\?$/)
    const tab = await page.context().newPage()
    await tab.addInitScript(`sessionStorage.setItem('explorer-token', '${stack.createToken(as)}')`)
    await tab.goto(page.url().replace('?', ''))
    await expect.poll(() => tab.url()).toContain(`view=${id}`)
  })

  it('is not replaced without a question where it was changed elsewhere', async () => {
    const as = { ...supervisor, sub: 'rival' }
    const { id } = await saveView(as, { name: 'Contested', query })
    const { page, waitForRows, button } = await open({ as, view: `bird_strikes?ln=en&view=${id}` })
    await waitForRows()
    const changed = await fetch(`${stack.facts().base_url}/api/api-table/control-tables/views/bird_strikes/${id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${stack.createToken(as)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: { sorts: [{ field: 'species', direction: 'asc' }] } }),
    })
    expect(changed.status).toBe(200)
    await page.locator('.filters .on .clear').first().click()
    await waitForRows()
    await button(/^Views/).click()
    const popup = page.locator('.popup')
    await popup.getByRole('button', { name: 'Update with what is shown' }).click()
    await popup.getByText('This view was changed meanwhile.').waitFor()
    await expect
      .poll(async () => (await listViews(as))[0])
      .toMatchObject({ revision: 2, query: { sorts: [{ field: 'species' }] } })
    await popup.getByRole('button', { name: 'Replace it' }).click()
    await popup.getByText('This view was changed meanwhile.').waitFor({ state: 'hidden' })
    await expect
      .poll(async () => (await listViews(as))[0])
      .toMatchObject({ revision: 3, query: { sorts: query.sorts } })
  })

  it('is named as gone where it was deleted elsewhere before it is renamed, and the address forgets it', async () => {
    const as = { ...supervisor, sub: 'deleting' }
    const { id } = await saveView(as, { name: 'Deleted meanwhile', query })
    const { page, waitForRows, button, messages } = await open({ as, view: `bird_strikes?ln=en&view=${id}` })
    await expect.poll(() => page.url()).toContain('q=gull')
    await waitForRows()
    await button(/^Views/).click()
    await page.getByRole('textbox', { name: 'Name of the view', exact: true }).fill('Renamed')
    await fetch(`${stack.facts().base_url}/api/api-table/control-tables/views/bird_strikes/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${stack.createToken(as)}` },
    })
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await messages()).join()).toMatch(/^Deleted meanwhile: /)
    await expect.poll(() => page.url()).not.toContain('view=')
  })

  it('is saved without a change of the table that is opened meanwhile', async () => {
    const as = { ...supervisor, sub: 'hurried' }
    const { page, waitForRows, button } = await open({ as, view: 'bird_strikes?ln=en&per=50' })
    await waitForRows()
    let answered = Promise.withResolvers<void>()
    await page.route('**/views/**', async (route) => {
      if (route.request().method() === 'POST') await answered.promise
      await route.continue()
    })
    /** The response comes after the list is closed: only then the page says it in a message. */
    const saveAndLeave = async () => {
      answered = Promise.withResolvers<void>()
      await button(/^Views/).click()
      await page.locator('.popup').getByRole('textbox', { name: 'Name of the new view' }).fill('Late')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Escape')
      await page.locator('.popup').waitFor({ state: 'detached' })
    }
    await saveAndLeave()
    await page.evaluate(`location.hash = 'airports?ln=en'`)
    await waitForRows()
    answered.resolve()
    await page.locator('.message.success').waitFor()
    expect(page.url()).not.toContain('view=')
    await page.goBack()
    await waitForRows()
    await saveAndLeave()
    answered.resolve()
    await page.locator('.message.danger', { hasText: 'Late: ' }).waitFor()
  })

  it.each([
    ['may', true],
    ['may not', false],
  ])('keeps its visibility when a caller who %s share renames it, unless the box was changed', async (_, can_share) => {
    const as = { ...supervisor, sub: `sharer-${can_share}` }
    const { id } = await saveView(as, { name: 'Ours', query })
    const { page, waitForRows, button } = await open({ as, view: `bird_strikes?ln=en&view=${id}` })
    await waitForRows()
    const message = 'visibility: must be given to change this view'
    const sent: unknown[] = []
    // The tables of the demo share no views.
    await page.route('**/views/**', async (route) => {
      if (route.request().method() === 'PATCH') {
        sent.push(route.request().postDataJSON())
        const json = { success: false, code: 'validation_failed', message, errors: [message], fields: {} }
        return route.fulfill({ status: 422, json })
      }
      const response = await route.fetch()
      const { items, ...rest } = await response.json()
      const shared = items.map((item: object) => ({ ...item, visibility: 'shared' }))
      await route.fulfill({ response, json: { ...rest, items: shared, can_share } })
    })
    await button(/^Views/).click()
    const popup = page.locator('.popup')
    await popup.getByRole('textbox', { name: 'Name of the view', exact: true }).fill('Renamed')
    await popup.getByRole('button', { name: 'Save', exact: true }).click()
    await popup.getByText(message).waitFor()
    await popup.getByRole('checkbox', { name: 'Share it' }).first().uncheck()
    await popup.getByRole('button', { name: 'Save', exact: true }).click()
    const renamed = { name: 'Renamed', is_default: false }
    await expect.poll(() => sent).toEqual([renamed, { ...renamed, visibility: 'private' }])
  })

  it('is refused in words where its name is taken', async () => {
    const as = { ...supervisor, sub: 'namer' }
    await saveView(as, { name: 'Taken', query })
    const { page, waitForRows, button } = await open({ as, view: 'bird_strikes?ln=en&per=50' })
    await waitForRows()
    await button(/^Views/).click()
    const popup = page.locator('.popup')
    await popup.getByRole('button', { name: 'Taken' }).waitFor()
    await popup.getByRole('textbox', { name: 'Name of the new view' }).fill('Taken')
    await popup.getByRole('button', { name: 'Save as a new view' }).click()
    const reason = 'Name of the view: is the name of another view of yours'
    await expect.poll(() => popup.getByRole('alert').textContent()).toContain(reason)
    await popup.getByRole('button', { name: 'Taken' }).click()
    await saveView(as, { name: 'Taken too', query })
    await popup.getByRole('textbox', { name: 'Name of the view', exact: true }).fill('Taken too')
    await page.keyboard.press('Enter')
    await expect.poll(() => popup.locator('.view-editor').getByRole('alert').textContent()).toContain(reason)
  })

  it('is saved, changed and deleted once by two clicks', async () => {
    const as = { ...supervisor, sub: 'doubler' }
    const { page, waitForRows, button, messages } = await open({ as, view: 'bird_strikes?ln=en&per=50' })
    await waitForRows()
    const sent: string[] = []
    let answered = Promise.withResolvers<void>()
    await page.route('**/views/**', async (route) => {
      const method = route.request().method()
      if (method !== 'GET') {
        sent.push(method)
        await answered.promise
      }
      await route.continue()
    })
    await button(/^Views/).click()
    const popup = page.locator('.popup')
    const twice = async (name: string) => {
      answered = Promise.withResolvers<void>()
      await popup.getByRole('button', { name, exact: true }).dblclick()
      await expect.poll(() => sent.length).toBeGreaterThan(0)
      answered.resolve()
    }
    await popup.getByRole('textbox', { name: 'Name of the new view' }).fill('Once')
    await twice('Save as a new view')
    await popup.locator('.view-editor').waitFor()
    await twice('Save')
    await expect.poll(async () => (await messages()).filter((text) => text === 'Saved').length).toBe(2)
    await popup.getByRole('button', { name: 'Delete', exact: true }).click()
    await twice('Delete it for good')
    await expect.poll(messages).toContain('Deleted')
    await popup.locator('.view-editor').waitFor({ state: 'detached' })
    expect(sent).toEqual(['POST', 'PATCH', 'DELETE'])
  })
})
