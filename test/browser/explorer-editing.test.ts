import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { messagesStay, startExplorer } from '../support/browser/explorer-page.ts'
import { pageViolations } from '../support/browser/page-violations.ts'

const { stack, open } = await startExplorer()

const english = {
  ln: 'en',
  edit: 'Edit Assignee',
  column: 'Assignee',
  save: 'Save',
  viewport: { width: 1360, height: 820 },
  conflict: 'Another user has changed this row',
  keep: 'Save yours anyway',
  leave: 'Leave it as it is now',
  undo: 'Undo',
  redo: 'Redo',
  changedAgain: 'The row was changed again',
  z: 'z',
}
const arabic: typeof english = {
  ln: 'ar',
  edit: 'تعديل المكلَّف',
  column: 'المكلَّف',
  save: 'حفظ',
  viewport: { width: 390, height: 800 },
  conflict: 'غيّر مستخدم آخر هذا الصف',
  keep: 'حفظ قيمتك على أي حال',
  leave: 'تركه كما هو الآن',
  undo: 'تراجع',
  redo: 'إعادة التنفيذ',
  changedAgain: 'عُدّل الصف مرة أخرى',
  z: 'ئ',
}

const isFocused = async (button: Locator): Promise<boolean> =>
  (await button.and(button.page().locator(':focus')).count()) > 0

/** Opens the demo sorted by id, where the row of an id stands in its place. */
async function openRow(id: number, { ln, edit, viewport }: typeof english, isLive = true) {
  const view = `bird_strikes?ln=${ln}&sort=id`
  const explorer = await open({ view, viewport, script: messagesStay, isLive })
  await explorer.waitForRows()
  const row = explorer.page.locator('#rows tbody tr').nth(id - 1)
  // The buttons of a row come with the focus.
  await row.getByRole('checkbox').focus()
  return { ...explorer, button: row.getByRole('button', { name: edit }), popup: explorer.page.locator('.popup') }
}

const readAssignee = async (id: number) => {
  const [row] = await stack.sql()`select assignee from bird_strikes where id = ${id}`
  return row?.['assignee']
}
const assign = (id: number, assignee: string) =>
  stack.sql()`update bird_strikes set assignee = ${assignee} where id = ${id}`

const edits = '**/row-table-action/**'
const undos = '**/undo/**'

