import type { Locator, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { messagesStay, startExplorer } from '../support/browser/explorer-page.ts'
import { pageViolations } from '../support/browser/page-violations.ts'

const { stack, open } = await startExplorer({ script: messagesStay })

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
const choose = (page: Page, name: string) => page.locator('.popup').getByRole('button', { name, exact: true }).click()

const isFocused = (field: Locator) => field.and(field.page().locator(':focus')).waitFor()

/** Slows down each chunk of a job, so that there is time to watch it. The result ends that. */
async function slowDownJobs(): Promise<() => Promise<void>> {
  await stack.sql().unsafe(`
    create function slow_down() returns trigger language plpgsql as $$ begin perform pg_sleep(1); return null; end $$;
    create trigger slow_down before update on bird_strikes for each statement execute function slow_down()`)
  const speedUp = async () => {
    await stack.sql().unsafe('drop function if exists slow_down cascade')
  }
  onTestFinished(speedUp)
  return speedUp
}

/** Opens the actions of the toolbar and begins one. */
async function begin(page: Page, name: string) {
  await page.locator('.tools').getByRole('button', { name: 'Actions' }).click()
  await choose(page, name)
}

describe('an action on a row', () => {
  it('takes the row away when the filters no longer let it through', async () => {
    const { rowMenu, cells, page, waitForRows } = await open({ view: 'bird_strikes?f.status=%3D:open&sort=id&ln=en' })
    await waitForRows()
    const [first] = await cells('ID')
    await rowMenu(0)
    await choose(page, 'Mark reviewed')
    await expect.poll(() => cells('ID')).not.toContain(first)
    expect(new Set(await cells('Status'))).toEqual(new Set(['Open']))
  })

  it('shows its state if it is a switch', async () => {
    const { page, rowMenu, waitForRows } = await open()
    await waitForRows()
    await (await rowMenu(1)).getByRole('switch', { name: 'Flag' }).click()
    await page.locator('#rows tbody tr').nth(1).locator('.boolean.on').waitFor()
    const again = await rowMenu(1)
    await expect.poll(() => again.getByRole('switch', { name: 'Flag' }).getAttribute('aria-checked')).toBe('true')
  })

  it('stays in the menu with its reason, and cannot be chosen, if the row does not allow it', async () => {
    const { page, requests, rowMenu, waitForRows, button } = await open({ isLive: false })
    await waitForRows()
    await page.route('**/query-table/**', async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      json.items[0].row.actions.mark_reviewed = { enabled: false, reason: 'Reviewed already' }
      await route.fulfill({ response, json })
    })
    await button('Next page').click()
    await page.getByText(/^21–40 of/).waitFor()
    await waitForRows()
    const menu = await rowMenu(0)
    const entry = menu.getByRole('button', { name: 'Mark reviewed' })
    await expect.poll(() => entry.getAttribute('aria-disabled')).toBe('true')
    await expect.poll(() => entry.locator('small').textContent()).toBe('Reviewed already')
    // Playwright waits for an entry to be enabled before it clicks.
    await entry.click({ force: true })
    await entry.waitFor()
    expect(requests.filter((path) => path.includes('row-table-action'))).toEqual([])
  })

  it('asks for confirmation if it cannot be undone', async () => {
    const { page, requests, rowMenu, cells, waitForRows } = await open()
    await waitForRows()
    const ids = await cells('ID')
    await rowMenu(4)
    await choose(page, 'Archive')
    await page.getByText('Archive? What is archived leaves the list.').waitFor()
    await isFocused(dialog(page, 'Archive').getByRole('button', { name: 'Cancel' }))
    await page.keyboard.press('Enter')
    await dialog(page, 'Archive').waitFor({ state: 'detached' })
    expect(requests.filter((path) => path.includes('row-table-action'))).toEqual([])
    expect(await cells('ID')).toEqual(ids)
    await rowMenu(4)
    await choose(page, 'Archive')
    await dialog(page, 'Archive').getByRole('button', { name: 'Archive' }).click()
    await expect.poll(() => cells('ID')).not.toContain(ids[4])
  })

  it.each(['done', 'refused'] as const)('is reported beside the question that is open when it is %s', async (end) => {
    const { page, rowMenu, waitForRows } = await open()
    await waitForRows()
    const answered = Promise.withResolvers<void>()
    await page.route('**/row-table-action/**', (route) =>
      answered.promise.then(() => (end === 'done' ? route.continue() : route.abort())),
    )
    const assignee = dialog(page, 'Assign').getByRole('textbox', { name: 'Assignee' })
    for (const [row, name] of ['in time', 'typed meanwhile'].entries()) {
      await rowMenu(7 + row)
      await choose(page, 'Assign')
      await assignee.fill(name)
      if (row > 0) break
      await page.keyboard.press('Enter')
      await page.keyboard.press('Escape')
      await assignee.waitFor({ state: 'detached' })
    }
    answered.resolve()
    await page.locator(end === 'done' ? '.message.success' : '.message.danger', { hasText: 'Assign' }).waitFor()
    expect(await assignee.inputValue()).toBe('typed meanwhile')
    expect(await dialog(page, 'Assign').getByRole('alert').count()).toBe(0)
  })

  it('is not run, and says so, while another one is', async () => {
    const { page, rowMenu, waitForRows } = await open({ isLive: false })
    await waitForRows()
    const answered = Promise.withResolvers<void>()
    await page.route('**/row-table-action/**', (route) => answered.promise.then(() => route.continue()))
    await (await rowMenu(10)).getByRole('switch', { name: 'Flag' }).click()
    await (await rowMenu(11)).getByRole('switch', { name: 'Flag' }).click()
    await page.getByText('“Flag” is still in progress. Try again when it is done.').waitFor()
    answered.resolve()
    await page.locator('#rows tbody tr').nth(10).locator('.boolean.on').waitFor()
  })

  it('shows details in full', async () => {
    const { page, rowMenu, cells, waitForRows } = await open()
    await waitForRows()
    await rowMenu(0)
    await choose(page, 'Show details')
    const [airport = ''] = await cells('Airport')
    await dialog(page, 'Show details').getByText(airport, { exact: true }).waitFor()
  })
})

