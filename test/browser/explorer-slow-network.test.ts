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

describe('cells that are edited faster than they are written', () => {
  const readRow = async (id: number) =>
    (await stack.sql()`select assignee, note from bird_strikes where id = ${id}`)[0] ?? {}

  const openRows = async () => {
    const explorer = await open({ view: 'bird_strikes?ln=en&sort=id', script: messagesStay })
    await explorer.waitForRows()
    const { page } = explorer
    const field = page.locator('.popup input.field')
    const edit = async (id: number, column: string) => {
      const row = page.locator('#rows tbody tr').nth(id - 1)
      await row.getByRole('checkbox').focus()
      await row.getByRole('button', { name: `Edit ${column}` }).press('Enter')
      await page.getByRole('dialog', { name: `${column} · ${id} ·` }).waitFor()
    }
    const write = async (id: number, column: string, value: string) => {
      await edit(id, column)
      await page.getByText('Reading the value').waitFor({ state: 'detached' })
      await page.keyboard.type(value)
      await page.keyboard.press('Enter')
    }
    return { ...explorer, field, edit, write }
  }

  it('are no change of another user where they are of the same row', async () => {
    const { page, edit, write } = await openRows()
    const answer = await hold(page, edits)
    await write(1, 'Assignee', 'dana')
    await page.keyboard.press('Escape')
    await edit(1, 'Note')
    await page.getByText('Reading the value').waitFor()
    answer()
    await page.getByText('Reading the value').waitFor({ state: 'detached' })
    await page.keyboard.type('nest')
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => readRow(1)).toEqual({ assignee: 'dana', note: 'nest' })
    await page.locator('.popup').waitFor({ state: 'detached' })
  })

  it('are no change of another user where they are of the same cell', async () => {
    const { page, edit, write } = await openRows()
    const answer = await hold(page, edits)
    await write(7, 'Assignee', 'dana')
    await page.keyboard.press('Escape')
    await edit(7, 'Assignee')
    await page.keyboard.type('noor')
    await page.keyboard.press('Enter')
    answer()
    await expect.poll(() => readRow(7)).toMatchObject({ assignee: 'noor' })
    await page.locator('.popup').waitFor({ state: 'detached' })
  })

  it('are not written over what another user has written meanwhile into another cell of the row', async () => {
    const { page, edit, write } = await openRows()
    const answer = await hold(page, edits)
    await write(8, 'Assignee', 'dana')
    await page.keyboard.press('Escape')
    const answerReading = await hold(page, readings)
    await edit(8, 'Note')
    await page.keyboard.type('nest')
    await page.keyboard.press('Control+Enter')
    const asked = page.waitForRequest(readings)
    answer()
    await asked
    await stack.sql()`update bird_strikes set note = 'theirs' where id = 8`
    answerReading()
    await page.getByText('Another user has changed this row').waitFor()
    expect(await readRow(8)).toMatchObject({ note: 'theirs' })
  })

  it.each(['written', 'refused'])('are what Ctrl-Z means before it is known that they are %s', async (end) => {
    const [first, second] = end === 'written' ? [2, 3] : [4, 5]
    const before = await readRow(second)
    const { page, write, messages } = await openRows()
    await write(first, 'Assignee', 'first')
    await page.locator('.popup').waitFor({ state: 'detached' })
    if (end === 'refused') await page.route(edits, (route) => route.fulfill({ status: 500, json: {} }))
    const answer = await hold(page, edits)
    await write(second, 'Assignee', 'second')
    await page.keyboard.press('Escape')
    await page.locator('.popup').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+z')
    answer()
    if (end === 'written')
      await expect.poll(async () => (await messages()).at(-1)).toContain(`Undo: Assignee · ${second}`)
    else await page.locator('.message.danger').waitFor()
    expect(await readRow(second)).toEqual(before)
    expect(await readRow(first)).toMatchObject({ assignee: 'first' })
    expect((await messages()).filter((text) => text.startsWith(`Undo: Assignee · ${first}`))).toEqual([])
  })

  it('keep what was typed where their value could not be read, and are written by another Enter', async () => {
    const { page, field, edit } = await openRows()
    const answer = await hold(page, readings)
    await page.route(readings, (route) => route.abort(), { times: 1 })
    await edit(6, 'Assignee')
    await page.keyboard.type('dana')
    // The handler that was added last is asked first.
    await page.locator('.popup').getByText('The service cannot be reached.').waitFor()
    expect(await field.inputValue()).toBe('dana')
    await field.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    answer()
    await expect.poll(() => readRow(6)).toMatchObject({ assignee: 'dana' })
    await page.locator('.popup').waitFor({ state: 'detached' })
  })
})

