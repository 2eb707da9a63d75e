import { describe, expect, it } from 'vitest'
import { startExplorer, supervisor } from '../support/browser/explorer-page.ts'
import { pageViolations } from '../support/browser/page-violations.ts'

const { stack, open } = await startExplorer()

/** The total that the service itself tells. */
async function readTotal(body: object): Promise<number> {
  const { json } = await stack.call('query-table/bird_strikes', { as: supervisor, body: { ...body, perPage: 1 } })
  return json.pagination.total
}

describe('a period', () => {
  it('is chosen by keyboard, and the filter says its days', async () => {
    const { page, waitForRows, queries } = await open({ view: 'bird_strikes?ln=en' })
    await waitForRows()
    await page.locator('.filters .chip', { hasText: 'Flight date' }).focus()
    await page.keyboard.press('Enter')
    const popup = page.getByRole('dialog', { name: 'Flight date' })
    await popup.getByRole('combobox', { name: 'Comparison' }).selectOption('in the period')
    await popup.getByRole('combobox', { name: 'Flight date: in the period' }).selectOption('Another period…')
    await popup.getByRole('textbox', { name: 'How many' }).fill('3')
    await popup.getByRole('combobox', { name: 'Unit' }).selectOption('months')
    await page.keyboard.press('Tab')
    await popup.getByRole('button', { name: 'Apply' }).press('Enter')
    await expect
      .poll(() => queries.at(-1))
      .toMatchObject({ filters: [{ field: 'flight_date_from', operator: 'within', value: 'last_3_months' }] })
    await page.getByText(/^Flight date\s*last 3 months\s*\d{4}-\d\d-01 – \d{4}-\d\d-\d\d$/).waitFor()
    await expect.poll(() => page.url()).toContain('f.flight_date_from=within%3Alast_3_months')
  })

  it('has its unit in the form that its number asks for', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?ln=ar&f.flight_date_from=within:last_14_days' })
    await waitForRows()
    await page.locator('.filters .chip', { hasText: 'تاريخ الرحلة' }).focus()
    await page.keyboard.press('Enter')
    const unit = page.locator('.popup').getByRole('combobox', { name: 'الوحدة' })
    const units: (readonly string[])[] = []
    for (const count of ['14', '1', '2', '3', '100']) {
      await page.locator('.popup').getByRole('textbox').fill(count)
      units.push([count, (await unit.locator('option').allTextContents())[0] ?? ''])
    }
    expect(units).toEqual([
      ['14', 'يومًا'],
      ['1', 'يوم'],
      ['2', 'أيام'],
      ['3', 'أيام'],
      ['100', 'يوم'],
    ])
  })

  it('in an address is shown in Arabic words on a phone, and can be removed', async () => {
    const viewport = { width: 390, height: 800 }
    const view = 'bird_strikes?ln=ar&f.flight_date_from=within:last_2_weeks&f.reviewed_at_from=within:next_1_years'
    const { page, waitForRows, queries, complaints } = await open({ view, viewport, hasTouch: true })
    await waitForRows()
    await page.getByText('آخر أسبوعين').waitFor()
    await page.getByText('السنة القادمة').waitFor()
    await page.getByRole('button', { name: 'إزالة تاريخ الرحلة' }).tap()
    await expect.poll(() => queries.at(-1)).toMatchObject({ filters: [{ field: 'reviewed_at_from' }] })
    expect(complaints).toEqual([])
  })
})

