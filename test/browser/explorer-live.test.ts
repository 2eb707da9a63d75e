import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { createChangeClient } from '../../lib/client/changes.ts'
import type { registry } from '../../tables/index.ts'
import { type Explorer, startExplorer, supervisor } from '../support/browser/explorer-page.ts'
import { pageViolations } from '../support/browser/page-violations.ts'

const { stack, open } = await startExplorer()

const count = 60
const name = (place: number) => `row ${String(place).padStart(3, '0')}`

/** Sorted by assignee, the first rows are those of the ids 1 to 60 in their order. */
beforeEach(async () => {
  await stack.sql()`update bird_strikes set assignee = null where assignee is not null`
  await stack.sql()`update bird_strikes set assignee = 'row ' || lpad(id::text, 3, '0'), status = 'open' where id <= ${count}`
})

const english = {
  ln: 'en',
  live: 'Live',
  edit: 'Edit Assignee',
  review: 'Mark reviewed',
  column: 'Assignee',
  viewport: { width: 1360, height: 820 },
}
const arabic: typeof english = {
  ln: 'ar',
  live: 'مباشر',
  edit: 'تعديل المكلَّف',
  review: 'تعيين كمُراجَع',
  column: 'المكلَّف',
  viewport: english.viewport,
}
const phone = { ...arabic, viewport: { width: 390, height: 800 } }
const views = [
  ['in English', english],
  ['in Arabic', arabic],
  ['on a phone', phone],
] as const

/** Writes a cell as another user. */
async function assign(id: number, assignee: string | null) {
  const baseUrl = stack.facts().base_url
  const token = () => stack.createToken({ ...supervisor, sub: 'colleague' })
  const outcome = await createChangeClient<typeof registry>({ baseUrl, token }).updateCells('bird_strikes', id, {
    assignee,
  })
  expect(outcome.outcome).toBe('saved')
}

/** Keeps what is animated, by the property that changes. */
const keepAnimations = `
globalThis.animated = []
const animate = Element.prototype.animate
Element.prototype.animate = function (frames, options) {
  const [first] = [frames].flat()
  animated.push(Object.keys(first).find((key) => key !== 'offset') + ' ' + this.tagName)
  return animate.call(this, frames, options)
}`

const readAnimated = (page: Page) => page.evaluate<string[]>('animated')
const waitUntilLive = (page: Page) => page.locator('.live-switch.is-live').waitFor()

async function openLive({ ln, viewport }: typeof english, more: Parameters<typeof open>[0] = {}) {
  const explorer = await open({
    view: `bird_strikes?ln=${ln}&sort=assignee&per=50`,
    viewport,
    script: keepAnimations,
    ...more,
  })
  await explorer.waitForRows()
  await waitUntilLive(explorer.page)
  return explorer
}

const waitForCell = ({ cells }: Explorer, { column }: typeof english, row: number, text: string) =>
  expect.poll(async () => (await cells(column))[row]?.trim()).toBe(text)