describe('rows that come late', () => {
  it('are not counted by the number of those before when an action concerns all of them', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?ln=en' })
    await waitForRows()
    await hold(page, rows, (request) => request.postDataJSON().count_only !== true)
    await search(page, 'gull')
    await page.locator('.tools').getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('dialog', { name: 'For all rows that match (…)' }).waitFor()
    await page.locator('.popup').getByRole('button', { name: 'Notify assignees' }).click()
    const body = { search: 'gull', count_only: true }
    const { json } = await stack.call('query-table/bird_strikes', { as: supervisor, body })
    const count = json.pagination.total.toLocaleString('en')
    await page.getByRole('dialog', { name: 'Notify assignees' }).getByText(`This concerns ${count} rows.`).waitFor()
  })

  it('leave a menu where it stands, although its row is gone', async () => {
    const { page, waitForRows, button, rowMenu, cells } = await open({ view: 'bird_strikes?ln=en' })
    const [, , , , , id = ''] = await cells('ID')
    const answer = await hold(page, rows)
    await button('Next page').click()
    const menu = await rowMenu(5)
    const before = await menu.boundingBox()
    answer()
    await waitForRows()
    await page.locator('#rows tbody tr').getByText(id, { exact: true }).waitFor({ state: 'detached' })
    // The popup is placed anew when the page is.
    await page.setViewportSize({ width: 1360, height: 810 })
    await page.setViewportSize({ width: 1360, height: 820 })
    await expect.poll(() => menu.boundingBox()).toEqual(before)
  })

  it('are all ticked by the box of the page, also while they are drawn a few at a time', async () => {
    const script = `new MutationObserver((_, observer) => {
      if (document.querySelector('#rows tbody tr') === null) return
      observer.disconnect()
      document.querySelector('#rows thead input').click()
    }).observe(document, { childList: true, subtree: true })`
    const { page, waitForRows } = await open({ view: 'bird_strikes?ln=en&per=50', script })
    await waitForRows()
    await page.getByText('50 selected').waitFor()
    expect(await page.locator('#rows tbody input:checked').count()).toBe(50)
  })

  it('have placeholders until then where they are grouped', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?ln=en' })
    await waitForRows()
    const answer = await hold(page, rows, (request) => 'group_by' in request.postDataJSON())
    await page.evaluate(`location.hash += '&by=:origin_state'`)
    await page.locator('#rows .skeleton').waitFor()
    answer()
    await page.locator('#rows [data-group]').first().waitFor()
    expect(await page.locator('.skeleton').count()).toBe(0)
  })
})

