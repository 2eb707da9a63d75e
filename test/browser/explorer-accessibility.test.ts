import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { startExplorer } from '../support/browser/explorer-page.ts'
import { pageViolations, readLibrary } from '../support/browser/page-violations.ts'

const { open } = await startExplorer()

const looks = [
  { language: 'en', colorScheme: 'light' },
  { language: 'en', colorScheme: 'dark' },
  { language: 'ar', colorScheme: 'light' },
  { language: 'ar', colorScheme: 'dark' },
] as const

const words = {
  en: { actions: 'Assign', requests: 'Requests', columns: 'Columns', tray: /^Notifications and jobs/ },
  ar: { actions: 'تكليف', requests: 'الطلبات', columns: 'الأعمدة', tray: /^الإشعارات والمهام/ },
}

describe.each(looks)('in $language and $colorScheme', ({ language, colorScheme }) => {
  const look = `${language}-${colorScheme}`
  const texts = words[language]
  const filtered = `bird_strikes?f.status=%3D:open&sort=-cost_total&ln=${language}`

  it('has no violation in a table', async () => {
    const { page, waitForRows, shot } = await open({ view: filtered, colorScheme })
    await waitForRows()
    await page.locator('#rows tbody input').first().check()
    await shot(`table-${look}`)
    expect(await pageViolations(page)).toEqual([])
  })

  it('names each row by its first value', async () => {
    const { page, waitForRows } = await open({ view: filtered, colorScheme })
    await waitForRows()
    const [head, first] = await Promise.all([
      page.locator('#rows').getByRole('rowheader').allInnerTexts(),
      page.locator('#rows tbody tr > :nth-child(2)').allInnerTexts(),
    ])
    expect(head.length).toBeGreaterThan(1)
    expect(head).toEqual(first)
  })

  it('has no violation in menus and popups', async () => {
    const { page, waitForRows, shot, rowMenu, button } = await open({ view: filtered, colorScheme })
    await waitForRows()
    await page.locator('.filters .chip').first().click()
    await page.locator('.popup').waitFor()
    await shot(`filter-${look}`)
    expect(await pageViolations(page, '.popup')).toEqual([])
    await page.keyboard.press('Escape')
    await button(texts.columns).click()
    expect(await pageViolations(page, '.popup')).toEqual([])
    await page.keyboard.press('Escape')
    await button(texts.tray).click()
    await shot(`tray-${look}`)
    expect(await pageViolations(page, '.popup')).toEqual([])
    await page.keyboard.press('Escape')
    await rowMenu(1)
    await shot(`row-menu-${look}`)
    expect(await pageViolations(page, '.popup')).toEqual([])
  })

  it('has no violation in dialogs', async () => {
    const { page, waitForRows, shot, rowMenu, button } = await open({ view: filtered, colorScheme })
    await waitForRows()
    await (await rowMenu(1)).getByRole('button', { name: texts.actions, exact: true }).click()
    await page.locator('.modal').waitFor()
    await shot(`form-${look}`)
    expect(await pageViolations(page, '.modal')).toEqual([])
    await page.keyboard.press('Escape')
    await button(texts.requests).click()
    await page.locator('.request summary').first().click()
    await shot(`requests-${look}`)
    expect(await pageViolations(page, '.modal')).toEqual([])
  })

  it('has no violation in the sign-in page and an empty table', async () => {
    const nobody = await open({ as: null, view: `flights?ln=${language}`, colorScheme })
    await nobody.page.locator('.modal').waitFor()
    await nobody.shot(`sign-in-${look}`)
    expect(await pageViolations(nobody.page, '.modal')).toEqual([])
    const empty = await open({ view: `bird_strikes?f.species=like:unicorn&ln=${language}`, colorScheme })
    await empty.page.locator('.nothing').waitFor()
    await empty.shot(`empty-${look}`)
    expect(await pageViolations(empty.page)).toEqual([])
  })
})

