import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { messagesStay, startExplorer } from '../support/browser/explorer-page.ts'

const { open } = await startExplorer({ script: messagesStay })

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
const choose = (page: Page, name: string) => page.locator('.popup').getByRole('button', { name, exact: true }).click()

const isFocused = (field: Locator) => field.and(field.page().locator(':focus')).waitFor()

describe('an action on a row', () => {
  it('opens its form and shows the faults of its fields', async () => {
    const { page, rowMenu, cells, waitForRows } = await open()
    await waitForRows()
    await rowMenu(2)
    await choose(page, 'Assign')
    const form = dialog(page, 'Assign')
    await form.getByRole('button', { name: 'Submit' }).click()
    await form.locator('.labelled.faulty').waitFor()
    await form.getByRole('textbox', { name: 'Assignee' }).fill('dana')
    await form.getByRole('button', { name: 'Submit' }).click()
    await expect.poll(async () => (await cells('Assignee'))[2]).toBe('dana')
  })

  it('has a form that works by keyboard alone', async () => {
    const { page, rowMenu, cells, waitForRows } = await open()
    await waitForRows()
    await rowMenu(5)
    await choose(page, 'Assign')
    const assignee = dialog(page, 'Assign').getByRole('textbox', { name: 'Assignee' })
    await isFocused(assignee)
    await page.keyboard.press('Enter')
    await page.locator('.labelled.faulty').waitFor()
    await isFocused(assignee)
    await page.keyboard.type('kim')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await cells('Assignee'))[5]).toBe('kim')
  })

  it('opens the form of a second step with the present values', async () => {
    const { page, rowMenu, cells, waitForRows } = await open()
    await waitForRows()
    for (const note of ['a first note', 'a second note']) {
      await rowMenu(3)
      await choose(page, 'Write a note')
      const form = dialog(page, 'Write a note')
      if (note === 'a second note') await expect.poll(() => form.getByRole('textbox').inputValue()).toBe('a first note')
      await form.getByRole('textbox').fill(note)
      await form.getByRole('button', { name: 'Submit' }).click()
      await expect.poll(async () => (await cells('Note'))[3]).toBe(note)
    }
  })
})

describe('a field that keeps its form from being sent', () => {
  it('says why in the language of the page', async () => {
    const { page, waitForRows, filter } = await open({ view: 'bird_strikes?ln=ar' })
    await waitForRows()
    const readFault = () => page.evaluate('document.activeElement.validationMessage')
    await page.locator('.tools').getByRole('button', { name: 'طرق العرض' }).click()
    const name = page.getByRole('textbox', { name: 'اسم طريقة العرض الجديدة' })
    await name.press('Enter')
    await expect.poll(readFault).toBe('املأ هذا الحقل.')
    await name.fill(' ')
    await expect.poll(readFault).toBe('')
    await name.press('Enter')
    await page.locator('.popup').getByRole('alert').waitFor()
    await page.keyboard.press('Escape')
    const popup = await filter('تاريخ الرحلة')
    await popup.getByRole('combobox', { name: 'المقارنة' }).selectOption('within')
    await popup.getByRole('combobox', { name: /ضمن الفترة/ }).selectOption('counted')
    const count = popup.getByRole('textbox')
    await count.fill('0')
    await count.press('Enter')
    await expect.poll(readFault).toBe('اكتب عددًا صحيحًا من 1 إلى 9999.')
    await count.fill('٠٣')
    await count.press('Enter')
    await popup.waitFor({ state: 'detached' })
    await expect.poll(() => page.url()).toContain('within%3Alast_3_days')
  })
})

/** Opens a form with these optional fields. `submit` sends it and returns the body of the request that has a key. */
async function openForm(properties: object) {
  const { page, rowMenu, waitForRows } = await open({ as: null, view: 'bird_strikes?ln=en' })
  await page.route('**/load-table/**', async (route) => {
    const response = await route.fetch()
    const json = await response.json()
    json.rowActions.assign.form = { type: 'object', properties, required: [] }
    await route.fulfill({ response, json })
  })
  await page.getByRole('button', { name: 'Bob, supervisor of all states' }).click()
  await waitForRows()
  await rowMenu(0)
  await choose(page, 'Assign')
  const form = dialog(page, 'Assign')
  const submit = async (key: string) => {
    const [request] = await Promise.all([
      page.waitForRequest((one) => one.postData()?.includes(`"${key}"`) === true),
      form.getByRole('button', { name: 'Submit' }).click(),
    ])
    return request.postDataJSON()
  }
  return { form, submit }
}

describe('a field of a form', () => {
  it('takes a list with the commas and digits of an Arabic keyboard, and leaves to the service what is no number', async () => {
    const list = (type: string) => ({ type: 'array', items: { type } })
    const { form, submit } = await openForm({ names: list('string'), codes: list('number') })
    await form.getByLabel('Names').fill('هدى، سامي,lee')
    await form.getByLabel('Codes').fill('٢، اثنان, 3')
    expect(await submit('codes')).toMatchObject({ names: ['هدى', 'سامي', 'lee'], codes: [2, 'اثنان', 3] })
  })

  it('is sent as null if it may be missing and was emptied, and is otherwise left out', async () => {
    const nullable = (type: string, initial?: unknown) => ({ type: [type, 'null'], default: initial })
    const { form, submit } = await openForm({
      urgent: nullable('boolean', true),
      remark: nullable('string', 'as before'),
      untouched: nullable('string'),
      state: { type: ['string', 'null'], enum: ['open', 'done', null], default: 'archived' },
      reason: { type: 'string', default: 'routine' },
    })
    await form.getByLabel('Urgent').selectOption('')
    await form.getByLabel('Remark').fill('')
    await form.getByLabel('Reason').fill('')
    const { urgent, remark, ...others } = await submit('urgent')
    expect([urgent, remark]).toEqual([null, null])
    for (const name of ['untouched', 'state', 'reason']) expect(Object.keys(others)).not.toContain(name)
  })
})

describe('a form that is refused', () => {
  it('shows the reason of the latest attempt, whether to send it or to show what would happen', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?sort=-id&ln=en' })
    await waitForRows()
    await page.locator('#rows tbody input').nth(0).check()
    await page.locator('.tools').getByRole('button', { name: 'Actions' }).click()
    await choose(page, 'Assign')
    const form = dialog(page, 'Assign')
    await form.getByRole('textbox', { name: 'Assignee' }).fill('robin')
    const refuse = async (message: string, button: string) => {
      await page.route('**/row-bulk-table-action/**', (route) =>
        route.fulfill({ status: 409, json: { success: false, code: 'refused', message } }),
      )
      await form.getByRole('button', { name: button }).click()
      await expect.poll(() => form.getByRole('alert').allTextContents()).toEqual([message])
    }
    await refuse('First', 'Show what would happen')
    await refuse('Second', 'Submit')
    await page.unroute('**/row-bulk-table-action/**')
    await form.getByRole('button', { name: 'Show what would happen' }).click()
    await form.getByText('It would change 1 of 1 selected rows.').waitFor()
    expect(await form.getByRole('alert').count()).toBe(0)
  })
})