describe('a response that comes late', () => {
  it('keeps an export of other rows from beginning, and the page says so', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?ln=en&f.origin_state=%3D:Ohio' })
    await waitForRows()
    const answer = await hold(page, '**/bulk-table-action/**')
    const exportRows = async () => {
      await page.locator('.tools').getByRole('button', { name: 'Actions' }).click()
      await page.locator('.popup').getByRole('button', { name: 'Export Excel' }).click()
      await page.locator('.popup').waitFor({ state: 'detached' })
    }
    await exportRows()
    await search(page, 'gull')
    await waitForRows()
    await exportRows()
    await page.getByText('“Export Excel” is still in progress. Try again when it is done.').waitFor()
    const file = page.waitForEvent('download')
    answer()
    await file
  })

  it('is announced where it has the values of the row that was opened', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?ln=en&column=-species' })
    await waitForRows()
    const answer = await hold(page, readings)
    await page.locator('#rows tbody tr').nth(2).locator('td').nth(2).click()
    const message = page.locator('.message', { hasText: 'Loading' })
    await message.waitFor()
    answer()
    await page.locator('.modal').getByText('Species').waitFor()
    await message.waitFor({ state: 'detached' })
  })
})

describe('a popup whose code comes late', () => {
  const opening = { script: 'globalThis.requestIdleCallback = () => 0' }

  it('does not open beside one that was asked for later', async () => {
    const { page, waitForRows, button } = await open(opening)
    await waitForRows()
    const answer = await hold(page, /explorer-[^/]+\.js$/)
    await button('Columns').click()
    await button('Sort').click()
    answer()
    await page.getByRole('dialog', { name: 'Sort' }).waitFor()
    expect(await page.locator('.popup').count()).toBe(1)
  })

  it('does not take the focus from the field in which the user types by then', async () => {
    const { page, waitForRows, button } = await open(opening)
    await waitForRows()
    const answer = await hold(page, /explorer-[^/]+\.js$/)
    await button('Columns').click()
    // Before the popup is asked for, the focus would take back the click.
    await page.locator('.messages').getByText('Loading').waitFor()
    await searchBox(page).focus()
    await page.keyboard.type('gu')
    answer()
    // The buttons of the toolbar are drawn anew by the code that has come.
    await page.locator('.tools [id^=base-ui]').first().waitFor()
    await page.keyboard.type('ll')
    expect(await searchBox(page).inputValue()).toBe('gull')
    expect(await page.locator('.popup').count()).toBe(0)
  })
})

describe('a saved view', () => {
  const saveView = async (sub: string) => {
    const as = { ...supervisor, sub }
    const filters = [{ field: 'origin_state', operator: '=', value: 'Ohio' }]
    const body = { name: 'Ohio', query: { filters, per_page: 50 } }
    const { json } = await stack.call('views/bird_strikes', { as, body })
    return { as, id: String(json.view.id), filters }
  }

  it('keeps what the user has chosen before it comes', async () => {
    const { as, id, filters } = await saveView('early')
    // Routes do not hold the first requests of a page.
    const { page, queries } = await open({ as, view: 'airports?ln=en' })
    const answer = await hold(page, '**/views/**')
    await page.evaluate(`location.hash = 'bird_strikes?view=${id}'`)
    await search(page, 'gull')
    await expect.poll(() => page.url()).toContain('q=gull')
    answer()
    await expect.poll(() => page.url()).toContain(`view=${id}%3A1`)
    await expect.poll(() => queries.at(-1)).toMatchObject({ search: 'gull', filters, perPage: 50 })
    expect(await searchBox(page).inputValue()).toBe('gull')
  })

  it('is left by the Back button, also if the table was opened by its name alone', async () => {
    const { as, id } = await saveView('back')
    const { page, total, button } = await open({ as, view: 'bird_strikes' })
    const all = await total()
    await button('Views').click()
    await page.locator('.popup').getByRole('button', { name: 'Ohio' }).click()
    await expect.poll(() => page.url()).toContain(`view=${id}`)
    await page.keyboard.press('Escape')
    await expect.poll(total).toBeLessThan(all)
    await page.goBack()
    await expect.poll(total).toBe(all)
    expect(page.url()).not.toContain('view=')
    await page.goForward()
    await expect.poll(() => page.url()).toContain(`view=${id}`)
    await expect.poll(total).toBeLessThan(all)
  })
})