describe.each([
  ['en', 320],
  ['ar', 390],
] as const)('on a phone, in %s', (language, width) => {
  it('fits the screen except for the rows, and all of it works', async () => {
    const viewport = { width, height: 740 }
    const { page, waitForRows, shot, rowMenu } = await open({
      view: `bird_strikes?ln=${language}`,
      viewport,
      hasTouch: true,
    })
    await waitForRows()
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect(overflow).toBeLessThanOrEqual(0)
    const hidden = await page.evaluate(`(() => {
      const name = document.querySelector('.table-name > span')
      return [name.scrollWidth - name.clientWidth, name.scrollHeight - name.clientHeight]
    })()`)
    expect(hidden, 'the name of the table is not cut').toEqual([0, 0])
    await shot(`phone-${language}`)
    expect(await pageViolations(page)).toEqual([])
    await rowMenu(2)
    const box = await page.locator('.popup').boundingBox()
    expect(box?.x).toBeGreaterThanOrEqual(0)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
    await shot(`phone-menu-${language}`)
  })

  it('has all tools in one line, also with what is chosen in them', async () => {
    const chosen = 'sort=-cost_total&total=sum:cost_total&total=avg:cost_total&by=:damage&by=:species'
    const viewport = { width: 360, height: 740 }
    const { page } = await open({ view: `bird_strikes?ln=${language}&${chosen}`, viewport, hasTouch: true })
    await page.locator('.tools .badge').nth(2).waitFor()
    await page.locator('.grouped').waitFor()
    const readTops = `[...document.querySelectorAll('.tools > .button')].map(({ offsetTop }) => offsetTop)`
    expect(new Set(await page.evaluate<number[]>(readTops)).size).toBe(1)
    expect(await pageViolations(page)).toEqual([])
  })

  it('shows a whole moment in the column that stays at its side', async () => {
    const viewport = { width: 360, height: 740 }
    const { page, waitForRows } = await open({ view: `flights?ln=${language}`, viewport, hasTouch: true })
    await waitForRows()
    const [needed, given] = await page.evaluate<[number, number]>(`(() => {
      const cell = document.querySelector('.data tbody th')
      const { paddingLeft, paddingRight } = getComputedStyle(cell)
      const text = document.createRange()
      text.selectNodeContents(cell)
      const given = cell.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
      return [Math.floor(text.getBoundingClientRect().width), given]
    })()`)
    expect(needed).toBeLessThanOrEqual(given)
  })

  it.each([
    ['the paths of requests', '', '.requests .path', '.modal'],
    ['the names of groups', 'by=:airport_name&', '.opens > bdi', 'th'],
  ])('shows %s from their first letter', async (_, view, text, frame) => {
    const viewport = { width, height: 740 }
    const opened = await open({ view: `bird_strikes?${view}ln=${language}`, viewport, hasTouch: true })
    await opened.page.locator('#rows tbody tr').nth(1).waitFor()
    if (frame === '.modal') await opened.button(words[language].requests).click()
    await opened.page.locator(text).nth(2).waitFor()
    const hidden = await opened.page.evaluate(`[...document.querySelectorAll('${text}')].filter((each) => {
      const [inner, outer] = [each, each.closest('${frame}')].map((one) => one.getBoundingClientRect())
      return inner.left < outer.left || inner.right > outer.right
    }).map((each) => each.textContent)`)
    expect(hidden).toEqual([])
  })
})

describe('by keyboard alone', () => {
  it('a filter is set, a row acted upon, and the focus is where it was', async () => {
    const { page, waitForRows, cells } = await open()
    await waitForRows()
    const readFocused = () => page.evaluate("document.activeElement?.textContent ?? ''")
    const tabTo = async (matches: () => Promise<unknown>, most = 60) => {
      for (let press = 0; press < most; press += 1) {
        if (await matches()) return
        await page.keyboard.press('Tab')
      }
      throw new Error('it cannot be reached by Tab')
    }
    await tabTo(async () => (await readFocused()) === 'State')
    await page.keyboard.press('Enter')
    await page.locator('.popup .field:focus').waitFor()
    expect(await page.evaluate(`document.activeElement?.getAttribute('name')`)).toBe('value')
    await page.keyboard.type('Ohio')
    await page.keyboard.press('Enter')
    await expect.poll(async () => new Set(await cells('State'))).toEqual(new Set(['Ohio']))
    const onMenu = () => page.evaluate(`document.activeElement?.closest('td.row-actions') !== null`)
    await tabTo(onMenu)
    await page.keyboard.press('Enter')
    await page.locator('.popup').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(onMenu).toBe(true)
  })
})

