import { describe, expect, it } from 'vitest'
import { startExplorer, supervisor } from '../support/browser/explorer-page.ts'
import { pageViolations } from '../support/browser/page-violations.ts'

const { stack, open } = await startExplorer()

/** The total that the service itself tells. */
async function readTotal(body: object): Promise<number> {
  const { json } = await stack.call('query-table/bird_strikes', { as: supervisor, body: { ...body, perPage: 1 } })
  return json.pagination.total
}

const phone = { width: 390, height: 800 }
const substantial = [{ field: 'damage', operator: 'in', value: ['Substantial'] }]

describe('a view without rows', () => {
  it.each([
    { ln: 'en', without: 'Without “Cost (USD): at least 900,000,000” there would be', remove: 'Remove “Cost (USD)' },
    { ln: 'ar', without: 'لولا «التكلفة (دولار): ', remove: 'إزالة «التكلفة (دولار)', viewport: phone },
  ])('says which filter is the reason, with a button that removes it, in $ln', async (one) => {
    const { ln, without, remove, viewport } = one
    const { page, total, shot, queries, complaints } = await open({
      view: `bird_strikes?ln=${ln}&f.damage=in:Substantial&f.cost_total=%3E%3D:900000000`,
      ...(viewport && { viewport }),
    })
    await page.getByText(without).waitFor()
    await expect.poll(() => queries.at(-1)).toMatchObject({ explain: 'auto' })
    const expected = await readTotal({ filters: substantial })
    await expect.poll(() => page.locator('.reasons').textContent()).toContain(expected.toLocaleString('en'))
    await shot(`why-none-${ln}`)
    expect(await pageViolations(page)).toEqual([])
    await page.getByRole('button', { name: remove }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(total).toBe(expected)
    expect(complaints).toEqual([])
  })

  it('keeps its way back where it is when the reason arrives', async () => {
    const { page, total } = await open({ as: null, view: 'bird_strikes?ln=en&f.species=like:unicorn' })
    const release = Promise.withResolvers<void>()
    await page.route('**/query-table/**', async (route) => {
      if (route.request().postDataJSON().explain !== undefined) await release.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Bob, supervisor of all states' }).click()
    const clear = page.locator('.nothing').getByRole('button', { name: 'Clear all' })
    await clear.waitFor()
    const before = await clear.boundingBox()
    release.resolve()
    await page.locator('.reasons').waitFor()
    expect(await clear.boundingBox()).toEqual(before)
    await clear.click()
    await expect.poll(total).toBe(await readTotal({}))
  })

  it('is not shown for a request that is refused, with the reason above the pager of a phone', async () => {
    const viewport = { width: 360, height: 740 }
    const { page } = await open({ view: 'bird_strikes?ln=en&f.species=like:unicorn', viewport })
    await page.getByText('No rows match').waitFor()
    await page.evaluate(`location.hash = 'bird_strikes?ln=en&f.status=unknown:open'`)
    const reason = page.locator('.note.danger')
    await reason.waitFor()
    expect(await page.getByText('No rows match').count()).toBe(0)
    const [note, pager] = await Promise.all([reason.boundingBox(), page.locator('.pager').boundingBox()])
    expect((note?.y ?? 0) + (note?.height ?? 0)).toBeLessThanOrEqual(pager?.y ?? 0)
  })

  it('names the search and conditions, the one that excludes most rows first', async () => {
    const groups = encodeURIComponent(JSON.stringify({ all: [{ field: 'damage', operator: 'in', value: ['None'] }] }))
    const { page, total } = await open({
      view: `bird_strikes?ln=en&f.damage=in:Substantial&q=gull&groups=${groups}`,
    })
    await page.getByText('Without “Damage is one of None” there would be').waitFor()
    await page.getByText('Without “Damage: Substantial” there would be').waitFor()
    const counts = await page.locator('.reasons li').allTextContents()
    const numbers = counts.map((text) => Number(/be ([\d,]+) row/.exec(text)?.[1]?.replace(',', '')))
    expect(numbers).toEqual([...numbers].sort((one, other) => other - one))
    await page.locator('.reasons button').first().click()
    await expect.poll(total).toBe(numbers[0])
  })

  it('says that no single filter is the reason where two of them exclude all rows', async () => {
    const view = 'bird_strikes?ln=en&f.species=like:unicorn&f.airport_name=like:atlantis'
    const { page } = await open({ view })
    await page.getByText('No single filter is the reason').waitFor()
    expect(await page.locator('.reasons').count()).toBe(0)
  })
})

describe('the columns on the screen', () => {
  it('are the only ones that the service sends, and are kept for the next visit', async () => {
    const { page, waitForRows, button, queries, cells } = await open({ view: 'bird_strikes' })
    await waitForRows()
    expect(queries.at(-1)).not.toHaveProperty('columns')
    await button('Columns').click()
    await page.getByRole('checkbox', { name: 'Species' }).uncheck()
    await expect.poll(() => queries.at(-1)).toHaveProperty('columns')
    const columns = queries.at(-1)?.['columns']
    expect(columns).toEqual(expect.arrayContaining(['id', 'flight_date']))
    expect(columns).not.toContain('species')
    await page.keyboard.press('Escape')
    expect(await cells('Airport')).toHaveLength(20)
    await page.goto(page.url().replace(/#.*/, '#flights'))
    await page.goto(page.url().replace(/#.*/, '#bird_strikes'))
    await page.reload()
    await waitForRows()
    await expect.poll(() => queries.at(-1)?.['columns']).toEqual(columns)
    await expect.poll(() => page.locator('thead').textContent()).not.toContain('Species')
    await page.goto(page.url().replace(/#.*/, '#bird_strikes?sort=-cost_total'))
    await expect.poll(() => page.locator('thead').textContent()).toContain('Species')
  })

  it('do not limit the details of a row', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?ln=en&column=-species&column=-airport_name' })
    await waitForRows()
    const { json } = await stack.call('query-table/bird_strikes', { as: supervisor, body: { perPage: 1 } })
    await page.locator('#rows tbody td.value-date').first().click()
    await page.locator('.modal dd', { hasText: json.items[0].airport_name }).waitFor()
  })

  it('let the details of the row that was opened last stay, where those of another come late', async () => {
    const { page, waitForRows, waitForDrawing } = await open({ view: 'bird_strikes?ln=en&sort=id&column=-species' })
    await waitForRows()
    const answered = Promise.withResolvers<void>()
    const isOver = Promise.withResolvers<void>()
    await page.route('**/row-refetch/bird_strikes/1', async (route) => {
      const response = await route.fetch()
      await answered.promise
      await route.fulfill({ response }).catch(() => undefined)
      isOver.resolve()
    })
    const asked = page.waitForRequest('**/row-refetch/bird_strikes/1')
    await page.locator('#rows tbody td.value-date').nth(0).click()
    await asked
    await page.locator('#rows tbody td.value-date').nth(1).click()
    await page.getByRole('heading', { name: /^2( |$)/ }).waitFor()
    answered.resolve()
    await isOver.promise
    await waitForDrawing()
    expect(await page.getByRole('heading', { name: /^2( |$)/ }).count()).toBe(1)
  })

  it('are found by a part of their names', async () => {
    const { page, waitForRows, button } = await open()
    await waitForRows()
    await button('Columns').click()
    await page.locator('.popup input[type="search"]:focus').waitFor()
    await page.keyboard.type('spec')
    await expect.poll(() => page.locator('.popup .option').count()).toBe(1)
  })
})

describe('empty values', () => {
  it.each([
    { ln: 'en', sort: 'Sort', place: 'Empty values: Reviewed at', first: 'empty first' },
    {
      ln: 'ar',
      sort: 'ترتيب',
      place: 'القيم الفارغة: وقت المراجعة',
      first: 'الفارغة أولًا',
      viewport: phone,
    },
  ])('come first where a sort says so, in $ln', async ({ ln, sort, place, first, viewport }) => {
    const { page, waitForRows, queries, shot } = await open({
      view: `bird_strikes?ln=${ln}&sort=-reviewed_at`,
      ...(viewport && { viewport }),
    })
    await waitForRows()
    await page.locator('.tools').getByRole('button', { name: sort }).click()
    await page.getByRole('combobox', { name: place }).selectOption(first)
    const sorts = [{ field: 'reviewed_at', direction: 'desc', nulls: 'first' }]
    await expect.poll(() => queries.at(-1)).toMatchObject({ sorts })
    await shot(`nulls-${ln}`)
    expect(await pageViolations(page, '.popup')).toEqual([])
    await expect.poll(() => page.url()).toContain('sort=-reviewed_at%3Afirst')
    await page.reload()
    await waitForRows()
    await expect.poll(() => queries.at(-1)).toMatchObject({ sorts })
  })
})

describe('the words of a search', () => {
  it.each([
    { ln: 'en', viewport: undefined },
    { ln: 'ar', viewport: phone },
  ])('are marked in the cells where the service found them, in $ln', async ({ ln, viewport }) => {
    const { page, waitForRows, queries, shot, complaints } = await open({
      view: `bird_strikes?ln=${ln}&q=${encodeURIComponent('GÜLL "intl arpt"')}`,
      ...(viewport && { viewport }),
    })
    await waitForRows()
    expect(queries[0]).toMatchObject({ include: ['matches'] })
    await page.locator('#rows tbody mark').first().waitFor()
    const marked = new Set((await page.locator('#rows tbody mark').allTextContents()).map((text) => text.toLowerCase()))
    expect(marked).toEqual(new Set(['gull', 'intl arpt']))
    await shot(`marks-${ln}`)
    expect(await pageViolations(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('are marked by their letters, in any spelling of these', async () => {
    const note = 'شاهَدَ الطيّار مدرسةً ٢٠٢٦ قرب الشاطئ، Straße'
    const [row] = await stack.sql()`update bird_strikes set note = ${note} where id = 10000 returning id`
    expect(row, 'the row whose note is searched').toEqual({ id: 10_000 })
    const search = encodeURIComponent('مدرسه 2026 شاطي strasse ال')
    const { page } = await open({ view: `bird_strikes?ln=ar&q=${search}` })
    await page.locator('#rows tbody mark').first().waitFor()
    // Matches side by side are marked as one.
    const marked = ['ال', 'مدرسةً', '٢٠٢٦', 'الشاطئ', 'Straße']
    await expect.poll(() => page.locator('#rows tbody mark').allTextContents()).toEqual(marked)
  })
})
