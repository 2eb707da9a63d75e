import { describe, expect, it } from 'vitest'
import { startExplorer } from '../support/browser/explorer-page.ts'

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
