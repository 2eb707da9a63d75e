import { describe, expect, it, onTestFinished } from 'vitest'
import { messagesStay, startExplorer } from '../support/browser/explorer-page.ts'

const { open } = await startExplorer({ isLive: false })

const keep = (storage: string, key: string, value: unknown) =>
  `${storage}.setItem('${key}', ${JSON.stringify(JSON.stringify(value))});`

describe('a storage of the browser', () => {
  it('that is full takes nothing from the user but the memory of choices', async () => {
    const script = `Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }`
    const { page, complaints, waitForRows, button } = await open({ as: null, script, isLive: true })
    await page.getByRole('button', { name: /^Bob/ }).click()
    await waitForRows()
    await button('Next page').click()
    await page.getByText('21–40 of').waitFor()
    await button('العربية').click()
    await page.locator('html[lang="ar"]').waitFor()
    expect(complaints).toEqual([])
  })

  it('that is closed to the page costs it no more than that', async () => {
    const script = `for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(globalThis, name, { get: () => { throw new DOMException('closed', 'SecurityError') } })
    }`
    const { page, complaints, waitForRows, button } = await open({ as: null, script, isLive: true })
    await page.getByRole('button', { name: /^Bob/ }).click()
    await waitForRows()
    await button('Next page').click()
    await page.getByText('21–40 of').waitFor()
    expect(complaints).toEqual([])
  })

  it.each([null, { bird_strikes: { columns: 5, saved: 'x' } }])(
    'that holds %j opens a table as it is',
    async (nonsense) => {
      const script = [
        keep('localStorage', 'explorer-kept', nonsense),
        keep('sessionStorage', 'explorer-views', nonsense),
        keep('sessionStorage', 'explorer-titled-jobs', nonsense),
      ].join('')
      const { page, complaints, waitForRows } = await open({ view: 'bird_strikes', script })
      await waitForRows()
      expect(await page.locator('#rows tbody tr').count()).toBe(20)
      expect(complaints).toEqual([])
    },
  )
})

describe('an edit that is answered when another user has signed in', () => {
  it.each(['done', 'refused'])('shows the new one neither its row nor a way to undo it: %s', async (end) => {
    const { page, waitForRows, messages } = await open({ view: 'bird_strikes?ln=en&sort=id', script: messagesStay })
    await waitForRows()
    const held = Promise.withResolvers<void>()
    onTestFinished(() => held.resolve())
    await page.route('**/row-table-action/**', async (route) => {
      await held.promise
      await (end === 'done' ? route.fallback() : route.fulfill({ status: 500, json: {} }))
    })
    const row = page.locator('#rows tbody tr').first()
    await row.getByRole('checkbox').focus()
    await row.getByRole('button', { name: 'Edit Assignee' }).press('Enter')
    await page.getByText('Reading the value').waitFor({ state: 'detached' })
    await page.keyboard.type('dana')
    const sent = page.waitForRequest('**/row-table-action/**')
    await page.keyboard.press('Enter')
    await sent
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Account sam' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: /^Bob/ }).click()
    await waitForRows()
    const answered = page.waitForResponse('**/row-table-action/**')
    held.resolve()
    await (await answered).finished()
    // A request after it has been answered, too.
    await page.keyboard.press('Control+z')
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('21–40 of').waitFor()
    expect(await messages()).toEqual([])
  })
})
