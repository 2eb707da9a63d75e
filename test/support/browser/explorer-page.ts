import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, expect, onTestFinished } from 'vitest'
import { patienceMs } from '../run/limits.ts'
import { type DemoIdentity, type DemoStack, startDemoStack } from '../stack/demo-stack.ts'
import { launchBrowser } from './launch-browser.ts'

const screenshots = resolve(import.meta.dirname, '../../../.local/screenshots')

export const supervisor: DemoIdentity = { sub: 'sam', role: 'supervisor', email: 'sam@example.com' }

export interface Explorer {
  readonly page: Page
  /**
   * Paths that the page has requested since it was opened, without counts of rows: they come where the machine is slow.
   */
  readonly requests: readonly string[]
  /** Bodies of the requests to query-table, the latest last, without counts of rows. */
  readonly queries: readonly Readonly<Record<string, unknown>>[]
  /** The errors of the page, violations of its policy included. */
  readonly complaints: readonly string[]
  /** Waits until the page has drawn what the latest event changed. */
  readonly waitForDrawing: () => Promise<void>
  /** Waits until the rows are those of the latest request. */
  readonly waitForRows: () => Promise<void>
  /** Every message that has been shown, also those that are gone. */
  readonly messages: () => Promise<readonly string[]>
  /** A column's cells, from top to bottom. */
  readonly cells: (label: string) => Promise<readonly string[]>
  /** How many rows there are in all, as the page says. */
  readonly total: () => Promise<number>
  readonly button: (name: string | RegExp) => Locator
  /** Unfolds a filter. */
  readonly filter: (label: string) => Promise<Locator>
  /** Opens the actions of a row, counted from 0. */
  readonly rowMenu: (row: number) => Promise<Locator>
  /** Kept as test output. */
  readonly shot: (name: string) => Promise<void>
}

interface Opening extends BrowserContextOptions {
  /** `null`: no user is signed in. */
  readonly as?: DemoIdentity | string | null
  /** Runs before anything of the page does. */
  readonly script?: string
  /** False for a page whose rows the test makes up: live rows would replace them by the real ones. */
  readonly isLive?: boolean
  /** `auto` as users have it; by default, every total is exact at once. */
  readonly count?: 'auto' | 'exact'
  /** The part of the address after `#`. */
  readonly view?: string
}

/** Keeps the texts of messages, which leave the page after some seconds. */
const keepMessages = `
globalThis.shownMessages = []
const seenMessages = new WeakSet()
new MutationObserver(() => {
  for (const message of document.querySelectorAll('.message')) {
    if (!seenMessages.has(message)) shownMessages.push(message.textContent)
    seenMessages.add(message)
  }
}).observe(document, { childList: true, subtree: true })`

/**
 * Has the service count every total at once: a loaded machine counts too slowly for a response, and the page would ask
 * again.
 */
const countExactly = `{
  const send = globalThis.fetch
  globalThis.fetch = (to, init) => {
    if (typeof init?.body !== 'string') return send(to, init)
    return send(to, { ...init, body: init.body.replace('"count":"auto"', '"count":"exact"') })
  }
}`

/** Lets messages stay: on a loaded machine, one with a button would be gone before the test comes to it. */
export const messagesStay = `
const startTimer = globalThis.setTimeout
globalThis.setTimeout = (run, ms, ...values) => ms === 8000 ? 0 : startTimer(run, ms, ...values)`

/**
 * Starts a browser and a stack, which end after the tests of the file. `open` opens the explorer, as `defaults` say.
 */
export async function startExplorer(defaults: Opening = {}) {
  const starting = [launchBrowser(), startDemoStack()] as const
  const end = async () => {
    const [browser, stack] = await Promise.allSettled(starting)
    if (browser.status === 'fulfilled') await browser.value.close()
    if (stack.status === 'fulfilled') await stack.value.stop()
  }
  // Hooks do not run for a file that fails before its tests.
  const [browser, stack] = await Promise.all(starting).catch(async (thrown) => {
    await end()
    throw thrown
  })
  afterAll(end)
  return { stack, open: (opening: Opening = {}) => openExplorer(browser, stack, { ...defaults, ...opening }) }
}