describe('rows that are ticked', () => {
  it('stay ticked over pages, and take an action together', async () => {
    const { page, button, cells, waitForRows } = await open({ view: 'bird_strikes?sort=-id&page=5&ln=en' })
    await waitForRows()
    await page.locator('#rows tbody input').nth(0).check()
    await page.locator('#rows tbody input').nth(1).check()
    await button('Next page').click()
    await waitForRows()
    await page.locator('#rows tbody input').nth(0).check()
    await page.getByText('3 selected').waitFor()
    await begin(page, 'Assign')
    const form = dialog(page, 'Assign')
    await form.getByText('This concerns 3 rows.').waitFor()
    await form.getByRole('textbox', { name: 'Assignee' }).fill('team a')
    await form.getByRole('button', { name: 'Submit' }).click()
    await expect.poll(async () => (await cells('Assignee'))[0]).toBe('team a')
    await button('Previous page').click()
    await waitForRows()
    await expect.poll(async () => (await cells('Assignee')).slice(0, 2)).toEqual(['team a', 'team a'])
    await expect.poll(() => page.locator('#rows tbody input:checked').count()).toBe(2)
  })

  it('can be all that match', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?f.origin_state=%3D:Ohio&ln=en' })
    await waitForRows()
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
    await page.getByText('20 selected').waitFor()
    await page.getByRole('button', { name: /^Select all [\d,]+ that match/ }).click()
    await page.getByText(/^All [\d,]+ rows that match are selected/).waitFor()
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await expect.poll(() => page.locator('#rows tbody input:checked').count()).toBe(0)
  })

  it('can be all that match but some, of other pages as well', async () => {
    const { page, waitForRows, total, button, cells } = await open({
      view: 'bird_strikes?f.origin_state=%3D:Ohio&ln=en',
    })
    await waitForRows()
    const all = await total()
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
    await button(/^Select all [\d,]+ that match/).click()
    await page.locator('#rows tbody input').nth(3).uncheck()
    const [, , , one = ''] = await cells('ID')
    await button('Next page').click()
    await waitForRows()
    await page.locator('#rows tbody input').nth(0).uncheck()
    const [other = ''] = await cells('ID')
    await page.getByText(/^All [\d,]+ rows that match but 2 are selected$/).waitFor()
    await expect.poll(() => page.locator('#rows tbody input:checked').count()).toBe(19)
    await begin(page, 'Report by e-mail')
    const form = dialog(page, 'Report by e-mail')
    await form.getByText(`${(all - 2).toLocaleString('en')} rows`).waitFor()
    await form.getByRole('textbox').fill('sam@example.com')
    const sent = page.waitForRequest((request) => request.url().includes('/bulk-table-action/'))
    await page.keyboard.press('Enter')
    const ids = [one, other].map(Number)
    expect((await sent).postDataJSON()).toMatchObject({ select_all: true, excluded_ids: ids, expected_count: all - 2 })
    await form.waitFor({ state: 'hidden' })
  })
})