describe.each([english, arabic])('a cell that the user may edit, in $ln', (words) => {
  const first = words.ln === 'en' ? 1 : 4

  it('is written where it stands, by keyboard', async () => {
    const { page, button, popup, cells, shot, complaints } = await openRow(first, words)
    await button.focus()
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.edit:focus svg')).opacity`)).toBe('1')
    await page.keyboard.press('Enter')
    const field = popup.getByRole('textbox', { name: words.column })
    await field.and(page.locator(':focus')).waitFor()
    expect(await pageViolations(page, '.popup')).toEqual([])
    await shot(`cell-${words.ln}`)
    await field.fill('dana')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await cells(words.column))[first - 1]?.trim()).toBe('dana')
    await expect.poll(() => readAssignee(first)).toBe('dana')
    await button.and(page.locator(':focus')).waitFor()
    expect(complaints).toEqual([])
  })

  it('is missing when it was emptied', async () => {
    await assign(first, 'kim')
    const { page, button, popup, cells } = await openRow(first, words)
    await button.focus()
    await page.keyboard.press('Enter')
    const field = popup.getByRole('textbox', { name: words.column })
    await expect.poll(() => field.inputValue()).toBe('kim')
    await field.fill('')
    await popup.getByRole('button', { name: words.save }).click()
    await expect.poll(async () => (await cells(words.column))[first - 1]?.trim()).toBe('–')
    await expect.poll(() => readAssignee(first)).toBeNull()
  })

  it.each(['keep', 'leave'] as const)(
    'shows both values if another user was faster, and the button to %s one',
    async (choice) => {
      const id = first + (choice === 'keep' ? 1 : 2)
      const { page, button, popup, cells, shot } = await openRow(id, words)
      await button.focus()
      await page.keyboard.press('Enter')
      await popup.getByRole('textbox', { name: words.column }).fill('mine')
      await assign(id, 'theirs')
      await popup.getByRole('button', { name: words.save }).click()
      await popup.getByText(words.conflict).waitFor()
      await expect.poll(() => popup.locator('dd').allInnerTexts()).toEqual(['mine', 'theirs'])
      expect(await pageViolations(page, '.popup')).toEqual([])
      await shot(`cell-conflict-${words.ln}`)
      if (choice === 'keep') {
        await page.route(edits, (route) => route.abort(), { times: 1 })
        await popup.getByRole('button', { name: words.keep }).click()
        await popup.locator('.fault').waitFor()
      }
      await popup.getByRole('button', { name: words[choice] }).click()
      const kept = choice === 'keep' ? 'mine' : 'theirs'
      await expect.poll(async () => (await cells(words.column))[id - 1]?.trim()).toBe(kept)
      await expect.poll(() => readAssignee(id)).toBe(kept)
    },
  )

  it('leaves the pager free of its message on a phone, and the buttons of a conflict in front of it', async () => {
    const id = first + 5
    const { page, button, popup } = await openRow(id, { ...words, viewport: { width: 390, height: 844 } })
    const type = async (value: string) => {
      await button.focus()
      await page.keyboard.press('Enter')
      await popup.getByRole('textbox', { name: words.column }).fill(value)
    }
    await type('before')
    await page.keyboard.press('Enter')
    await page.locator('.message').waitFor()
    const [message, pager] = await Promise.all(['.message', '.pager'].map((part) => page.locator(part).boundingBox()))
    expect((message?.y ?? 0) + (message?.height ?? 0)).toBeLessThanOrEqual(pager?.y ?? 0)
    await type('mine')
    await assign(id, 'theirs')
    await page.keyboard.press('Enter')
    await popup.getByText(words.conflict).waitFor()
    await page.evaluate(`(() => {
      const { bottom } = document.querySelector('.popup').getBoundingClientRect()
      document.querySelector('.messages').style.insetBlockEnd = innerHeight - bottom + 'px'
    })()`)
    await popup.getByRole('button', { name: words.keep }).click()
    await expect.poll(() => readAssignee(id)).toBe('mine')
  })

  it('is as it was after an undo, by the message or by Ctrl-Z, step by step', async () => {
    const id = first + 6
    await assign(id, 'one')
    // Live rows could show a change before the response that the test waits for.
    const { page, button, popup, cells, messages } = await openRow(id, words, false)
    const readShown = async () => (await cells(words.column))[id - 1]?.trim()
    for (const value of ['two', 'three', 'four']) {
      await button.focus()
      await page.keyboard.press('Enter')
      await popup.getByRole('textbox', { name: words.column }).fill(value)
      await page.keyboard.press('Enter')
      await expect.poll(readShown).toBe(value)
    }
    await page.locator('.message').last().getByRole('button', { name: words.undo }).click()
    await expect.poll(readShown).toBe('three')
    await button.focus()
    await page.keyboard.press('Control+z')
    await expect.poll(readShown).toBe('two')
    await page.keyboard.press('Control+z')
    await expect.poll(readShown).toBe('one')
    // No message still offers to undo what the keys have undone.
    const offers = page.locator('.message').getByRole('button', { name: words.undo, exact: true })
    await expect.poll(() => offers.count()).toBe(0)
    await expect.poll(() => readAssignee(id)).toBe('one')
    await page.locator('.message').last().getByRole('button', { name: words.redo }).click()
    await expect.poll(readShown).toBe('two')
    await assign(id, 'theirs')
    await page.locator('.message').last().getByRole('button', { name: words.undo }).click()
    await page.locator('.message.danger').waitFor()
    await expect.poll(async () => (await messages()).at(-1)).toContain(words.changedAgain)
    expect((await messages()).at(-1)).toContain(` · ${id} · `)
    // A reader of the screen hears the new message, and not all of them once more.
    expect(await page.locator('.messages:not([role="status"])[aria-live="polite"]').count()).toBe(1)
    expect(await readAssignee(id)).toBe('theirs')
  })
})

