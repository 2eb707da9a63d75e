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