describe('an export that is delivered later', () => {
  it('says that it cannot show what would happen', async () => {
    const { page, waitForRows } = await open({ view: 'flights?f.origin=%3D:ATL&ln=en' })
    await waitForRows()
    await begin(page, 'Prepare an export')
    const form = dialog(page, 'Prepare an export')
    await form.getByRole('button', { name: 'Show what would happen' }).click()
    await form.getByText('This action cannot show what would happen.').waitFor()
  })
})

describe('an action on ticked rows', () => {
  it('is shown before it is applied, and is applied to what was shown', async () => {
    const { page, waitForRows, cells, shot, button } = await open({ view: 'bird_strikes?sort=-id&ln=en' })
    await waitForRows()
    const before = await cells('Assignee')
    const [first] = await cells('ID')
    for (const row of [0, 1]) await page.locator('#rows tbody input').nth(row).check()
    await begin(page, 'Assign')
    const form = dialog(page, 'Assign')
    await form.getByRole('textbox', { name: 'Assignee' }).fill('robin')
    const asked = page.waitForRequest((request) => request.url().includes('/row-bulk-table-action/'))
    await form.getByRole('button', { name: 'Show what would happen' }).click()
    await form.getByText('It would change 2 of 2 selected rows.').waitFor()
    expect((await asked).postDataJSON()).toMatchObject({ plan: true, row_actions: 'keys' })
    const shown = await form.locator('.sample tbody tr').first().locator('th,td').allInnerTexts()
    expect(shown).toEqual([first, 'Assignee', before[0], 'robin'])
    expect(await pageViolations(page, '.modal')).toEqual([])
    await shot('foreseen')
    expect(await cells('Assignee')).toEqual(before)
    // The button that was pressed is gone: the focus is on the one that changes nothing.
    expect(await form.getByRole('button', { name: 'Back' }).and(page.locator(':focus')).count()).toBe(1)
    await page.keyboard.press('Enter')
    await expect.poll(() => form.getByRole('textbox', { name: 'Assignee' }).inputValue()).toBe('robin')
    await form.getByRole('button', { name: 'Show what would happen' }).click()
    await form.getByText('It would change 2 of 2 selected rows.').waitFor()
    await stack.sql()`update bird_strikes set note = 'changed meanwhile' where id = ${Number(first)}`
    const sent = page.waitForRequest((request) => request.url().includes('/row-bulk-table-action/'))
    await button('Apply these changes').click()
    expect(Object.keys((await sent).postDataJSON())).toEqual(['plan_id', 'include', 'row_actions'])
    await expect.poll(async () => (await cells('Assignee')).slice(0, 2)).toEqual([before[0], 'robin'])
    await page.getByText('Not done for 1 row').waitFor()
  })

  it('is not shown before where its form has a field of that name: it would run', async () => {
    const { page, waitForRows } = await open({ view: '', isLive: false })
    await page.route('**/load-table/bird_strikes**', async (route) => {
      const response = await route.fetch()
      const structure = await response.json()
      structure.rowActions.assign.form.properties.plan = { type: 'boolean', title: 'Plan' }
      await route.fulfill({ response, json: structure })
    })
    await page.evaluate(`location.hash = 'bird_strikes?sort=-id&ln=en'`)
    await page.reload()
    await waitForRows()
    await page.locator('#rows tbody input').first().check()
    await begin(page, 'Assign')
    await dialog(page, 'Assign').getByRole('checkbox', { name: 'Plan' }).waitFor()
    expect(await dialog(page, 'Assign').getByRole('button', { name: 'Show what would happen' }).count()).toBe(0)
  })

  it('says in Arabic on which of them it was not done, and why', async () => {
    const { page, waitForRows, cells } = await open({ view: 'bird_strikes?sort=-id&f.status=%3D:open&ln=ar' })
    await waitForRows()
    const [first] = await cells('المعرف')
    for (const row of [0, 1]) await page.locator('#rows tbody input').nth(row).check()
    await stack.sql()`update bird_strikes set status = 'reviewed' where id = ${Number(first)}`
    await page.locator('.tools').getByRole('button', { name: 'الإجراءات' }).click()
    await choose(page, 'تعيين كمُراجَع')
    await dialog(page, 'تعيين كمُراجَع').getByRole('button', { name: 'تعيين كمُراجَع' }).click()
    await page.getByText(/تعذّر التنفيذ على صف واحد: \p{Script=Arabic}/u).waitFor()
  })
})

