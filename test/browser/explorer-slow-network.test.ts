import type { Page, Request } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { messagesStay, startExplorer, supervisor } from '../support/browser/explorer-page.ts'

const { stack, open } = await startExplorer({ isLive: false })

/** Holds the requests to a path that `isHeld` names, until the returned function is called. */
async function hold(page: Page, path: string | RegExp, isHeld: (request: Request) => boolean = () => true) {
  const held = Promise.withResolvers<void>()
  onTestFinished(() => held.resolve())
  await page.route(path, async (route) => {
    if (isHeld(route.request())) await held.promise
    await route.fallback()
  })
  return held.resolve
}

const rows = '**/query-table/**'
const edits = '**/row-table-action/**'
const readings = '**/row-refetch/**'

const searchBox = (page: Page) => page.locator('.search').getByRole('searchbox')

const search = async (page: Page, text: string) => {
  await searchBox(page).fill(text)
  await page.keyboard.press('Enter')
}

describe('choices that come late', () => {
  it('are those from which an earlier Enter takes the first, and not those of the text before', async () => {
    const { page, filter } = await open({ view: 'bird_strikes?ln=en&f.aircraft_model=in:A-10A' })
    const popup = await filter('Aircraft')
    await popup.getByRole('checkbox').nth(1).waitFor()
    const answer = await hold(page, rows, (request) => Boolean(request.postDataJSON().options?.search))
    await popup.getByRole('searchbox').fill('b-737-300')
    const sent = page.waitForRequest((request) => request.postDataJSON()?.options?.search === 'b-737-300')
    await page.keyboard.press('Enter')
    await sent
    expect(page.url()).not.toContain('aircraft_model=in%3A')
    answer()
    await expect.poll(() => page.url()).toContain('f.aircraft_model=in%3AA-10A&f.aircraft_model=in%3AB-737-300')
    expect(await popup.getByRole('searchbox').inputValue()).toBe('')
  })
})