describe('an operator', () => {
  it.each([
    ['en', 'State', 'starts with', 'new', { field: 'origin_state', operator: 'starts with', value: 'new' }],
    ['ar', 'الولاية', 'ينتهي بـ', 'a', { field: 'origin_state', operator: 'ends with', value: 'a' }],
  ] as const)('compares the ends of a text, in %s', async (ln, label, operator, text, filter) => {
    const { page, filter: unfold, total } = await open({ view: `bird_strikes?ln=${ln}` })
    const popup = await unfold(label)
    await popup.getByRole('combobox').selectOption(operator)
    await popup.getByRole('textbox').fill(text)
    await page.keyboard.press('Enter')
    await expect.poll(total).toBe(await readTotal({ filters: [filter] }))
  })

  it.each([
    ['en', 'More filters', 'Species', 'Upper and lower case, accents and vowel marks make no difference.'],
    ['ar', 'عوامل تصفية أخرى', 'النوع', 'لا فرق بين الحروف الكبيرة والصغيرة، ولا أثر للتشكيل وصور الهمزة.'],
  ])('says whether it compares folded texts, in %s', async (ln, add, label, help) => {
    const { page, filter: unfold } = await open({ view: `bird_strikes?ln=${ln}` })
    await page.getByRole('button', { name: add }).click()
    await page.locator('.popup').getByRole('button', { name: label, exact: true }).click()
    await page.locator('.popup').getByText(help).waitFor()
    await page.keyboard.press('Escape')
    const popup = await unfold(ln === 'en' ? 'State' : 'الولاية')
    await popup.getByRole('textbox').waitFor()
    await popup.getByText(help).waitFor({ state: 'detached' })
  })

  it('needs no value where it asks for none, and survives a reload', async () => {
    const { page, filter: unfold, total } = await open({ view: 'bird_strikes?ln=en' })
    const popup = await unfold('State')
    await popup.getByRole('combobox').selectOption('is empty')
    await expect.poll(() => popup.getByRole('textbox').count()).toBe(0)
    await popup.getByRole('button', { name: 'Apply' }).click()
    const expected = await readTotal({ filters: [{ field: 'origin_state', operator: 'is null' }] })
    await expect.poll(total).toBe(expected)
    await page.reload()
    await page.locator('.chip', { hasText: /^State\s*is empty$/ }).waitFor()
    await expect.poll(total).toBe(expected)
  })

  it('for values outside of a range needs both ends', async () => {
    const { page, total } = await open({
      view: 'bird_strikes?ln=en&f.cost_total=not+between:10&f.cost_total=not+between:20',
    })
    await page.locator('.chip', { hasText: 'Cost (USD)' }).first().click()
    const popup = page.getByRole('dialog', { name: 'Cost (USD)' })
    await popup.getByLabel('At most').fill('')
    await popup.getByRole('button', { name: 'Apply' }).click()
    await popup.getByText('Fill in both ends.').waitFor()
    await popup.getByLabel('At most').fill('5000')
    await page.keyboard.press('Enter')
    const filters = [{ field: 'cost_total', operator: 'not between', value: [10, 5000] }]
    await expect.poll(total).toBe(await readTotal({ filters }))
  })
})