describe.each(views)('a page that is live, %s', (_, words) => {
  it('shows the change of another user in its cell, and flashes only that cell', async () => {
    const explorer = await openLive(words)
    const { page, shot, complaints } = explorer
    await assign(3, 'row 003 b')
    await waitForCell(explorer, words, 2, 'row 003 b')
    expect(await readAnimated(page)).toEqual(['backgroundColor TD'])
    await shot(`live-changed-${words.ln}-${words.viewport.width}`)
    expect(await pageViolations(page, '.pager')).toEqual([])
    expect(complaints).toEqual([])
  })

  it('lets rows leave, enter and move', async () => {
    const explorer = await openLive(words)
    const { page } = explorer
    await assign(2, null)
    await waitForCell(explorer, words, 1, name(3))
    await waitForCell(explorer, words, 49, name(51))
    expect(await page.locator('#rows tbody tr').count()).toBe(50)
    expect(await readAnimated(page)).toEqual(
      expect.arrayContaining(['opacity TR', 'transform TR', 'backgroundColor TD']),
    )
    await assign(9, 'row 000')
    await waitForCell(explorer, words, 0, 'row 000')
    await explorer.shot(`live-moved-${words.ln}-${words.viewport.width}`)
    await expect.poll(() => page.evaluate(`document.querySelectorAll('#rows tbody tr[style]').length`)).toBe(0)
  })

  it('leaves focus, ticks and the place on the screen as they are', async () => {
    const explorer = await openLive(words)
    const { page } = explorer
    const row = page.locator('#rows tbody tr').nth(20)
    const box = row.getByRole('checkbox')
    await box.focus()
    await page.keyboard.press('Space')
    await page.evaluate(`document.getElementById('rows').scrollTop = 500`)
    const readPlace = () =>
      page.evaluate(`(() => {
        const own = [...document.querySelectorAll('#rows tbody tr')].find((row) => row.innerText.includes('${name(21)}'))
        const { top } = own.getBoundingClientRect()
        return { top: Math.round(top), hasFocus: own.contains(document.activeElement), isTicked: own.querySelector('input').checked }
      })()`)
    const before = await readPlace()
    expect(before).toMatchObject({ hasFocus: true, isTicked: true })
    await assign(2, null)
    await waitForCell(explorer, words, 1, name(3))
    await expect.poll(readPlace).toEqual(before)
    await assign(50, 'row 000')
    await waitForCell(explorer, words, 0, 'row 000')
    await expect.poll(readPlace).toEqual(before)
    await assign(21, 'row 001 b')
    await waitForCell(explorer, words, 2, 'row 001 b')
    const focused = page.locator('#rows tbody tr', { hasText: 'row 001 b' }).getByRole('checkbox')
    await focused.and(page.locator(':focus')).waitFor()
  })

  it('waits with changes while a cell is edited, and shows them afterwards', async () => {
    const explorer = await openLive(words)
    const { page } = explorer
    const row = page.locator('#rows tbody tr').nth(4)
    await row.getByRole('checkbox').focus()
    await row.getByRole('button', { name: words.edit }).focus()
    await page.keyboard.press('Enter')
    const field = page.locator('.popup').getByRole('textbox', { name: words.column })
    await field.fill('what I write')
    // A change that another page shows by now has reached this one as well.
    const other = await openLive(words)
    await assign(1, null)
    await assign(2, 'row 002 b')
    await waitForCell(other, words, 0, 'row 002 b')
    expect(await field.inputValue()).toBe('what I write')
    expect(await field.and(page.locator(':focus')).count()).toBe(1)
    expect((await explorer.cells(words.column))[0]?.trim()).toBe(name(1))
    await page.keyboard.press('Escape')
    await waitForCell(explorer, words, 0, 'row 002 b')
    await expect
      .poll(() => page.evaluate(`document.activeElement.closest('tr')?.innerText.includes('${name(5)}') ?? false`))
      .toBe(true)
  })
})

describe.each([english, arabic])('a change of the user on a page that is live, in $ln', (words) => {
  it('is shown once, from its own response', async () => {
    const view = `bird_strikes?ln=${words.ln}&sort=assignee&per=50&f.status=%3D:open`
    const explorer = await openLive(words, { view })
    const { page, rowMenu, total, queries } = explorer
    const count = await total()
    const row = page.locator('#rows tbody tr').nth(4)
    await row.getByRole('checkbox').focus()
    await row.getByRole('button', { name: words.edit }).click()
    await page
      .locator('.popup')
      .getByRole('textbox', { name: words.column })
      .fill(`${name(5)} b`)
    await page.keyboard.press('Enter')
    await waitForCell(explorer, words, 4, `${name(5)} b`)
    // A later change of another user has come: so has the one above, which does not flash.
    await assign(8, `${name(8)} b`)
    await waitForCell(explorer, words, 7, `${name(8)} b`)
    expect(await readAnimated(page)).toEqual(['backgroundColor TD'])
    const asked = queries.length
    await rowMenu(2)
    // Live rows wait while a pointer is pressed, so that the response of the action is shown first.
    await page.locator('#rows tbody td').first().dispatchEvent('pointerdown')
    await page.locator('.popup').getByRole('button', { name: words.review }).press('Enter')
    await waitForCell(explorer, words, 2, name(4))
    expect(await total()).toBe(count - 1)
    await page.locator('#rows tbody td').first().dispatchEvent('pointerup')
    await waitForCell(explorer, words, 49, name(51))
    expect(await page.locator('#rows tbody tr').count()).toBe(50)
    expect(await page.locator('.pager .count').textContent()).toMatch(/^\D*1\D+50\D/)
    expect(queries.slice(asked)).toEqual([])
  })
})

