import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { arabic } from '../../infra/explorer/page/texts/arabic.ts'
import { english } from '../../infra/explorer/page/texts/english.ts'
import { messagesStay, startExplorer } from '../support/browser/explorer-page.ts'

const { stack, open } = await startExplorer({ script: messagesStay })

/** The texts of the demo's tables in each language. */
const labels = {
  en: { t: english, state: 'State', status: 'Status', open: 'Open', archive: 'Archive', excel: 'Export Excel' },
  ar: { t: arabic, state: 'الولاية', status: 'الحالة', open: 'مفتوح', archive: 'أرشفة', excel: 'تصدير إلى Excel' },
} as const

const chip = (page: Page, label: string) => page.locator('.filters .chip').filter({ hasText: new RegExp(`^${label}`) })
const expectLast = (bodies: readonly Readonly<Record<string, unknown>>[]) => expect.poll(() => bodies.at(-1))

/** Returns for each cell that a column at a side partly covers whether its text ends before that column. */
const cutCells = `(() => {
  const sides = document.querySelectorAll('#rows thead :is(th:nth-child(2), .row-actions)')
  const [one, other] = [...sides].map((side) => side.getBoundingClientRect())
  const [from, to] = one.left < other.left ? [one.right, other.left] : [other.right, one.left]
  return [...document.querySelectorAll('#rows tbody td:not(.tick, .row-actions)')].flatMap((cell) => {
    const box = cell.getBoundingClientRect()
    const isCut = (edge) => box.right > edge + 1 && box.left < edge - 1
    const value = cell.firstElementChild
    if (!(isCut(from) || isCut(to)) || getComputedStyle(value).opacity === '0') return []
    const content = value.getBoundingClientRect()
    return [content.left >= from - 1 && content.right <= to + 1]
  })
})()`

/** Scrolls the column of badges below the actions but for 15 pixels, in which no value has room. */
const leaveEdgeOfBadge = `(() => {
  const [badge, edge] = ['td:has(> .badge)', '.row-actions'].map((cell) =>
    document.querySelector('#rows tbody ' + cell).getBoundingClientRect())
  const isRtl = document.documentElement.dir === 'rtl'
  document.getElementById('rows').scrollLeft += isRtl ? badge.right - edge.right - 15 : badge.left - edge.left + 15
})()`

/** Returns what keeps columns off the paper: the width of the table, and what stands in cells beside their values. */
const printed = `({
  widest: document.querySelector('.data').offsetWidth,
  paddings: [...new Set([...document.querySelectorAll('#rows td')].map((cell) => getComputedStyle(cell).paddingInlineEnd))],
})`