describe.each([
  { ...english, boolean: 'Edit Flagged', flagged: 'Flagged', yes: 'Yes', choice: 'Edit Status', status: 'Status' },
  {
    ...arabic,
    boolean: 'تعديل مميَّز بعلامة',
    flagged: 'مميَّز بعلامة',
    yes: 'نعم',
    choice: 'تعديل الحالة',
    status: 'الحالة',
  },
])('a cell of few values, in $ln', (words) => {
  it('is chosen as the cells show it, and stays empty where it may be', async () => {
    const { ln, viewport } = words
    const view = `bird_strikes?ln=${ln}&sort=id`
    const { page, waitForRows } = await open({ as: null, view, viewport, isLive: false })
    const editable: Readonly<Record<string, object>> = {
      flagged: { type: ['boolean', 'null'] },
      status: { type: ['string', 'null'], enum: ['open', 'reviewed', null] },
    }
    await page.route('**/load-table/**', async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      for (const column of json.columns) Object.assign(column, { editable: editable[column.data_src] })
      await route.fulfill({ response, json })
    })
    await page.route('**/row-refetch/**', async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      json.data.row._raw = { flagged: null, status: 'open' }
      await route.fulfill({ response, json })
    })
    await page.locator('.option').nth(1).click()
    await waitForRows()
    const row = page.locator('#rows tbody tr').first()
    const popup = page.locator('.popup')
    const save = async () => {
      const [request] = await Promise.all([
        page.waitForRequest(edits),
        popup.getByRole('button', { name: words.save }).click(),
      ])
      await page.keyboard.press('Escape')
      return request.postDataJSON().cells
    }
    await row.getByRole('checkbox').focus()
    await row.getByRole('button', { name: words.boolean }).press('Enter')
    const choices = popup.getByRole('combobox', { name: words.flagged })
    await choices.waitFor()
    expect(await save()).toEqual({ flagged: null })
    await row.getByRole('button', { name: words.boolean }).press('Enter')
    await choices.selectOption(words.yes)
    expect(await save()).toEqual({ flagged: true })
    await row.getByRole('button', { name: words.choice }).press('Enter')
    const options = popup.getByRole('combobox', { name: words.status }).locator('option')
    const shown = ln === 'en' ? ['(none)', 'Open', 'Reviewed'] : ['(فارغ)', 'مفتوح', 'تمت مراجعته']
    await expect.poll(() => options.allTextContents()).toEqual(shown)
  })
})

describe.each([english, arabic])('a cell that is left while it is written, in $ln', (words) => {
  it.each(['written', 'refused'] as const)(
    'leaves the next one open, and says what became of it if it is %s',
    async (end) => {
      const id = (words.ln === 'en' ? 14 : 16) + (end === 'written' ? 0 : 1)
      await assign(id, 'before')
      const { page, button, popup, shot } = await openRow(id, words)
      const answered = Promise.withResolvers<void>()
      await page.route(edits, (route) => answered.promise.then(() => route.continue()), { times: 1 })
      await button.focus()
      await page.keyboard.press('Enter')
      const field = popup.getByRole('textbox', { name: words.column })
      await field.fill('mine')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Escape')
      await popup.waitFor({ state: 'detached' })
      const next = page.locator('#rows tbody tr').nth(id)
      await next.getByRole('checkbox').focus()
      await next.getByRole('button', { name: words.edit }).focus()
      await page.keyboard.press('Enter')
      await field.fill('typed meanwhile')
      if (end === 'refused') await assign(id, 'theirs')
      answered.resolve()
      const shownMessage = page.locator(end === 'written' ? '.message.success' : '.message.danger')
      await shownMessage.filter({ hasText: `${words.column} · ${id} · ` }).waitFor()
      expect(await field.inputValue()).toBe('typed meanwhile')
      expect(await popup.getByText(words.conflict).count()).toBe(0)
      await shot(`cell-left-${end}-${words.ln}`)
    },
  )
})