describe('on a screen of 320 by 256 pixels, as of 400 % zoom', () => {
  it('scrolls the page, so that rows and pager have room', async () => {
    const { page, waitForRows, shot, button } = await open({ viewport: { width: 320, height: 256 } })
    await waitForRows()
    await shot('zoomed')
    expect((await page.locator('#rows').boundingBox())?.height).toBeGreaterThan(150)
    await button('Last page').scrollIntoViewIfNeeded()
    const { y = -1, height = 0 } = (await button('Last page').boundingBox()) ?? {}
    expect([y >= 0, y + height <= 256]).toEqual([true, true])
  })

  it('ends popups at its edge and lets them scroll', async () => {
    const { page, waitForRows, shot, button } = await open({ viewport: { width: 640, height: 240 } })
    await waitForRows()
    await button('Columns').click()
    const popup = page.locator('.popup')
    await popup.getByRole('button', { name: 'Show all' }).scrollIntoViewIfNeeded()
    await shot('long-menu')
    const { y = -1, height = 999 } = (await popup.boundingBox()) ?? {}
    expect([y >= 0, y + height <= 240]).toEqual([true, true])
    const last = await popup.getByRole('button', { name: 'Show all' }).boundingBox()
    expect((last?.y ?? 999) + (last?.height ?? 0)).toBeLessThanOrEqual(240)
  })
})

describe('a failure', () => {
  it('is read out without its countdown, and keeps the focus on its button', async () => {
    // A countdown that stands still: no request is sent but those of the user.
    const script = 'globalThis.setInterval = () => 0'
    const { page, waitForRows, button, requests } = await open({ isLive: false, script })
    await waitForRows()
    await page.route('**/query-table/**', (route) => route.abort())
    await button('Next page').click()
    const alert = page.locator('.note').getByRole('alert')
    await expect.poll(() => alert.textContent()).toBe('The service cannot be reached.')
    await page
      .locator('.note')
      .getByText(/Trying again in/)
      .waitFor()
    await button('Try again').focus()
    const before = requests.length
    await page.keyboard.press('Enter')
    await expect.poll(() => requests.length).toBeGreaterThan(before)
    await page
      .locator('.note')
      .getByText(/Trying again in/)
      .waitFor()
    await button('Try again').and(page.locator(':focus')).waitFor()
  })

  it('is tied to the field that it is about', async () => {
    const { page, waitForRows, filter } = await open()
    await waitForRows()
    const popup = await filter('Flight date')
    const day = popup.getByRole('textbox', { name: 'From' })
    await day.fill('yesterday')
    await day.press('Enter')
    await popup.getByRole('alert').waitFor()
    const described = `document.getElementById(document.querySelector('.popup .field.wide[name]').getAttribute('aria-describedby')).textContent`
    expect(await page.evaluate(described)).toContain('Write a day')
  })
})

describe('the colours of the system', () => {
  it('tell unread notifications from the others, and the open list from the closed one', async () => {
    const { page, waitForRows, button, shot } = await open({ as: null, forcedColors: 'active' })
    const common = {
      title: 'A report',
      body: 'It is there.',
      level: 'info',
      data: {},
      created_at: '2026-11-27T06:00:00Z',
    }
    const items = [null, '2026-11-27T06:10:00Z'].map((read_at, id) => ({ ...common, id, read_at }))
    await page.route('**/notifications?*', (route) =>
      route.fulfill({ json: { success: true, items, unread_count: 1, pagination: { next_cursor: null } } }),
    )
    await button('Bob, supervisor of all states').click()
    await waitForRows()
    await button(/^Notifications and jobs/).click()
    await page.locator('.card').nth(1).waitFor()
    const countEdges = (parts: string, edge: string) =>
      page.evaluate(
        `new Set([...document.querySelectorAll('${parts}')].map((one) => getComputedStyle(one).${edge})).size`,
      )
    expect(await countEdges('.card', 'borderInlineStartColor')).toBe(2)
    expect(await countEdges('.tab', 'borderBlockEndColor')).toBe(2)
    await shot('forced-colors')
  })
})