describe('an action of the toolbar', () => {
  it('downloads an instant file', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?f.origin_state=%3D:Ohio&ln=en' })
    await waitForRows()
    const file = page.waitForEvent('download')
    await begin(page, 'Export Excel')
    expect((await file).suggestedFilename()).toMatch(/^bird_strikes-.*\.xlsx$/)
  })

  it('asks for recipients and says when a mail is sent', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?f.origin_state=%3D:Ohio&ln=en' })
    await waitForRows()
    await begin(page, 'Report by e-mail')
    const form = dialog(page, 'Report by e-mail')
    await expect.poll(() => form.getByRole('heading', { name: 'Report by e-mail' }).count()).toBe(1)
    await isFocused(form.getByRole('textbox'))
    await page.keyboard.type('nobody@elsewhere.test')
    await page.keyboard.press('Enter')
    await form.getByRole('alert').waitFor()
    await isFocused(form.getByRole('textbox'))
    await form.getByRole('textbox').fill('lee@example.com, sam@example.com')
    await form.getByRole('button', { name: 'Report by e-mail' }).click()
    await page.locator('.card .badge.success', { hasText: 'Done' }).waitFor()
    await page.getByText('lee@example.com, sam@example.com').waitFor()
  })

  it('takes recipients with the commas of an Arabic keyboard', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?f.origin_state=%3D:Ohio&ln=en' })
    await waitForRows()
    await begin(page, 'Report by e-mail')
    const form = dialog(page, 'Report by e-mail')
    await form.getByRole('textbox').fill('lee@example.com، sam@example.com،kim@example.com')
    const [request] = await Promise.all([
      page.waitForRequest((one) => one.postData()?.includes('"emails"') === true),
      form.getByRole('button', { name: 'Report by e-mail' }).click(),
    ])
    expect(request.postDataJSON().emails).toEqual(['lee@example.com', 'sam@example.com', 'kim@example.com'])
  })

  it('counts its rows where those of the page have not come yet', async () => {
    const { page } = await open({ as: null, view: 'bird_strikes?ln=en' })
    const answered = Promise.withResolvers<void>()
    onTestFinished(() => answered.resolve())
    await page.route('**/query-table/**', async (route) => {
      if (!route.request().postData()?.includes('"count_only":true')) await answered.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Bob, supervisor of all states' }).click()
    await begin(page, 'Notify assignees')
    await dialog(page, 'Notify assignees')
      .getByText(/This concerns [\d,]+ rows/)
      .waitFor()
  })

  it('shows its notification, which can be marked as read', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?f.origin_state=%3D:Ohio&ln=en' })
    await waitForRows()
    await begin(page, 'Notify assignees')
    await isFocused(dialog(page, 'Notify assignees').getByRole('button', { name: 'Notify assignees' }))
    await page.keyboard.press('Enter')
    await page.locator('.card.unread', { hasText: 'Assignees notified' }).first().waitFor()
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await expect.poll(() => page.locator('.card.unread').count()).toBe(0)
  })

  it('shows the progress of a job, also after a reload', async () => {
    const { page, waitForRows } = await open()
    await waitForRows()
    const speedUp = await slowDownJobs()
    await begin(page, 'Recompute risk')
    await dialog(page, 'Recompute risk').getByRole('button', { name: 'Recompute risk' }).click()
    await page.locator('.live.on').waitFor()
    await page.locator('progress[value]').waitFor()
    await speedUp()
    await page.reload()
    await waitForRows()
    await page.getByRole('button', { name: /^Notifications and jobs/ }).click()
    await page.locator('.tab', { hasText: 'Jobs' }).click()
    await page.locator('.card .badge.success', { hasText: 'Done' }).waitFor()
  })

  it('can be stopped while its job runs', async () => {
    const { page, waitForRows } = await open()
    await waitForRows()
    await slowDownJobs()
    const asked: string[] = []
    await page.route('**/jobs/*/cancel', async (route) => {
      asked.push(route.request().url())
      await route.continue()
    })
    await begin(page, 'Recompute risk')
    await dialog(page, 'Recompute risk').getByRole('button', { name: 'Recompute risk' }).click()
    await page.locator('.card').getByRole('button', { name: 'Cancel' }).dblclick()
    await page.locator('.card .badge', { hasText: 'Cancelled' }).waitFor()
    expect(asked).toHaveLength(1)
  })
})