describe('the first live rows of a page', () => {
  it('do not bring back a row that has left by a change of the user since they were read', async () => {
    const view = 'bird_strikes?ln=en&sort=assignee&per=50&f.status=%3D:open'
    const explorer = await open({ view })
    const { page, rowMenu, waitForRows } = explorer
    const held: (() => void)[] = []
    await page.routeWebSocket(/./, (socket) => {
      socket.connectToServer().onMessage((message) => {
        const isOfFirst = String(message).includes('"id":"page-1"')
        if (!isOfFirst) socket.send(message)
        else if (String(message).includes('rows.subscribed')) held.push(() => socket.send(message))
      })
    })
    await page.reload()
    await waitForRows()
    await expect.poll(() => held.length).toBe(1)
    await (await rowMenu(2)).getByRole('button', { name: english.review }).press('Enter')
    await waitForCell(explorer, english, 2, name(4))
    held[0]?.()
    await waitUntilLive(page)
    await waitForCell(explorer, english, 49, name(51))
    await waitForCell(explorer, english, 2, name(4))
  })
})

describe('the switch of live rows', () => {
  it('is on at first, is used by keyboard, and is remembered', async () => {
    const explorer = await openLive(english)
    const { page } = explorer
    const switched = page.getByRole('switch', { name: english.live })
    expect(await switched.getAttribute('aria-checked')).toBe('true')
    await switched.focus()
    await page.keyboard.press('Space')
    await page.locator('.live-switch.is-off[aria-checked="false"]').waitFor()
    await assign(1, 'row 001 b')
    await page.reload()
    await page.locator('.live-switch.is-off[aria-checked="false"]').waitFor()
    await waitForCell(explorer, english, 0, 'row 001 b')
    await assign(2, 'row 001 c')
    await page.locator('.live-switch').click()
    await waitUntilLive(page)
    await waitForCell(explorer, english, 1, 'row 001 c')
  })

  it('says in the language of the page why the rows are not live', async () => {
    const cut = `const Socket = WebSocket
      globalThis.WebSocket = class extends Socket {
        constructor(...given) {
          super(...given)
          globalThis.cut = () => {
            globalThis.fetch = () => Promise.reject(new TypeError('offline'))
            this.close()
          }
        }
      }`
    const { page } = await openLive(arabic, { script: cut })
    await page.evaluate('cut()')
    await page.locator('.live-switch.is-lost').waitFor()
    await expect.poll(() => page.locator('.live-switch').getAttribute('title')).toBe('تعذّر الوصول إلى الخدمة.')
  })

  it('is missing where the service has no sockets', async () => {
    const refuse = `const send = fetch
      const asked = Promise.withResolvers()
      globalThis.refuseTicket = asked.resolve
      globalThis.fetch = (input, init) => String(input).includes('socket-ticket')
        ? asked.promise.then(() => Response.json({ success: false, code: 'route_not_found', message: 'None' }, { status: 404 }))
        : send(input, init)`
    const { page, waitForRows } = await open({ script: refuse })
    await waitForRows()
    await page.locator('.live-switch').waitFor()
    await page.evaluate('refuseTicket()')
    await page.locator('.live-switch').waitFor({ state: 'detached' })
  })
})