describe.each([english, arabic])('Ctrl-Z on the keyboard of $ln', (words) => {
  const id = words.ln === 'en' ? 8 : 12

  async function editTwice() {
    await assign(id, 'one')
    const explorer = await openRow(id, words)
    const { page, button, popup, cells } = explorer
    const readShown = async () => (await cells(words.column))[id - 1]?.trim()
    for (const value of ['two', 'three']) {
      await button.focus()
      await page.keyboard.press('Enter')
      await popup.getByRole('textbox', { name: words.column }).fill(value)
      await page.keyboard.press('Enter')
      await expect.poll(readShown).toBe(value)
      await button.and(page.locator(':focus')).waitFor()
    }
    const pressUndo = () =>
      button.dispatchEvent('keydown', { key: words.z, code: 'KeyZ', ctrlKey: true, bubbles: true, cancelable: true })
    return { ...explorer, readShown, pressUndo }
  }

  it('takes back the same change once more if the service could not be reached', async () => {
    const { page, readShown, pressUndo } = await editTwice()
    await page.route(undos, (route) => route.abort(), { times: 1 })
    await pressUndo()
    await page.locator('.message.danger').waitFor()
    await pressUndo()
    await expect.poll(readShown).toBe('two')
  })

  it('takes back one change after the other, however fast it is pressed', async () => {
    const { page, readShown, pressUndo } = await editTwice()
    const slow = Promise.withResolvers<void>()
    await page.route(undos, (route) => slow.promise.then(() => route.continue()), { times: 1 })
    await pressUndo()
    await pressUndo()
    slow.resolve()
    await expect.poll(readShown).toBe('one')
  })

  it('does again with Shift what it took back, and F6 leads to its message and back', async () => {
    const { page, readShown, pressUndo } = await editTwice()
    await pressUndo()
    await expect.poll(readShown).toBe('two')
    const box = page.locator('#rows tbody tr').first().getByRole('checkbox')
    await box.press('Control+Shift+z')
    await expect.poll(readShown).toBe('three')
    await page.locator('.message').getByRole('button', { name: words.undo }).waitFor()
    await box.press('F6')
    await page.locator('.message :focus').waitFor()
    await page.keyboard.press('F6')
    await box.and(page.locator(':focus')).waitFor()
    // An offer of another change has taken the place of those before.
    expect(await page.locator('.message').getByRole('button', { name: words.undo }).count()).toBe(1)
  })

  it('leaves alone a change of another table that was answered late', async () => {
    await assign(id, 'before')
    const { page, button, popup, requests, waitForRows } = await openRow(id, words)
    const slow = Promise.withResolvers<void>()
    await page.route(edits, (route) => slow.promise.then(() => route.continue()), { times: 1 })
    await button.focus()
    await page.keyboard.press('Enter')
    await popup.getByRole('textbox', { name: words.column }).fill('late')
    await page.keyboard.press('Enter')
    await page.evaluate(`location.hash = 'airports?ln=${words.ln}'`)
    await waitForRows()
    slow.resolve()
    await page.locator('.message').getByRole('button', { name: words.undo }).waitFor()
    await page.locator('#rows tbody tr').first().getByRole('checkbox').press('Control+z')
    await page.locator('.message').getByRole('button', { name: words.undo }).click()
    await expect.poll(() => readAssignee(id)).toBe('before')
    expect(requests.filter((path) => path.includes('/undo/'))).toHaveLength(1)
  })
})

describe.each([english, arabic])('the button of a cell, in $ln', (words) => {
  const { ln, edit, column, viewport } = words
  const view = `bird_strikes?ln=${ln}&sort=id`

  it('is drawn when its row is reached by Tab, forwards and backwards', async () => {
    const { page, waitForRows } = await open({ view, viewport })
    await waitForRows()
    const buttons = page.getByRole('button', { name: edit })
    expect(await buttons.count()).toBe(0)
    const row = page.locator('#rows tbody tr').nth(1)
    await row.getByRole('checkbox').focus()
    const button = row.getByRole('button', { name: edit })
    for (let presses = 0; presses < 9 && !(await isFocused(button)); presses += 1) await page.keyboard.press('Tab')
    expect(await isFocused(button)).toBe(true)
    await page.locator('#rows tbody tr').nth(3).getByRole('checkbox').focus()
    const before = page.locator('#rows tbody tr').nth(2).getByRole('button', { name: edit })
    await page.keyboard.press('Shift+Tab')
    await before.waitFor({ state: 'attached' })
    for (let presses = 0; presses < 9 && !(await isFocused(before)); presses += 1) {
      await page.keyboard.press('Shift+Tab')
    }
    await page.keyboard.press('Enter')
    await page.locator('.popup').getByRole('textbox', { name: column }).waitFor()
  })

  it('is shown by the first tap of a finger, and the second opens the row', async () => {
    const { page, waitForRows } = await open({ view, viewport, hasTouch: true, isMobile: true })
    await waitForRows()
    const row = page.locator('#rows tbody tr').nth(1)
    const cell = row.locator('td.editable').last()
    await cell.tap({ position: { x: 20, y: 10 } })
    await row.getByRole('button', { name: edit }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await cell.tap({ position: { x: 20, y: 10 } })
    await page.getByRole('dialog').waitFor()
  })

  it('has an entry of the same name in the menu of its row', async () => {
    const { page, waitForRows, rowMenu } = await open({ view, viewport })
    await waitForRows()
    await (await rowMenu(1)).getByRole('button', { name: edit }).click()
    const field = page.locator('.popup').getByRole('textbox', { name: column })
    await field.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('#rows tbody tr').nth(1).locator('.row-actions button').and(page.locator(':focus')).waitFor()
  })
})