describe.each(['en', 'ar'] as const)('hands on the explorer in %s', (language) => {
  const { t, ...names } = labels[language]
  const view = `bird_strikes?ln=${language}`

  it.each([1280, 390])('see no value below a column at the side, and all of it on paper, %i px wide', async (width) => {
    const { page, waitForRows } = await open({ view, viewport: { width, height: 800 } })
    await waitForRows()
    await page.locator('.table-frame.more').waitFor()
    const step = (language === 'ar' ? -1 : 1) * 37
    const readLeft = () => page.evaluate<number>('document.getElementById("rows").scrollLeft')
    for (let turn = 0; turn < 6; turn += 1) {
      const before = await readLeft()
      await page.mouse.move(width / 2, 400)
      await page.mouse.wheel(step, 0)
      await expect.poll(readLeft).not.toBe(before)
      await expect.poll(() => page.evaluate<boolean[]>(cutCells).then((cells) => cells.every(Boolean))).toBe(true)
    }
    await page.evaluate(leaveEdgeOfBadge)
    const readOpacity = () => page.evaluate(`getComputedStyle(document.querySelector('#rows td > .badge')).opacity`)
    await expect.poll(readOpacity).toBe('0')
    await page.mouse.wheel(step * 1_000, 0)
    await page.locator('.table-frame:not(.more)').waitFor()
    await page.mouse.wheel(-step * 5, 0)
    await page.locator('.table-frame.more').waitFor()
    await page.emulateMedia({ media: 'print' })
    // A browser shrinks what it prints to two thirds at most, and A4 is 794 pixels wide.
    const { widest, paddings } = await page.evaluate<{ widest: number; paddings: string[] }>(printed)
    expect(widest).toBeLessThanOrEqual(Math.max(width, 794 * 1.5))
    expect(paddings).toEqual(['3px'])
  })

  it('see the filters in one line on a screen of 1280 pixels', async () => {
    const { page, waitForRows } = await open({ view, viewport: { width: 1280, height: 800 } })
    await waitForRows()
    const middles = `[...document.querySelectorAll('.search, .filters > *')].map((part) => {
      const { top, bottom } = part.getBoundingClientRect()
      return Math.round((top + bottom) / 2)
    })`
    expect(new Set(await page.evaluate<number[]>(middles)).size).toBe(1)
  })

  it('see values on the side where their column’s name begins', async () => {
    const { page, waitForRows } = await open({ view: `flights?ln=${language}` })
    await waitForRows()
    const sides = await page.evaluate<readonly number[]>(`(() => {
      const range = document.createRange()
      return [...document.querySelectorAll('#rows tbody tr:first-child .type-text > bdi')].slice(1, 5).map((value) => {
        range.selectNodeContents(value)
        const [text, cell] = [range.getBoundingClientRect(), value.parentElement.getBoundingClientRect()]
        return document.documentElement.dir === 'rtl' ? cell.right - text.right : text.left - cell.left
      })
    })()`)
    expect(sides.length).toBeGreaterThan(1)
    for (const distance of sides) expect(distance).toBeLessThan(12)
  })

  it('see the digits of one place of a number below each other, and its name above them', async () => {
    const { page, waitForRows } = await open({ view: `bird_strikes?ln=${language}&sort=id` })
    await waitForRows()
    const gaps = await page.evaluate<readonly number[]>(`(() => {
      const range = document.createRange()
      return [...document.querySelectorAll('#rows :is(th, td).value-number :is(bdi, .head)')].map((part) => {
        range.selectNodeContents(part)
        return part.closest('th, td').getBoundingClientRect().right - range.getBoundingClientRect().right
      })
    })()`)
    expect(gaps.length).toBeGreaterThan(10)
    for (const gap of gaps) expect(gap).toBeLessThan(12)
  })

  it('type into a filter as soon as it is open, and press Enter', async () => {
    const { page, queries, waitForRows } = await open({ view })
    await waitForRows()
    await chip(page, names.state).click()
    await page.locator('.popup .field:focus').waitFor()
    await page.keyboard.type('tex')
    await page.keyboard.press('Enter')
    await expectLast(queries).toMatchObject({ filters: [{ field: 'origin_state', operator: 'like', value: 'tex' }] })
  })

  it('pick a choice by typing a part of it and pressing Enter', async () => {
    const { page, queries, waitForRows } = await open({ view })
    await waitForRows()
    await chip(page, names.status).click()
    await page.locator('.popup .field:focus').waitFor()
    await page.keyboard.type(names.open.slice(0, 3))
    await page.keyboard.press('Enter')
    await expectLast(queries).toMatchObject({ filters: [{ field: 'status', operator: '=', value: 'open' }] })
    await page.locator('.popup').waitFor({ state: 'detached' })
  })

  it('read that the service cannot be reached, for an action as for its form', async () => {
    const { page, waitForRows, rowMenu } = await open({ view })
    await waitForRows()
    await page.route('**/row-table-action/**', (route) => route.abort())
    await (await rowMenu(0)).getByRole('switch').click()
    await page.locator('.message.danger', { hasText: t.unreachable }).waitFor()
    await (await rowMenu(1)).getByRole('button', { name: names.archive }).click()
    const dialog = page.getByRole('dialog', { name: names.archive })
    await dialog.getByRole('button', { name: names.archive }).click()
    await dialog.getByRole('alert').filter({ hasText: t.unreachable }).waitFor()
  })

  it('export once, with the columns on the screen, and see that it is in progress', async () => {
    const { page, waitForRows } = await open({
      view: `bird_strikes?f.origin_state=%3D:Ohio&column=-species&ln=${language}`,
    })
    await waitForRows()
    const bodies: Record<string, unknown>[] = []
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/bulk-table-action/**', async (route) => {
      bodies.push(route.request().postDataJSON())
      await released
      await route.continue()
    })
    const menu = page.locator('.tools').getByRole('button', { name: t.bulk })
    const entry = page.locator('.popup').getByRole('button', { name: names.excel })
    await menu.click()
    await entry.click()
    await entry.waitFor({ state: 'detached' })
    await page.locator('.message', { hasText: t.working(names.excel) }).waitFor()
    await menu.click()
    await entry.click()
    const file = page.waitForEvent('download')
    release()
    expect((await file).suggestedFilename()).toMatch(/\.xlsx$/)
    expect(bodies).toHaveLength(1)
    expect(bodies[0]?.['columns']).toEqual(expect.arrayContaining(['id', 'status']))
    expect(bodies[0]?.['columns']).not.toContain('species')
  })

  it('archive a row that is named, by a button that says so, and keep their place', async () => {
    const { page, waitForRows, rowMenu, cells } = await open({ view: `bird_strikes?page=3&ln=${language}` })
    await waitForRows()
    const [, second = ''] = await page.locator('#rows tbody tr').allInnerTexts()
    const airport = second.split('\t').find((text) => /[A-Z]{4}/.test(text)) ?? second
    const before = (await cells('ID').catch(() => cells('المعرف')))[1] ?? ''
    await (await rowMenu(1)).getByRole('button', { name: names.archive }).click()
    const dialog = page.getByRole('dialog', { name: names.archive })
    await dialog.locator('.row-name', { hasText: before.replace(/\D/g, '') }).waitFor()
    expect(airport).toContain(((await dialog.locator('.row-name').textContent()) ?? '').split(' · ')[1] ?? '?')
    await dialog.locator('.button.danger', { hasText: names.archive }).click()
    await page.locator('.message.success', { hasText: names.archive }).waitFor()
    await expect.poll(async () => (await page.locator('#rows tbody tr').allInnerTexts())[1]).not.toBe(second)
    await expect.poll(() => page.evaluate(`document.activeElement.closest('#rows tbody tr')?.sectionRowIndex`)).toBe(1)
  })
})

describe('a page of rows', () => {
  it('begins at its first row, with the widths of the page before', async () => {
    const { page, waitForRows, button } = await open({ view: 'bird_strikes?per=100&ln=en' })
    await waitForRows()
    const widths = () =>
      page.evaluate<readonly number[]>(`[...document.querySelectorAll('thead th')].map((head) => head.offsetWidth)`)
    await page.locator('table.data.stable').waitFor()
    const first = await widths()
    await page.mouse.move(400, 400)
    await page.mouse.wheel(0, 3_000)
    await expect.poll(() => page.evaluate<number>(`document.getElementById('rows').scrollTop`)).toBeGreaterThan(100)
    for (const _ of [1, 2, 3]) {
      const shown = await page.locator('#rows tbody tr').first().textContent()
      await button('Next page').click()
      await expect.poll(() => page.locator('#rows tbody tr').first().textContent()).not.toBe(shown)
      await expect.poll(() => page.evaluate(`document.getElementById('rows').scrollTop`)).toBe(0)
      await expect.poll(widths).toEqual(first)
    }
  })

  it('is reached by its number, as people write numbers', async () => {
    const { page, queries, waitForRows } = await open({ view: 'flights?ln=en' })
    await waitForRows()
    const field = page.getByRole('textbox', { name: 'Page', exact: true })
    for (const [typed, asked] of [
      ['٢', 2],
      ['1,000', 1_000],
      ['9876', 9_876],
    ] as const) {
      await field.fill(typed)
      await field.press('Enter')
      await expectLast(queries).toMatchObject({ page: asked })
      await expect.poll(() => field.inputValue()).toBe(String(asked))
      expect(await field.and(page.locator(':focus')).count()).toBe(1)
    }
    await field.fill('the last')
    await field.press('Enter')
    await expect.poll(() => field.inputValue()).toBe('9876')
    const isWhole = '(input) => input.scrollWidth <= input.clientWidth'
    expect(await page.evaluate(`(${isWhole})(document.querySelector('.page-number input'))`)).toBe(true)
  })

  it('shows the default order, and reverses it with a click', async () => {
    const { page, queries, waitForRows } = await open()
    await waitForRows()
    const head = page.getByRole('columnheader', { name: 'Flight date' })
    await expect.poll(() => head.getAttribute('aria-sort')).toBe('descending')
    await head.getByRole('button').click()
    await expectLast(queries).toMatchObject({ sorts: [{ field: 'flight_date', direction: 'asc' }] })
    await page
      .getByRole('columnheader', { name: 'Cost' })
      .getByRole('button')
      .click({ modifiers: ['Shift'] })
    await expect.poll(() => page.locator('.sort-mark small').allInnerTexts()).toEqual(['1', '2'])
  })

  it('opens a row with all its values by a click on it, and shows a value that is cut while pointed at', async () => {
    const { page, waitForRows } = await open({ viewport: { width: 700, height: 700 } })
    await waitForRows()
    const row = page.locator('#rows tbody tr').nth(1)
    const cut = page.locator('#rows tbody td').filter({ hasText: 'CHARLESTON AFB' }).first()
    await page.evaluate(`document.querySelectorAll('thead th')[3].style.inlineSize = '90px'`)
    await cut.hover()
    await expect.poll(() => cut.getAttribute('title')).toMatch(/^CHARLESTON AFB/)
    await page.getByRole('searchbox').hover()
    await expect.poll(() => cut.getAttribute('title')).toBeNull()
    await row.locator('td').nth(2).click()
    await page.getByRole('dialog').getByText('Species', { exact: true }).waitFor()
  })
})

describe('the selection', () => {
  it('takes every row between two ticks with Shift', async () => {
    const { page, waitForRows } = await open()
    await waitForRows()
    await page.locator('#rows tbody input').nth(2).click()
    await page
      .locator('#rows tbody input')
      .nth(7)
      .click({ modifiers: ['Shift'] })
    await page.getByText('6 selected').waitFor()
    await expect.poll(() => page.locator('#rows tbody input:checked').count()).toBe(6)
  })

  it('keeps every action visible if it is of all matching rows, and leaves out a row that is unticked', async () => {
    const { page, waitForRows, button } = await open()
    await waitForRows()
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).click()
    await button(/^Select all [\d,]+ that match/).click()
    await page.locator('.tools').getByRole('button', { name: 'Actions' }).click()
    const assign = page.locator('.popup').getByRole('button', { name: 'Assign', exact: true })
    await expect.poll(() => assign.getAttribute('aria-disabled')).toBe('true')
    await page.getByText('Greyed actions work on rows that are ticked one by one.').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('#rows tbody input').nth(3).click()
    await page.getByText(/^All [\d,]+ rows that match but 1 are selected$/).waitFor()
  })
})

describe('ranges', () => {
  it('are not applied if they end before they begin, and say why', async () => {
    const { page, queries, waitForRows, filter } = await open()
    await waitForRows()
    const dates = await filter('Flight date')
    await page.locator('.popup .field:focus').waitFor()
    await page.keyboard.type('2002-05-01')
    await dates.getByLabel('To', { exact: true }).fill('2001-05-01')
    const before = queries.length
    await page.keyboard.press('Enter')
    await dates.getByRole('alert').filter({ hasText: 'ends before it begins' }).waitFor()
    await expect
      .poll(() => page.evaluate(`getComputedStyle(document.querySelector('.icon-calendar')).opacity`))
      .toBe('1')
    expect(queries).toHaveLength(before)
  })

  it('mark the end that is wrong, both where one is after the other', async () => {
    const { page, waitForRows, filter } = await open()
    await waitForRows()
    const popup = await filter('Flight date')
    const fields = popup.locator('.field.wide[name]')
    const enter = async (from: string, to: string) => {
      await fields.nth(0).fill(from)
      await fields.nth(1).fill(to)
      await page.keyboard.press('Enter')
      await popup.getByRole('alert').waitFor()
      return Promise.all([0, 1].map(async (end) => (await fields.nth(end).getAttribute('aria-invalid')) === 'true'))
    }
    expect(await enter('yesterday', '2001-05-01')).toEqual([true, false])
    expect(await enter('2001-05-01', '2001-05-32')).toEqual([false, true])
    expect(await enter('2001-05-01', '2000-05-01')).toEqual([true, true])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'More filters' }).click()
    await popup.getByRole('button', { name: 'Cost' }).click()
    await popup.getByRole('combobox').selectOption('between')
    expect(await enter('1', 'many')).toEqual([false, true])
    await popup.getByRole('combobox').selectOption('not between')
    expect(await enter('', '9')).toEqual([true, false])
  })

  it('are two conditions for numbers in any digits if the filter has no other operator', async () => {
    const { page, queries, waitForRows } = await open({ view: 'bird_strikes?ln=en' })
    await waitForRows()
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.locator('.popup').getByRole('button', { name: 'Speed' }).click()
    const speed = page.locator('.popup')
    await speed.getByRole('combobox').selectOption('between')
    await speed.getByLabel('At least').fill('٣٠')
    await speed.getByLabel('At most').fill('60')
    await page.keyboard.press('Enter')
    await expectLast(queries).toMatchObject({
      filters: [
        { field: 'speed_knots', operator: '>=', value: '30' },
        { field: 'speed_knots', operator: '<=', value: '60' },
      ],
    })
    await page.locator('.chip-value', { hasText: '30 – 60' }).waitFor()
  })
})

describe('what a person chose', () => {
  it('is there again after a look at another table', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?f.status=%3D:open&sort=id&column=-state&ln=en' })
    await waitForRows()
    for (const name of ['Flights', 'Bird strikes']) {
      await page.locator('.table-name').click()
      await page.locator('.popup .option', { hasText: name }).click()
      await page.locator('.table-name', { hasText: name }).waitFor()
    }
    await expect.poll(() => page.url()).toMatch(/#bird_strikes\?.*f\.status=.*sort=id/)
  })

  it('keeps the language beyond the tab, and no link changes it', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?ln=en' })
    await waitForRows()
    await page.getByRole('button', { name: 'العربية' }).click()
    await page.locator('html[dir="rtl"]').waitFor()
    await expect.poll(() => page.url()).not.toContain('ln=')
    const other = await page.context().newPage()
    await other.goto(`${stack.facts().base_url}/explorer#bird_strikes?ln=en`)
    await other.locator('html[dir="rtl"]').waitFor()
  })
})

describe('a restart of the local stack', () => {
  it('leaves an open page with live updates and demo users', async () => {
    const { page, waitForRows, complaints } = await open()
    await waitForRows()
    await page.getByRole('button', { name: /^Notifications and jobs/ }).click()
    await page.locator('.live.on').waitFor()
    await stack.killAndStart()
    await page.locator('.live.on').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.account').click()
    await page.getByRole('button', { name: 'Use another token' }).click()
    await page.getByRole('button', { name: /^Bob/ }).click()
    await page.locator('.account', { hasText: 'bob' }).waitFor()
    await expect.poll(() => page.locator('.popup').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})