/** Opens the explorer of a stack in a new browser context, signed in as a supervisor unless `as` says otherwise. */
async function openExplorer(browser: Browser, stack: DemoStack, opening: Opening): Promise<Explorer> {
  const {
    as = supervisor,
    view = 'bird_strikes?ln=en',
    script = '',
    isLive = true,
    count = 'exact',
    ...options
  } = opening
  const context = await browser.newContext({
    viewport: { width: 1360, height: 820 },
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  // A loaded machine is slow, not wrong.
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  onTestFinished(async () => {
    // A page asks again by itself: a test may end between such a request and its response.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  })
  const token = as === null || typeof as === 'string' ? as : stack.createToken(as)
  if (token !== null) await page.addInitScript(`sessionStorage.setItem('explorer-token', '${token}')`)
  await page.addInitScript(keepMessages)
  if (count === 'exact') await page.addInitScript(countExactly)
  await page.addInitScript(script)
  if (!isLive) await page.addInitScript(`localStorage.setItem('explorer-live', 'off')`)
  const requests: string[] = []
  const queries: Record<string, unknown>[] = []
  const complaints: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    const query = pathname.includes('/query-table/') ? request.postDataJSON() : undefined
    if (query?.count_only === true) return
    requests.push(pathname)
    if (query !== undefined) queries.push(query)
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) complaints.push(message.text())
  })
  await page.goto(`${stack.facts().base_url}/explorer#${view}`)
  return { page, requests, queries, complaints, ...pageReaders(page) }
}

const twoFrames = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn))))`

/** Resolves when no more rows are drawn: the first ones of a table come a few at a time. */
const rowsStay = `(async () => {
  for (let drawn = -1; ; ) {
    const rows = document.querySelectorAll('#rows tbody tr').length
    if (rows === drawn) return
    drawn = rows
    await ${twoFrames}
  }
})()`

function pageReaders(page: Page): Omit<Explorer, 'page' | 'requests' | 'queries' | 'complaints'> {
  const waitForDrawing = () => page.evaluate<void>(twoFrames)
  const waitForRows = async () => {
    // A click has returned before its request is sent: without this, the rows of before would count.
    await waitForDrawing()
    await page.locator('table.data[aria-busy="false"]').waitFor()
    await page.locator('#rows tbody.fading').first().waitFor({ state: 'detached' })
    await page.evaluate(rowsStay)
  }
  return {
    waitForDrawing,
    waitForRows,
    messages: () => page.evaluate('shownMessages'),
    cells: async (label) => {
      await waitForRows()
      const heads = await page.locator('#rows thead th').allInnerTexts()
      const at = heads.findIndex((head) => head.trim().split('\n')[0] === label)
      expect(at, `there is a column ${label}`).toBeGreaterThan(0)
      return page.locator(`#rows tbody tr > :nth-child(${at + 1})`).allInnerTexts()
    },
    total: async () => {
      await waitForRows()
      const pager = page.locator('.pager .count')
      const isPaged = (await pager.count()) > 0
      // On a slow machine the service counts later: the status then keeps what it said, and the pager gets the exact
      // number.
      const text = await (isPaged ? pager : page.locator('.main > [role="status"]')).textContent()
      return Number(/([\d,]+)\D*$/.exec(text ?? '')?.[1]?.replaceAll(',', '') ?? 0)
    },
    button: (name) => page.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) }),
    filter: async (label) => {
      await page.locator('.filters .chip', { hasText: label }).first().click()
      const popup = page.locator('.popup')
      await popup.waitFor()
      return popup
    },
    rowMenu: async (row) => {
      await page.locator('#rows tbody tr').nth(row).locator('.row-actions button').click()
      const popup = page.locator('.popup')
      await popup.waitFor()
      return popup
    },
    shot: async (name) => {
      mkdirSync(screenshots, { recursive: true })
      await page.screenshot({ path: join(screenshots, `${name}.png`) })
    },
  }
}