describe('changes that others make', () => {
  it('do not disturb a page that is turned while rows fade', async () => {
    const fadeSlowly = `globalThis.fades = []
      const animate = Element.prototype.animate
      Element.prototype.animate = function (frames, options) {
        const animation = animate.call(this, frames, options)
        if (!('opacity' in frames)) return animation
        animation.pause()
        fades.push(animation)
        return animation
      }
      // The fade ends as soon as the next page is drawn, before that is watched.
      new MutationObserver((_, observer) => {
        if (!document.querySelector('#rows tbody tr')?.innerText.includes('${name(52)}')) return
        observer.disconnect()
        requestAnimationFrame(() => requestAnimationFrame(() => fades.forEach((fade) => fade.finish())))
      }).observe(document, { childList: true, subtree: true })`
    const explorer = await openLive(english, { script: fadeSlowly })
    const { page, button, complaints } = explorer
    await assign(2, null)
    await expect.poll(() => page.evaluate('fades.length')).toBe(1)
    await button('Next page').click()
    await waitForCell(explorer, english, 0, name(52))
    await waitUntilLive(page)
    await assign(55, `${name(55)} b`)
    await waitForCell(explorer, english, 3, `${name(55)} b`)
    expect(complaints).toEqual([])
  })

  it('have the rows counted once more if a count is under way', async () => {
    const hasten = `const startTimer = globalThis.setTimeout
      globalThis.setTimeout = (run, ms, ...values) => startTimer(run, ms >= 5000 ? 50 : ms, ...values)`
    const view = 'bird_strikes?ln=en&sort=assignee&per=50&f.assigned=%3D:set'
    const explorer = await openLive(english, { script: hasten, view })
    const { page, total } = explorer
    const before = await total()
    const counted = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    await page.route('**/query-table/**', async (route) => {
      if (route.request().postDataJSON().count_only !== true) return route.continue()
      const response = await route.fetch()
      asked.resolve()
      await counted.promise
      await route.fulfill({ response })
    })
    await assign(2, null)
    await asked.promise
    await assign(4, null)
    await waitForCell(explorer, english, 2, name(5))
    counted.resolve()
    await expect.poll(total).toBe(before - 2)
  })

  it('do not move rows for users who want no motion, and still flash', async () => {
    const explorer = await openLive(english, { reducedMotion: 'reduce' })
    await assign(2, 'row 000')
    await waitForCell(explorer, english, 0, 'row 000')
    expect(await readAnimated(explorer.page)).toEqual(['backgroundColor TD'])
  })

  it('are read out in one sentence, some seconds later, and nothing else is', async () => {
    const said = `globalThis.said = []
      const seen = new Map()
      new MutationObserver(() => {
        for (const region of document.querySelectorAll('[role="status"], [aria-live]')) {
          const text = region.textContent
          if (text !== '' && seen.get(region) !== text) said.push(text)
          seen.set(region, text)
        }
      }).observe(document, { childList: true, subtree: true, characterData: true })
      const startTimer = globalThis.setTimeout
      globalThis.setTimeout = (run, ms, ...values) => {
        if (ms !== 6000) return startTimer(run, ms, ...values)
        globalThis.endPause = run
        return 0
      }`
    const explorer = await openLive(english, { script: said })
    const { page } = explorer
    const before = (await page.evaluate<string[]>('said')).length
    await assign(3, 'row 003 b')
    await waitForCell(explorer, english, 2, 'row 003 b')
    // A row that changes again is still one row.
    await assign(3, 'row 003 c')
    await waitForCell(explorer, english, 2, 'row 003 c')
    await assign(5, null)
    await waitForCell(explorer, english, 4, name(6))
    expect(await page.evaluate<string[]>('said')).toHaveLength(before)
    await page.evaluate('endPause()')
    await expect.poll(() => page.evaluate<number>('said.length')).toBeGreaterThan(before)
    const texts = (await page.evaluate<string[]>('said')).slice(before)
    expect(texts).toEqual(['1 row changed, 1 row added to the page, 1 row gone from the page'])
  })

  it('load the page again, with a small sign, when they are too many', async () => {
    const explorer = await openLive(english)
    const { page } = explorer
    await page.evaluate(`globalThis.signs = []
      new MutationObserver(() => signs.push(document.querySelector('.live-switch').className.split(' ').at(-1)))
        .observe(document.querySelector('.live-switch'), { attributes: true })`)
    for (let place = 1; place <= 12; place += 1) await assign(place, `${name(place)} b`)
    await expect
      .poll(async () => (await explorer.cells(english.column)).slice(0, 12).every((text) => text.includes(' b')))
      .toBe(true)
    await waitUntilLive(page)
    await expect.poll(() => page.evaluate(`document.querySelector('#rows tbody').className`)).toBe('')
  })
})