/** Keeps the direction in which the page is painted first. */
const keepDirection = `
new MutationObserver((_, observer) => {
  if (document.querySelector('.app-header') === null) return
  globalThis.firstDirection = document.documentElement.dir
  observer.disconnect()
}).observe(document, { childList: true, subtree: true })`

/** Returns how far each part of a chip's dates is from the left. */
const dateParts = `(() => {
  const text = document.querySelector('.chip-value').firstChild
  const range = document.createRange()
  return [...text.data.matchAll(/\\d+(?=-|$| )/g)].map(({ index }) => {
    range.setStart(text, index)
    range.setEnd(text, index + 1)
    return range.getBoundingClientRect().left
  })
})()`

describe('right to left', () => {
  it('mirrors the page and keeps numbers and dates as they are', async () => {
    const { page, waitForRows, cells } = await open({ view: 'bird_strikes?ln=ar', script: keepDirection })
    await waitForRows()
    expect(await page.evaluate('firstDirection')).toBe('rtl')
    const brand = await page.locator('.brand').boundingBox()
    expect(brand?.x).toBeGreaterThan(1_200)
    expect((await cells('المعرف'))[0]).toMatch(/^\d+$/)
    expect((await cells('التكلفة (دولار)')).join()).toMatch(/\d,\d{3}/)
    const dates = page.locator('td.value-date bdi')
    expect(await dates.first().textContent()).toMatch(/^\d{4}-\d\d-\d\d$/)
    await page.locator('td .badge', { hasText: 'مفتوح' }).first().waitFor()
    const range = 'f.flight_date_from=between:2001-03-02&f.flight_date_from=between:2001-03-31'
    await page.evaluate(`location.hash = 'bird_strikes?${range}'`)
    await page.locator('.chip-value').waitFor()
    // Each date is read from the left, and the second of a range stands left of the first.
    const [year = 0, month = 0, , laterYear = 0, laterMonth = 0] = await page.evaluate<readonly number[]>(dateParts)
    expect([year < month, laterYear < laterMonth, laterYear < year]).toEqual([true, true, true])
  })

  it('names the types of columns and the order of the table in Arabic', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?ln=ar' })
    await waitForRows()
    await page.getByRole('button', { name: 'الأعمدة' }).click()
    const popup = page.locator('.popup')
    await expect.poll(() => popup.locator('li').nth(1).textContent()).toBe('تاريخ الرحلةتاريخ')
    expect(await popup.textContent()).not.toMatch(/[a-z]/i)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'ترتيب', exact: true }).click()
    await expect.poll(() => popup.locator('.help').textContent()).toBe('الترتيب الأصلي للجدول: تاريخ الرحلة، تنازلي')
  })
})

/** Follows how far the browser says that the layout has shifted, from its beginning. */
const observe = `${readLibrary('web-vitals')}
globalThis.layoutShift = 0
webVitals.onCLS(({ value }) => { layoutShift = value }, { reportAllChanges: true })`

describe('figures', () => {
  it.each(['bird_strikes', 'flights'])('show for %s that the page does not jump', async (table) => {
    const { page, waitForRows, filter, total } = await open({ view: `${table}?ln=en`, script: observe })
    await waitForRows()
    const popup = await filter(table === 'flights' ? 'From state' : 'Status')
    await popup.getByRole('radio').first().waitFor()
    const before = await total()
    // The browser leaves out what moves within half a second of a person's click, so a script clicks.
    await page.evaluate(`document.querySelector('.popup input[type="radio"]').click()`)
    await expect.poll(total).toBeLessThan(before)
    expect(await page.evaluate('layoutShift')).toBeLessThan(0.1)
  })

  it('show that rows of a filter that arrive late do not move those before', async () => {
    const { page, waitForRows, filter, total } = await open({ view: 'bird_strikes?ln=en', script: observe })
    await waitForRows()
    const before = await total()
    const popup = await filter('Status')
    // The browser leaves out what moves within half a second of a click.
    await page.route('**/query-table/**', async (route) => {
      await sleep(700)
      await route.continue()
    })
    await popup.getByRole('radio').first().click()
    await expect.poll(total).toBeLessThan(before)
    expect(await page.evaluate('layoutShift')).toBeLessThan(0.02)
  })
})
