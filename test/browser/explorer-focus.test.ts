import type { BrowserContextOptions, Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { startExplorer } from '../support/browser/explorer-page.ts'

const { stack, open } = await startExplorer()

describe('the focus', () => {
  const focused = `(({ textContent, id, className }) => textContent.trim() || id || className)(document.activeElement)`

  const openWithMenus = async (view: string, options: BrowserContextOptions = {}) => {
    const explorer = await open({ view, isLive: false, ...options })
    await explorer.waitForRows()
    // The part that follows notifications and the focus is loaded when the browser is idle.
    await expect.poll(() => explorer.requests.some((path) => path.endsWith('/notifications'))).toBe(true)
    return explorer
  }

  it('goes to what stands beside a control that vanishes', async () => {
    const { page, button } = await openWithMenus('bird_strikes?f.status=%3D:open&sort=-cost_total&ln=en')
    await button('Remove Status').focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(focused)).toMatch(/^Status/)
    await page.locator('#rows tbody input').first().check()
    await button('Clear selection').focus()
    await page.keyboard.press('Enter')
    await page.locator('#rows:focus').waitFor()
    await page.locator('.tools').getByRole('button', { name: 'Sort' }).click()
    await page
      .locator('.popup')
      .getByRole('button', { name: /^Remove/ })
      .focus()
    await page.keyboard.press('Enter')
    await page.locator('.popup').getByRole('combobox', { name: 'Add a column' }).and(page.locator(':focus')).waitFor()
  })

  it('goes to the choice of a table when the table with it is gone', async () => {
    const { page } = await openWithMenus('bird_strikes?ln=en')
    await page.locator('#rows tbody input').first().focus()
    await page.evaluate(`location.hash = 'nope'`)
    await page.locator('.table-name:focus').waitFor()
  })

  it('comes back to the filters from one that was never set', async () => {
    const { page, button } = await openWithMenus('bird_strikes?ln=en')
    await button('More filters').focus()
    await page.keyboard.press('Enter')
    await page.locator('.popup').getByRole('button', { name: 'Aircraft' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Aircraft' }).waitFor()
    await page.locator('.popup :focus').waitFor()
    await page.keyboard.press('Escape')
    await button('Aircraft').waitFor({ state: 'detached' })
    await page.locator('.filters :focus').waitFor()
  })

  it('goes to the filter that was chosen among others when its popup has applied it', async () => {
    const { page, button } = await openWithMenus('bird_strikes?ln=en')
    await button('More filters').focus()
    await page.keyboard.press('Enter')
    await page.locator('.popup').getByRole('button', { name: 'Species' }).press('Enter')
    await page.getByRole('dialog', { name: 'Species' }).getByRole('textbox').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('goose')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(focused)).toMatch(/^Species.*goose$/)
  })

  it('goes from the popup of a filter to the one whose button is pressed, each time', async () => {
    const { page } = await openWithMenus('bird_strikes?ln=en')
    const chip = (name: string) => page.locator('.filters').getByRole('button', { name, exact: true })
    const popup = (name: string) => page.getByRole('dialog', { name })
    for (let round = 0; round < 2; round += 1) {
      await chip('Flagged').click()
      await popup('Flagged').locator(':focus').waitFor()
      await chip('State').click()
      await popup('Flagged').waitFor({ state: 'detached' })
      await popup('State').locator(':focus').waitFor()
      await page.keyboard.press('Escape')
      await popup('State').waitFor({ state: 'detached' })
      await chip('State').and(page.locator(':focus')).waitFor()
    }
  })

  it('goes into one popup where the buttons of two are pressed before either is drawn', async () => {
    const { page, waitForDrawing } = await openWithMenus('bird_strikes?ln=en')
    const buttons = ['#rows tbody .row-actions button', '.filters .chip']
    await page.evaluate(`for (const one of ${JSON.stringify(buttons)}) document.querySelector(one).click()`)
    await page.getByRole('dialog', { name: 'Status' }).locator(':focus').waitFor()
    await waitForDrawing()
    expect(await page.locator('.popup').count()).toBe(1)
  })

  it('goes to the first control of a popup that comes later than the popup', async () => {
    const { page, button } = await openWithMenus('bird_strikes?ln=en')
    const answered = Promise.withResolvers<void>()
    await page.route('**/views/**', async (route) => {
      await answered.promise
      await route.continue()
    })
    await button('Views').focus()
    await page.keyboard.press('Enter')
    await page.locator('.popup:focus').waitFor()
    answered.resolve()
    await page.locator('.popup').getByRole('textbox').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await button('Views').and(page.locator(':focus')).waitFor()
  })

  it('comes back to the button of a dialog whose press gave it none, as in Safari', async () => {
    const { page, button } = await openWithMenus('bird_strikes?ln=en')
    await page.evaluate(`addEventListener('mousedown', (event) => {
      event.preventDefault()
      document.activeElement.blur()
    })`)
    for (const name of ['Conditions', 'Requests']) {
      await button(name).click()
      await page.locator('.modal :focus').waitFor()
      await page.keyboard.press('Escape')
      await page.locator('.modal').waitFor({ state: 'detached' })
      await button(name).and(page.locator(':focus')).waitFor()
    }
  })

  it('stays in the menu of a row until that is closed', async () => {
    const { page, rowMenu } = await openWithMenus('bird_strikes?ln=en')
    const popup = await rowMenu(1)
    await popup.locator(':focus').waitFor()
    await popup.locator('a, button').last().focus()
    await page.keyboard.press('Tab')
    await popup.locator('button:focus').first().waitFor()
    await page.keyboard.press('Shift+Tab')
    expect(await popup.locator('a, button').last().and(page.locator(':focus')).count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.locator('#rows tbody tr').nth(1).locator('.row-actions button:focus').waitFor()
  })

  // Assistive technology presses without a pointer, and buttons take no focus by a press in Safari.
  it.each([
    { what: 'a cell', inRow: '.edit', places: [8, 2], titles: [/· 9 ·/, /· 3 ·/] },
    { what: 'the menu of a row', inRow: '.row-actions button', places: [8, 2], titles: [/ 9 /, / 3 /] },
    { what: 'a filter', places: [0, 2], titles: [/^Status$/, /^State$/] },
  ])('leaves $what for the next one that is pressed without a pointer', async ({ inRow, places, titles }) => {
    const { page } = await openWithMenus('bird_strikes?ln=en&sort=id')
    for (const [press, place] of places.entries()) {
      const row = page.locator('#rows tbody tr').nth(place)
      // The buttons of a row come with the pointer.
      if (inRow) await row.hover()
      const button = inRow ? row.locator(inRow).last() : page.locator('.filters .chip').nth(place)
      await button.dispatchEvent('click')
      const title = page.locator('.popup-title')
      await expect.poll(() => title.allTextContents()).toEqual([expect.stringMatching(titles[press] ?? '')])
    }
  })

  it('goes from row to row by arrows, in the column of a cell that can be edited, and from the last row to the pager', async () => {
    const { page } = await openWithMenus('bird_strikes?ln=en&sort=id')
    const row = (place: number) => page.locator('#rows tbody tr').nth(place)
    const isFocused = (control: Locator) => control.and(page.locator(':focus')).waitFor()
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await isFocused(row(1).getByRole('checkbox'))
    await page.keyboard.press('Tab')
    await isFocused(row(1).getByRole('button', { name: 'Edit Assignee' }))
    await page.keyboard.press('ArrowUp')
    await isFocused(row(0).getByRole('button', { name: 'Edit Assignee' }))
    await page.keyboard.press('ArrowUp')
    await isFocused(row(0).getByRole('button', { name: 'Edit Assignee' }))
    await row(0).locator('.row-actions button').focus()
    await page.keyboard.press('End')
    await isFocused(row(19).locator('.row-actions button'))
    await page.keyboard.press('Tab')
    await page.locator('.pager :focus').waitFor()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Home')
    await isFocused(row(0).locator('.row-actions button'))
  })

  // A key that came before the next frame would start at the first control of the row.
  it('reaches the button of a cell with the key itself, whose row draws its buttons only now', async () => {
    const { page } = await openWithMenus('bird_strikes?ln=en&sort=id')
    const row = (place: number) => page.locator('#rows tbody tr').nth(place)
    await row(0).getByRole('checkbox').focus()
    await row(0).getByRole('button', { name: 'Edit Assignee' }).focus()
    const reached = await page.evaluate(`['ArrowDown', 'ArrowDown', 'End'].map((key) => {
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
      const { ariaLabel } = document.activeElement
      return [ariaLabel, document.activeElement.closest('tr').rowIndex]
    })`)
    expect(reached).toEqual([2, 3, 20].map((place) => ['Edit Assignee', place]))
  })

  it('is never below the names of columns', async () => {
    const { page, waitForRows } = await open({ viewport: { width: 700, height: 560 } })
    await waitForRows()
    await page.locator('table.data.stable').waitFor()
    const gap = await page.evaluate<number>(`(() => {
      const frame = document.getElementById('rows')
      const row = frame.querySelectorAll('tbody tr')[3]
      // Visible for the browser, below the names of columns.
      frame.scrollTop = row.offsetTop
      row.querySelector('input').focus()
      const above = row.querySelector('input').getBoundingClientRect().top - frame.querySelector('thead').getBoundingClientRect().bottom
      return above
    })()`)
    expect(gap).toBeGreaterThanOrEqual(0)
  })

  it.each(['en', 'ar'])('is never below the columns that stay at the sides, in %s', async (ln) => {
    const viewport = { width: 1000, height: 800 }
    const { page } = await openWithMenus(`bird_strikes?sort=id&ln=${ln}`, { viewport })
    await page.locator('table.data.stable').waitFor()
    // Only a key moves the focus in a way that shows it.
    await page.keyboard.press('Tab')
    const covered = await page.evaluate<readonly string[]>(`(async () => {
      const heads = [...document.querySelectorAll('#rows thead button.head')].slice(1)
      const covered = []
      for (const head of [...heads, ...heads.toReversed()]) {
        head.focus()
        await new Promise(requestAnimationFrame)
        const box = head.getBoundingClientRect()
        const [, first, ...others] = [...document.querySelectorAll('#rows thead th')].map((one) => one.getBoundingClientRect())
        const [start, end] = [first, others.at(-1)].toSorted((one, other) => one.left - other.left)
        if (box.left < start.right - 1 || box.right > end.left + 1) covered.push(head.textContent)
      }
      return covered
    })()`)
    expect(covered).toEqual([])
  })

  it('shows its whole ring in the line of filters of a phone', async () => {
    const { page } = await openWithMenus('bird_strikes?ln=ar', { viewport: { width: 360, height: 740 } })
    const findFilter = (label: string) => page.locator('.filters').getByRole('button', { name: label, exact: true })
    await findFilter('الولاية').focus()
    for (const label of ['المطار', 'تاريخ الرحلة', 'عوامل تصفية أخرى', 'الشروط']) {
      await page.keyboard.press('Tab')
      await findFilter(label).and(page.locator(':focus')).waitFor()
      const readHidden = () =>
        page.evaluate<number>(`(() => {
          const [ring, line] = [document.activeElement, document.querySelector('.filters')].map((one) => one.getBoundingClientRect())
          return Math.max(line.left - ring.left, line.top - ring.top, ring.right - line.right, ring.bottom - line.bottom)
        })()`)
      await expect.poll(readHidden).toBeLessThanOrEqual(-3)
    }
  })

  it('is on the button of a row whose second press closes what the first has opened', async () => {
    const { page, rowMenu } = await openWithMenus('bird_strikes?ln=en&sort=id')
    const popup = page.locator('.popup')
    const title = page.locator('.popup-title')
    const row = page.locator('#rows tbody tr').nth(1)
    const button = row.locator('.row-actions button')
    await (await rowMenu(1)).locator(':focus').waitFor()
    await button.click()
    await popup.waitFor({ state: 'detached' })
    await button.and(page.locator(':focus')).waitFor()
    // An editor that was chosen in the menu stands beside the same button, which opens the menu again.
    await (await rowMenu(1)).getByRole('button', { name: 'Edit Assignee' }).click()
    await popup.getByRole('textbox', { name: 'Assignee' }).waitFor()
    await button.click()
    await expect.poll(() => title.allTextContents()).toEqual([expect.stringContaining('Actions for row 2')])
    await row.hover()
    const edit = row.getByRole('button', { name: 'Edit Assignee' })
    await edit.click()
    await popup.getByRole('textbox', { name: 'Assignee' }).waitFor()
    await edit.click()
    await popup.waitFor({ state: 'detached' })
  })

  it('goes by F6 to a message, however high that is, and to the rows where it was nowhere before', async () => {
    const { page, rowMenu } = await openWithMenus('bird_strikes?ln=en')
    const json = { success: false, code: 'refused', message: 'It is not possible now. '.repeat(300) }
    await page.route('**/row-table-action/**', (route) => route.fulfill({ status: 422, json }))
    await (await rowMenu(0)).getByRole('switch').click()
    await page.locator('.message.danger').waitFor()
    expect((await page.locator('.messages').boundingBox())?.y).toBeGreaterThanOrEqual(0)
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('F6')
    await page.locator('.message :focus').waitFor()
    await page.keyboard.press('F6')
    await page.locator('#rows:focus').waitFor()
  })

  it('stays nowhere where a user has put it by a click beside everything', async () => {
    const { page, button, waitForRows, waitForDrawing } = await openWithMenus('bird_strikes?f.status=%3D:open&ln=en')
    const isNowhere = () => page.evaluate('document.activeElement === document.body')
    const clickBeside = () => page.locator('.pager .count').click({ position: { x: 200, y: 5 } })
    await page.locator('#rows tbody input').first().focus()
    await clickBeside()
    expect(await isNowhere()).toBe(true)
    await button('Next page').dispatchEvent('click')
    await page.getByText('21–40 of').waitFor()
    await waitForRows()
    expect(await isNowhere()).toBe(true)
    await button('Remove Status').focus()
    await clickBeside()
    await button('Remove Status').dispatchEvent('click')
    await button('Remove Status').waitFor({ state: 'detached' })
    await waitForDrawing()
    expect(await isNowhere()).toBe(true)
  })

  it('stays in a popup that a finger opens, also where its button is replaced', async () => {
    const { page, button, waitForDrawing } = await openWithMenus('bird_strikes?ln=en', { hasTouch: true })
    await button('Columns').tap()
    await page.locator('.popup:focus').waitFor()
    await waitForDrawing()
    expect(await page.locator('.popup:focus').count()).toBe(1)
  })
})

describe('what is typed', () => {
  it('replaces the text of a filter that was opened by its key', async () => {
    const { page, button, waitForRows } = await open({ view: 'bird_strikes?ln=en&f.species=~:x', isLive: false })
    await waitForRows()
    await button('Species ~ x').press('Enter')
    await page.locator('.popup').getByRole('textbox').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('goose')
    await page.keyboard.press('Enter')
    await button(/^Species.*goose$/).waitFor()
  })

  const assign = (id: number, assignee: string) =>
    stack.sql()`update bird_strikes set assignee = ${assignee} where id = ${id}`

  const readAssignee = async (id: number) =>
    (await stack.sql()`select assignee from bird_strikes where id = ${id}`)[0]?.['assignee']

  /** Opens the editor of a cell, whose value is read once `answer` is called. */
  const openCell = async (id: number) => {
    await assign(id, 'kim')
    const { page, waitForRows } = await open({ view: 'bird_strikes?ln=en&sort=id', isLive: false })
    await waitForRows()
    const reading = Promise.withResolvers<void>()
    await page.route('**/row-refetch/**', async (route) => {
      await reading.promise
      await route.continue()
    })
    const row = page.locator('#rows tbody tr').nth(id - 1)
    await row.getByRole('checkbox').focus()
    await row.getByRole('button', { name: 'Edit Assignee' }).press('Enter')
    const field = page.locator('.popup').getByRole('textbox', { name: 'Assignee' })
    await field.and(page.locator(':focus')).waitFor()
    const answer = async () => {
      reading.resolve()
      await page.getByText('Reading the value').waitFor({ state: 'detached' })
    }
    return { page, field, answer }
  }

  it('replaces the value of a cell', async () => {
    const { page, field, answer } = await openCell(8)
    await answer()
    expect(await field.inputValue()).toBe('kim')
    await page.keyboard.type('dana')
    await page.keyboard.press('Enter')
    await expect.poll(() => readAssignee(8)).toBe('dana')
  })

  it('is written as soon as the value of the cell has been read', async () => {
    const { page, answer } = await openCell(7)
    await page.keyboard.type('dana')
    await page.keyboard.press('Enter')
    expect(await readAssignee(7)).toBe('kim')
    await answer()
    await expect.poll(() => readAssignee(7)).toBe('dana')
  })

  it('is written also if the editor of the cell is closed before its value has been read', async () => {
    const { page, answer } = await openCell(5)
    await page.keyboard.type('dana')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await answer()
    await expect.poll(() => readAssignee(5)).toBe('dana')
  })

  it.each(['open', 'closed'])(
    'is not written over what another user has written meanwhile, in an editor that is %s',
    async (state) => {
      const id = state === 'open' ? 6 : 9
      const { page, answer } = await openCell(id)
      await assign(id, 'noor')
      await page.keyboard.type('dana')
      await page.keyboard.press('Enter')
      if (state === 'closed') await page.keyboard.press('Escape')
      await answer()
      await page.getByText('Another user has changed this row').waitFor()
      expect(await readAssignee(id)).toBe('noor')
    },
  )

  it('is nothing yet where Enter alone is pressed before the value of the cell has been read', async () => {
    const { page, field, answer } = await openCell(4)
    await page.keyboard.press('Enter')
    await answer()
    await page.keyboard.type('dana')
    expect([await field.inputValue(), await readAssignee(4)]).toEqual(['dana', 'kim'])
  })
})