describe('conditions', () => {
  const groups = {
    any: [
      { field: 'status', operator: '=', value: 'reviewed' },
      { field: 'damage', operator: 'in', value: ['Substantial'] },
    ],
  }

  it('are built by keyboard, read as a sentence and select the rows of the page and of actions', async () => {
    const { page, waitForRows, total, button, queries } = await open({ view: 'bird_strikes?ln=en' })
    await waitForRows()
    await button('Conditions').focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Conditions' })
    await dialog.getByRole('combobox', { name: 'Status: Value' }).selectOption('Reviewed')
    await dialog.getByRole('button', { name: 'Add a condition' }).press('Enter')
    const added = dialog.getByRole('combobox', { name: 'What to compare' }).nth(1)
    await added.and(page.locator(':focus')).waitFor()
    await added.selectOption('Damage')
    await dialog.getByRole('button', { name: 'Apply' }).press('Enter')
    await dialog.getByText('Fill in a value.').waitFor()
    await dialog.locator('.condition.faulty :focus').waitFor()
    await dialog.getByRole('checkbox', { name: 'Substantial' }).press('Space')
    await dialog.getByRole('button', { name: 'Apply' }).press('Enter')
    await page.getByText('Status is Reviewed or Damage is one of Substantial').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toContain('Status is Reviewed')
    await expect.poll(() => queries.at(-1)).toMatchObject({ filter_groups: groups })
    const expected = await readTotal({ filter_groups: groups })
    await expect.poll(total).toBe(expected)
    await button('Actions').click()
    await page.getByText(`For all rows that match (${expected.toLocaleString('en')})`).waitFor()
    await page.getByRole('button', { name: 'Notify assignees' }).click()
    await page.getByText(`This concerns ${expected.toLocaleString('en')} rows.`).waitFor()
  })

  it('are read in Arabic words on a phone, take another group, and are removed', async () => {
    const view = `bird_strikes?ln=ar&groups=${encodeURIComponent(JSON.stringify({ none: groups.any }))}`
    const viewport = { width: 390, height: 800 }
    const { page, total, queries, complaints } = await open({ view, viewport, hasTouch: true })
    await expect.poll(total).toBe(await readTotal({ filter_groups: { none: groups.any } }))
    await page.getByText('لا شيء من: الحالة: يساوي تمت مراجعته أو الضرر: إحدى القيم').tap()
    const dialog = page.getByRole('dialog', { name: 'الشروط' })
    await dialog.getByRole('button', { name: 'إضافة مجموعة' }).tap()
    await dialog.getByRole('combobox', { name: 'ما يُقارَن' }).nth(2).selectOption('تاريخ الرحلة')
    await dialog.getByRole('textbox', { name: 'تاريخ الرحلة: القيمة' }).fill('2001-3-1')
    await dialog.getByRole('button', { name: 'تطبيق' }).tap()
    const all = [{ field: 'flight_date_from', operator: '>=', value: '2001-03-01' }]
    const changed = { none: [...groups.any, { all }] }
    await expect.poll(() => queries.at(-1)).toMatchObject({ filter_groups: changed })
    await expect.poll(total).toBe(await readTotal({ filter_groups: changed }))
    await page.getByRole('button', { name: 'إزالة الشروط' }).tap()
    await expect.poll(total).toBe(await readTotal({}))
    expect(complaints).toEqual([])
  })

  it('keep a range of days, the default comparison and values that are no longer on offer', async () => {
    const all = [
      { field: 'flight_date_from', value: { from: '2001-03-01', to: '2001-03-31' } },
      { field: 'cost_total', value: 1000 },
      { field: 'status', operator: '=', value: 'withdrawn' },
      { field: 'damage', operator: 'in', value: ['Unheard of', 'Substantial'] },
    ]
    const { page, queries } = await open({
      view: `bird_strikes?ln=en&groups=${encodeURIComponent(JSON.stringify({ all }))}`,
    })
    await page.getByText('(Flight date from 2001-03-01 and Flight date until 2001-03-31) and Cost (USD) at').click()
    const dialog = page.getByRole('dialog', { name: 'Conditions' })
    const cost = dialog.getByRole('textbox', { name: 'Cost (USD): Value' })
    const comparison = dialog.getByRole('combobox', { name: 'Cost (USD): Comparison' })
    await cost.fill('many')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await dialog.getByText('Write a number').waitFor()
    expect(await cost.getAttribute('aria-invalid')).toBe('true')
    // An entered value stays under another comparison.
    await cost.fill('١٥٠٠')
    await comparison.selectOption('between')
    await dialog.getByRole('textbox', { name: 'Cost (USD): Value, To' }).fill('9')
    await comparison.selectOption('<=')
    expect(await cost.inputValue()).toBe('١٥٠٠')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    const ends = [
      { field: 'flight_date_from', operator: '>=', value: '2001-03-01' },
      { field: 'flight_date_to', operator: '<=', value: '2001-03-31' },
    ]
    const kept = [{ all: ends }, { field: 'cost_total', operator: '<=', value: '1500' }, ...all.slice(2)]
    await expect.poll(() => queries.at(-1)?.['filter_groups']).toEqual({ all: kept })
  })
})

