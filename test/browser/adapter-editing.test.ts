import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { run, startAdapterPages } from './adapter-pages.ts'

const { openPage } = await startAdapterPages()

/** Types a value into an opened editor of the grid. */
async function typeInto(page: Page, cell: string, text: string): Promise<void> {
  await page.locator(cell).first().dblclick()
  const input = page.locator(`${cell} input`).first()
  await input.fill(text)
  await input.press('Enter')
}

const shows = (page: Page, selector: string, text: string) =>
  expect.poll(() => page.locator(selector).first().textContent()).toBe(text)

/** Holds the edits of the page until the returned function is called. `wait` resolves once the first one is held. */
async function holdEdits(page: Page) {
  const begun = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await page.route('**/update_cells/**', async (route) => {
    begun.resolve()
    await released.promise
    await route.continue()
  })
  return { wait: () => begun.promise, release: released.resolve }
}

it('AG Grid shows an edited cell that is written after the grid has loaded its rows again', async () => {
  const page = await openPage('ag-grid-editing')
  const cell = '.ag-row[row-index="0"] [col-id="note"]'
  await page.locator(cell).first().waitFor()
  const { wait, release } = await holdEdits(page)
  await typeInto(page, cell, 'On the way')
  await wait()
  const loaded = page.waitForResponse('**/query-table/**')
  await run(page, 'grid.refreshServerSide({ purge: true })')
  await loaded
  await expect.poll(() => run(page, 'grid.getDisplayedRowAtIndex(0)?.data?.id')).toEqual(expect.any(Number))
  release()
  await shows(page, cell, 'On the way')
})

it('MUI X writes a cell that is edited while another one of its row is written', async () => {
  const page = await openPage('mui-editing')
  const cells = ['note', 'assignee'].map((field) => `[data-rowindex="2"] [data-field="${field}"]`)
  await page.locator(String(cells[0])).waitFor()
  const { wait, release } = await holdEdits(page)
  for (const cell of cells) await typeInto(page, cell, 'Quick')
  await wait()
  release()
  for (const cell of cells) await shows(page, cell, 'Quick')
  expect(await page.locator('#error').textContent()).toBe('')
})

it('MUI X shows no row that is written after its user has gone to another page', async () => {
  const page = await openPage('mui-editing')
  const rows = page.locator('[data-rowindex]')
  await rows.first().waitFor()
  const first = await rows.first().getAttribute('data-id')
  const { wait, release } = await holdEdits(page)
  await typeInto(page, '[data-rowindex="3"] [data-field="note"]', 'Left')
  await wait()
  await page.getByRole('button', { name: 'next page' }).click()
  await expect.poll(() => rows.first().getAttribute('data-id')).not.toBe(first)
  release()
  await expect.poll(() => run(page, 'grid.state.editRows')).toEqual({})
  expect(await rows.count()).toBe(10)
})

it('AG Grid shows an edited cell once it is written, and the row as it is now after a conflict', async () => {
  const page = await openPage('ag-grid-editing')
  const cell = '.ag-row[row-index="0"] [col-id="note"]'
  await page.locator(cell).waitFor()
  await typeInto(page, cell, 'By the grid')
  await shows(page, cell, 'By the grid')
  await typeInto(page, cell, 'Again')
  await shows(page, cell, 'Again')
  const id = await run(page, 'grid.getDisplayedRowAtIndex(0).data.id')
  await run(page, `changes.updateCells('bird_strikes', ${id}, { note: 'By a colleague' })`)
  await typeInto(page, cell, 'Late')
  await shows(page, cell, 'By a colleague')
  await expect.poll(() => run(page, 'outcomes')).toEqual(['saved', 'saved', 'conflict'])
  await page.locator('.ag-row[row-index="0"] [col-id="species"]').dblclick()
  expect(await page.locator('.ag-cell-inline-editing').count()).toBe(0)
})

it('MUI X writes an edited cell, and keeps it open if the row has changed meanwhile', async () => {
  const page = await openPage('mui-editing')
  const cell = '[data-rowindex="1"] [data-field="note"]'
  await page.locator(cell).waitFor()
  await typeInto(page, cell, 'By the grid')
  await shows(page, cell, 'By the grid')
  await typeInto(page, cell, 'Again')
  await shows(page, cell, 'Again')
  const id = await page.locator('[data-rowindex="1"]').getAttribute('data-id')
  await run(page, `changes.updateCells('bird_strikes', ${id}, { note: 'By a colleague' })`)
  await typeInto(page, cell, 'Late')
  await expect.poll(() => page.locator('#error').textContent()).toMatch(/^row_version_conflict/)
  await expect.poll(() => page.locator(`${cell} input`).inputValue()).toBe('Late')
})
