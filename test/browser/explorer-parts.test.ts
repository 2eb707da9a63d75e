import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type Explorer, startExplorer } from '../support/browser/explorer-page.ts'

/** A browser without idle time loads no part before it is needed. */
const neverIdle = 'globalThis.requestIdleCallback = () => 0'

const { open } = await startExplorer({ script: neverIdle })

const loadedScripts = ({ requests }: Explorer) => requests.filter((path) => path.endsWith('.js'))
const focusedText = ({ page }: Explorer) => page.evaluate("document.activeElement?.textContent ?? ''")

/** Cuts the network off. A page that has not heard of it yet could still load what a click needs. */
async function goOffline(page: Page): Promise<void> {
  await page.context().setOffline(true)
  await expect.poll(() => page.evaluate('navigator.onLine')).toBe(false)
}

const names = {
  en: {
    columns: 'Columns',
    unreachable: 'The service cannot be reached.',
    retry: 'Try again',
    reload: 'Reload the page',
  },
  ar: {
    columns: 'الأعمدة',
    unreachable: 'تعذّر الوصول إلى الخدمة.',
    retry: 'إعادة المحاولة',
    reload: 'إعادة تحميل الصفحة',
  },
}

describe('a part of the page', () => {
  it('is not loaded for a first look at a table', async () => {
    const explorer = await open()
    await explorer.waitForRows()
    expect(loadedScripts(explorer)).toHaveLength(1)
  })

  it('is loaded when the browser has time, so that what it draws comes at once', async () => {
    const explorer = await open({ script: '' })
    await explorer.waitForRows()
    await expect.poll(() => loadedScripts(explorer).length).toBeGreaterThan(2)
    // Requested is not loaded: an import ends when the module and all that it imports are there.
    await explorer.page.evaluate(`Promise.all(${JSON.stringify(loadedScripts(explorer))}.map((path) => import(path)))`)
    await goOffline(explorer.page)
    await explorer.button('Columns').click()
    await explorer.page.locator('.popup').waitFor()
    await explorer.page.keyboard.press('Escape')
    await explorer.button('Requests').click()
    await explorer.page.getByRole('dialog', { name: 'Requests' }).waitFor()
  })

  it('is loaded soon where the browser has no idle time to offer, as in Safari', async () => {
    // A pause of five seconds before each part is one that does not end here.
    const script = `
      delete globalThis.requestIdleCallback
      const startTimer = globalThis.setTimeout
      globalThis.setTimeout = (run, ms, ...values) => startTimer(run, ms === 5000 ? 1e9 : ms, ...values)`
    const { page } = await open({ script })
    await page.locator('.live-switch').waitFor()
  })

  it('draws a popup that takes the focus and gives it back, also the first time', async () => {
    const explorer = await open()
    const { page, waitForRows, button } = explorer
    await waitForRows()
    await button('Columns').focus()
    await page.keyboard.press('Enter')
    const popup = page.getByRole('dialog', { name: 'Columns' })
    await popup.getByRole('searchbox').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await popup.waitFor({ state: 'hidden' })
    await expect.poll(() => focusedText(explorer)).toContain('Columns')
    await page.keyboard.press('Shift+Tab')
    await expect.poll(() => focusedText(explorer)).toContain('Sort')
  })

  it('draws a popup that closes the one before, although its button takes no focus by a press, as in Safari', async () => {
    const { page, waitForRows, button, filter } = await open()
    await waitForRows()
    await page.evaluate(`addEventListener('mousedown', (event) => {
      event.preventDefault()
      document.activeElement.blur()
    })`)
    const popup = await filter('State')
    await popup.locator('.field:focus').waitFor()
    await button('More filters').click()
    await expect.poll(() => page.locator('.popup-title').allTextContents()).toEqual(['More filters'])
  })

  it('leaves the keyboard of a phone away when a finger opens a popup, also the first time', async () => {
    const { page, waitForRows, button } = await open({ hasTouch: true, viewport: { width: 390, height: 800 } })
    await waitForRows()
    await button('Columns').tap()
    // The popup has the focus itself: a field in it would show the keyboard.
    await page.locator('.popup:focus').waitFor()
    await page.getByRole('dialog', { name: 'Columns' }).getByRole('searchbox').waitFor()
  })
})

/**
 * Stops the local stack's page from loading its table every three seconds: offline, that would take the message of the
 * part away.
 */
const noReload = `
const repeat = globalThis.setInterval
globalThis.setInterval = (run, ms, ...values) => ms === 3000 ? 0 : repeat(run, ms, ...values)`

/** On a slow machine, a message says before that the part is being loaded. */
const lastMessage = (messages: () => Promise<readonly string[]>) => async () => (await messages()).at(-1)

describe.each(['en', 'ar'] as const)('a part of the page that cannot be loaded, in %s', (language) => {
  const { columns, unreachable, retry, reload } = names[language]
  const opening = { view: `bird_strikes?ln=${language}&per=50`, script: `${neverIdle}${noReload}` }

  it('is loaded when the service is back and the user tries again', async () => {
    const { page, waitForRows, button, messages, complaints } = await open(opening)
    await waitForRows()
    await goOffline(page)
    await button(columns).click()
    await expect.poll(lastMessage(messages)).toContain(unreachable)
    await page.context().setOffline(false)
    await button(retry).click()
    await page.getByRole('dialog', { name: columns }).waitFor()
    expect(complaints).toEqual([])
  })

  it('is loaded with the rows once the service is back, and is not reported beside the notice of the rows', async () => {
    const { page, waitForRows, button, messages } = await open(opening)
    await waitForRows()
    await goOffline(page)
    await button(columns).click()
    await expect.poll(lastMessage(messages)).toContain(unreachable)
    await page.locator('.pager select').selectOption('20')
    await page.getByRole('alert').getByText(unreachable).waitFor()
    await expect.poll(() => page.getByText(unreachable).count()).toBe(1)
    await page.context().setOffline(false)
    await page.getByRole('dialog', { name: columns }).waitFor()
    await expect.poll(() => page.getByText(unreachable).count()).toBe(0)
  })

  it('is asked for again by the button that needs it', async () => {
    const { page, waitForRows, button, messages } = await open(opening)
    await waitForRows()
    await goOffline(page)
    await button(columns).click()
    await expect.poll(lastMessage(messages)).toContain(unreachable)
    await page.context().setOffline(false)
    await button(columns).click()
    await page.getByRole('dialog', { name: columns }).waitFor()
    await page.getByText(unreachable).waitFor({ state: 'hidden' })
  })

  it('is loaded with a page of the new version, which keeps the view', async () => {
    const { page, waitForRows, button, queries } = await open(opening)
    await waitForRows()
    await page.route(/explorer-[^/]+\.js$/, (route) => route.fulfill({ status: 404, json: {} }))
    await button(columns).click()
    const offer = button(reload)
    await offer.waitFor()
    await page.unroute(/explorer-[^/]+\.js$/)
    await offer.click()
    await expect.poll(() => queries.length).toBe(2)
    await expect.poll(() => queries.at(-1)).toMatchObject({ perPage: 50 })
    await waitForRows()
    await button(columns).click()
    await page.getByRole('dialog', { name: columns }).waitFor()
  })
})