describe('choices', () => {
  it('say how many rows each has beside the other filters, and ask only when they are unfolded', async () => {
    const { waitForRows, filter, queries } = await open({ view: 'bird_strikes?ln=en&f.damage=in:Substantial' })
    await waitForRows()
    expect(queries.some((query) => 'facets' in query)).toBe(false)
    const popup = await filter('Status')
    const count = await readTotal({
      filters: [
        { field: 'damage', operator: 'in', value: ['Substantial'] },
        { field: 'status', operator: '=', value: 'open' },
      ],
    })
    await popup.getByRole('radio', { name: `Open ${count}` }).check()
    await expect.poll(() => queries.at(-1)).toMatchObject({ filters: [{ field: 'damage' }, { field: 'status' }] })
    await popup.getByRole('radio', { name: `Open ${count}` }).waitFor()
    expect(queries.filter((query) => 'facets' in query)).toHaveLength(1)
  })

  it.each([
    { ln: 'en', add: 'More filters', name: 'Aircraft', notFound: 'No choice has this text.' },
    { ln: 'ar', add: 'عوامل تصفية أخرى', name: 'الطائرة', notFound: 'لا يوجد خيار يحتوي على هذا النص.' },
  ])('are looked for by typing where there are too many to list, in $ln', async ({ ln, add, name, notFound }) => {
    const { page, total, shot, complaints } = await open({ view: `bird_strikes?ln=${ln}` })
    const options = { field: 'aircraft_model', search: 'B-73' }
    const { json } = await stack.call('query-table/bird_strikes', { as: supervisor, body: { options } })
    const [{ label, count }] = json.bindings.aircraft_model
    await page.getByRole('button', { name: add }).click()
    await page.locator('.popup').getByRole('button', { name }).click()
    const popup = page.locator('.popup')
    await popup.getByRole('searchbox').fill('b-73')
    await popup.getByRole('checkbox', { name: `${label} ${count}` }).check()
    await expect.poll(total).toBe(count)
    await shot(`searched-choices-${ln}`)
    expect(await pageViolations(page)).toEqual([])
    await popup.getByRole('searchbox').fill('zeppelin')
    await popup.getByText(notFound).waitFor()
    await popup.getByRole('checkbox', { name: label }).click()
    await expect.poll(total).toBe(await readTotal({}))
    expect(complaints).toEqual([])
  })

  it('are found in Arabic whatever tashkeel is typed', async () => {
    const { filter } = await open({ view: 'bird_strikes?ln=ar' })
    const popup = await filter('الحالة')
    await popup.getByRole('searchbox').fill('مَفتُوح')
    await popup.getByRole('radio', { name: 'مفتوح' }).waitFor()
    expect(await popup.getByRole('radio', { name: 'تمت مراجعته' }).count()).toBe(0)
  })

  it('are ranges for a date, which select the rows that they count, in Arabic', async () => {
    const { page, filter, total } = await open({ view: 'bird_strikes?ln=ar' })
    const popup = await filter('تاريخ الرحلة')
    await popup.getByText('عدد الصفوف في كل نطاق').click()
    const range = popup.locator('.facet button').nth(2)
    const count = Number((await range.locator('.facet-count').textContent())?.replace(/\D/g, ''))
    await range.press('Enter')
    await expect.poll(total).toBe(count)
    await page.getByText('\u200f1992-01-01 – 1992-12-31').waitFor()
  })

  it.each([
    ['the service fails', { status: 500, json: { code: 'internal', message: 'It is broken' } }, 'It is broken'],
    [
      'the filter has none',
      { status: 422, json: { code: 'validation_failed', message: 'x', fields: { 'facets.0': ['y'] } } },
      'cannot be counted in',
    ],
    ['counting takes too long', { json: { success: true, items: [], partial: ['facets'] } }, 'Counting takes too long'],
  ])('are ranges that say why they are not counted where %s', async (_, response, text) => {
    const { page, filter } = await open({ view: 'bird_strikes?ln=en' })
    const popup = await filter('Flight date')
    await page.route('**/query-table/**', (route) =>
      'facets' in route.request().postDataJSON() ? route.fulfill(response) : route.continue(),
    )
    await popup.getByText('Rows in each range').click()
    await popup.getByRole('alert').getByText(text).waitFor()
    expect(await popup.getByText('Counting the rows').count()).toBe(0)
  })

  it('say why they could not be looked for, and are not those of the text before', async () => {
    const { page } = await open({ view: 'bird_strikes?ln=en' })
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.locator('.popup').getByRole('button', { name: 'Aircraft' }).click()
    const popup = page.getByRole('dialog', { name: 'Aircraft' })
    await popup.getByRole('checkbox').first().waitFor()
    const json = { code: 'internal', message: 'It is broken' }
    await page.route('**/query-table/**', (route) => route.fulfill({ status: 500, json }), { times: 1 })
    await popup.getByRole('searchbox').fill('b-73')
    await popup.getByRole('alert').getByText('It is broken').waitFor()
    expect(await popup.getByRole('checkbox').count()).toBe(0)
    await popup.getByRole('searchbox').fill('b-737')
    await popup.getByRole('checkbox').first().waitFor()
    expect(await popup.getByRole('alert').count()).toBe(0)
  })
})

