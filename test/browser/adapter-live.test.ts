import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { startAdapterPages } from './adapter-pages.ts'

const { stack, openPage } = await startAdapterPages()

/** Sorted by assignee, the first rows are those of the ids 1 to 30 in their order. */
beforeEach(async () => {
  await stack.sql()`update bird_strikes set assignee = null where assignee is not null`
  await stack.sql()`update bird_strikes set assignee = 'row ' || lpad(id::text, 3, '0'), note = null where id <= 30`
})

const countWatchers = async () => {
  const [row] = await stack.sql()`select count(*)::int as count from table_control.subscriptions`
  return row?.['count']
}

const change = (page: Page, id: number, cells: object): Promise<unknown> =>
  page.evaluate(`changes.updateCells('bird_strikes', ${id}, ${JSON.stringify(cells)})`)

const agRow = (row: number) => `.ag-row[row-index="${row}"]`
const muiRow = (row: number) => `[data-rowindex="${row}"]`
const noteCell = (row: string) => `${row} :is([col-id="note"], [data-field="note"])`
const listItem = (row: number) => `li:nth-child(${row + 1})`

describe.each([
  ['AG Grid', 'ag-grid-live', agRow, 20],
  ['MUI X', 'mui-live', muiRow, 10],
  ['refine', 'refine-live', listItem, 5],
] as const)('the rows of %s', (_, name, row, perPage) => {
  it('are those of the service after each change of another caller', async () => {
    const page = await openPage(name)
    const shows = (at: number, text: string) =>
      expect.poll(async () => (await page.locator(row(at)).first().textContent()) ?? '').toContain(text)
    await shows(1, 'row 002')
    await expect.poll(countWatchers).toBeGreaterThan(0)
    await change(page, 2, { assignee: 'row 002 b' })
    await shows(1, 'row 002 b')
    await change(page, 1, { assignee: null })
    await shows(0, 'row 002 b')
    await shows(perPage - 1, `row ${String(perPage + 1).padStart(3, '0')}`)
    await change(page, 4, { assignee: 'row 000' })
    await shows(0, 'row 000')
    expect(await page.locator('#error').textContent()).toBe('')
    await page.close()
    await expect.poll(countWatchers).toBe(0)
  })
})

describe.each([
  ['AG Grid', 'ag-grid-live', agRow],
  ['MUI X', 'mui-live', muiRow],
] as const)('a cell of %s that is edited', (_, name, row) => {
  it('is not written if another caller has changed its row meanwhile, which is then shown', async () => {
    const page = await openPage(name)
    const cell = page.locator(noteCell(row(1))).first()
    await cell.waitFor()
    await expect.poll(countWatchers).toBeGreaterThan(0)
    await cell.dblclick()
    const input = cell.locator('input')
    await input.fill('Late')
    await change(page, 2, { note: 'Theirs' })
    await change(page, 3, { note: 'Seen' })
    const shows = (at: number, text: string) =>
      expect
        .poll(() =>
          page
            .locator(noteCell(row(at)))
            .first()
            .textContent(),
        )
        .toBe(text)
    await shows(2, 'Seen')
    await input.press('Enter')
    await expect.poll(() => page.locator('#error').textContent()).toMatch(/^row_version_conflict/)
    if ((await input.count()) > 0) await input.press('Escape')
    await shows(1, 'Theirs')
    const [written] = await stack.sql()`select note from bird_strikes where id = 2`
    expect(written).toEqual({ note: 'Theirs' })
    await cell.dblclick()
    await input.fill('Mine')
    await input.press('Enter')
    await shows(1, 'Mine')
  })
})

it('MUI X shows the changes of a page to which its user has returned, and no rows of the page between', async () => {
  const page = await openPage('mui-live')
  const rows = page.locator('[data-rowindex]')
  const showsFirst = (text: string) => expect.poll(() => rows.first().textContent()).toContain(text)
  await showsFirst('row 001')
  await page.getByRole('button', { name: 'next page' }).click()
  await showsFirst('row 011')
  await page.getByRole('button', { name: 'previous page' }).click()
  await showsFirst('row 001')
  await expect.poll(countWatchers).toBe(1)
  await change(page, 12, { note: 'Of page 2' })
  await change(page, 2, { note: 'Theirs' })
  await expect.poll(() => rows.nth(1).textContent()).toContain('Theirs')
  expect(await rows.count()).toBe(10)
})

it('AG Grid loads the rows again that it could not load, after the next change of another caller', async () => {
  const page = await openPage('ag-grid-live')
  await page.locator(agRow(0)).first().waitFor()
  await expect.poll(countWatchers).toBeGreaterThan(0)
  await page.route('**/query-table/**', (route) => route.fulfill({ status: 500, body: '{}' }))
  await change(page, 1, { assignee: null })
  await expect.poll(() => page.locator('#error').textContent()).toMatch(/^bad_response/)
  await page.unroute('**/query-table/**')
  await change(page, 3, { note: 'Theirs' })
  await expect
    .poll(() =>
      page
        .locator(noteCell(agRow(1)))
        .first()
        .textContent(),
    )
    .toBe('Theirs')
})

it.each(['before other rows move', 'while moved rows are loaded'])(
  'AG Grid keeps the user in an editor that was opened %s',
  async (moment) => {
    const page = await openPage('ag-grid-live')
    const row = page.locator('[row-id="5"]').first()
    const cell = row.locator('[col-id="note"]')
    await cell.waitFor()
    await expect.poll(countWatchers).toBeGreaterThan(0)
    const edit = async () => {
      await cell.dblclick()
      await page.keyboard.type('Mine')
    }
    if (moment.startsWith('while')) {
      const released = Promise.withResolvers<void>()
      const held = page.waitForRequest('**/query-table/**')
      await page.route('**/query-table/**', (route) => released.promise.then(() => route.continue()), { times: 1 })
      await change(page, 1, { assignee: null })
      await held
      await edit()
      const loaded = page.waitForResponse('**/query-table/**')
      released.resolve()
      await (await loaded).finished()
    } else {
      await edit()
      await change(page, 1, { assignee: null })
    }
    await change(page, 3, { note: 'Seen' })
    await expect.poll(() => page.locator('[row-id="3"] [col-id="note"]').first().textContent()).toBe('Seen')
    await page.keyboard.type(' alone')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator(agRow(3)).first().textContent()).toContain('Mine alone')
    const written = await stack.sql()`select id, note from bird_strikes where note is not null and id <= 30 order by id`
    expect(written.map(({ id, note }) => [id, note])).toEqual([
      [3, 'Seen'],
      [5, 'Mine alone'],
    ])
  },
)