describe('totals', () => {
  it.each([
    { ln: 'en', name: 'Totals', add: 'Add a total', sum: 'Cost (USD): Sum', viewport: { width: 1360, height: 820 } },
    {
      ln: 'ar',
      name: 'الإجماليات',
      add: 'إضافة إجمالي',
      sum: 'التكلفة (دولار): المجموع',
      viewport: { width: 390, height: 800 },
    },
  ])('stand below their column, follow the filters and are in the address, in $ln', async (one) => {
    const { ln, name, add, sum, viewport } = one
    const filters = [{ field: 'damage', operator: 'in', value: ['Substantial'] }]
    const { page, waitForRows, queries } = await open({
      view: `bird_strikes?ln=${ln}&f.damage=in:Substantial`,
      viewport,
    })
    await waitForRows()
    await page.getByRole('button', { name }).click()
    await page.getByRole('combobox', { name: add }).selectOption(sum)
    const aggregates = [{ field: 'cost_total', fn: 'sum' }]
    const { json } = await stack.call('query-table/bird_strikes', { as: supervisor, body: { filters, aggregates } })
    const foot = page.locator('tfoot .total', { hasText: json.aggregates.cost_total.sum.text })
    await foot.waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.url()).toContain('total=sum%3Acost_total')
    expect(queries.filter((query) => 'aggregates' in query)).toHaveLength(1)
    await page.getByRole('button', { name }).first().click()
    await page.locator('.popup').getByRole('button', { name: sum }).click()
    await expect.poll(() => page.locator('tfoot').count()).toBe(0)
    await expect.poll(() => page.url()).not.toContain('total=')
  })

  it('say below the rows if a column has none, and leave the rows in place', async () => {
    const { page, waitForRows, cells } = await open({
      view: 'bird_strikes?ln=en&total=sum:species&total=max:flight_date',
    })
    await waitForRows()
    await page.locator('tfoot').getByRole('alert').waitFor()
    expect(await cells('ID')).toHaveLength(20)
  })
})

describe('the search', () => {
  it.each([
    ['en', { width: 1360, height: 820 }],
    ['ar', { width: 390, height: 800 }],
  ] as const)(
    'finds rows by words of any searchable column, and is kept in the address, in %s',
    async (ln, viewport) => {
      const { page, waitForRows, total, queries } = await open({ view: `bird_strikes?ln=${ln}`, viewport })
      await waitForRows()
      const box = page.getByRole('search').getByRole('searchbox')
      const direction = `getComputedStyle(document.querySelector('input[type="search"]')).direction`
      await expect.poll(() => page.evaluate(direction)).toBe(ln === 'ar' ? 'rtl' : 'ltr')
      const search = 'gull "intl arpt"'
      await box.fill(search)
      await box.press('Enter')
      await expect.poll(total).toBe(await readTotal({ search }))
      await expect.poll(() => queries.at(-1)).toMatchObject({ search, page: 1 })
      await expect.poll(() => page.url()).toContain('q=gull')
      await box.fill('')
      await expect.poll(total).toBe(await readTotal({}))
      await page.goBack()
      await expect.poll(() => box.inputValue()).toBe(search)
    },
  )

  it('waits for a pause in typing, says that a letter alone is too short, and leaves the rows in place', async () => {
    const { page, waitForRows, total, messages, queries } = await open({ view: 'bird_strikes?ln=en' })
    await waitForRows()
    const readTop = () => page.evaluate<number>(`document.querySelector('thead').getBoundingClientRect().top`)
    const top = await readTop()
    expect(top).toBeGreaterThan(0)
    const box = page.getByRole('searchbox')
    await box.pressSequentially('g')
    await expect.poll(messages).toContain('Words of one letter are not searched for.')
    const count = queries.length
    // In one go: a slow machine would pause between the letters.
    await page.evaluate(`(() => {
      const field = document.querySelector('input[type="search"]')
      for (const value of ['gu', 'gul', 'gull']) {
        field.value = value
        field.dispatchEvent(new Event('input', { bubbles: true }))
      }
    })()`)
    await expect.poll(total).toBe(await readTotal({ search: 'gull' }))
    expect(queries.slice(count).map(({ search }) => search)).toEqual(['gull'])
    expect(await readTop()).toBe(top)
  })
})
