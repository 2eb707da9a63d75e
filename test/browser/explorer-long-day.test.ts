import type { Page, Route } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { messagesStay, startExplorer, supervisor } from '../support/browser/explorer-page.ts'

const { stack, open } = await startExplorer({ isLive: false })

/** Stops the page of the local stack from reading its table every three seconds, which a deployment does not do. */
const noReload = `{
  const repeat = globalThis.setInterval
  globalThis.setInterval = (run, ms, ...values) => ms === 3000 ? 0 : repeat(run, ms, ...values)
}`

const keep = (storage: string, key: string, value: unknown) =>
  `${storage}.setItem('${key}', ${JSON.stringify(JSON.stringify(value))});`

describe('a storage of the browser', () => {
  it('takes nothing from the user but the memory of choices if it is full', async () => {
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

  it('takes no more than that if it is closed to the page', async () => {
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

  it.each([null, { by: 'sam', tables: { bird_strikes: { columns: 5, saved: 'x' } } }])(
    'opens a table as it is if it holds %j',
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

describe('the columns that a user has chosen', () => {
  it('are those of the next tab in which they sign in, and not those of another user', async () => {
    const { page, waitForRows, button } = await open({ view: 'airports?ln=en' })
    await waitForRows()
    await button('Columns').click()
    await page.locator('.popup').getByRole('checkbox', { name: 'Latitude' }).uncheck()
    await waitForRows()
    const openTab = async (sub: string) => {
      const tab = await page.context().newPage()
      await tab.goto(page.url().replace(/#.*/, '#airports'))
      await tab.getByRole('textbox', { name: 'Access token' }).fill(stack.createToken({ ...supervisor, sub }))
      await tab.keyboard.press('Enter')
      await tab.getByRole('columnheader', { name: 'Longitude' }).waitFor()
      return tab.getByRole('columnheader', { name: 'Latitude' }).count()
    }
    expect(await openTab('carol')).toBe(1)
    expect(await openTab('sam')).toBe(0)
  })
})

describe('a token that was refused and is given again', () => {
  const giveAgain = async (page: Page, token: string) => {
    const field = page.getByRole('textbox', { name: 'Access token' })
    await field.fill(token)
    await field.press('Enter')
  }

  it('is refused again where it has expired, instead of a page without anything', async () => {
    const token = stack.createToken({ ...supervisor, exp: 1_000_000_000, iat: 999_999_000 } as typeof supervisor)
    const { page } = await open({ as: token, script: noReload })
    await page.getByText('Your token is not valid.').waitFor()
    const refused = page.waitForResponse('**/control-tables')
    await giveAgain(page, token)
    expect((await refused).status()).toBe(401)
    await page.getByText('Your token is not valid.').waitFor()
  })

  it('loads what was asked for with it, and the live rows', async () => {
    const token = stack.createToken(supervisor)
    const { page, waitForRows, button } = await open({ as: token, script: noReload, isLive: true })
    await waitForRows()
    await page.locator('.live-switch.is-live').waitFor()
    await page.route('**/query-table/**', (route) => route.fulfill({ status: 401, json: {} }), { times: 1 })
    await button('Next page').click()
    await page.getByText('Your token is not valid.').waitFor()
    await giveAgain(page, token)
    await page.getByText('21–40 of').waitFor()
    await page.locator('.live-switch.is-live').waitFor()
  })
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
    await page.locator('.popup input.field:focus').waitFor()
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

describe('the jobs of a tab', () => {
  const ids = Array.from({ length: 40 }, (_, at) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`)
  const script = keep(
    'sessionStorage',
    'explorer-titled-jobs',
    ids.map((id, at) => [id, `Job ${at}`]),
  )

  /** Answers requests for jobs; `peak` is how many there were at once. */
  async function answerJobs(page: Page, answer: (route: Route, id: string) => Promise<void>) {
    const asked: string[] = []
    let running = 0
    let peak = 0
    await page.route(/\/jobs\/[^/]+$/, async (route) => {
      const id = route.request().url().split('/').at(-1) ?? ''
      asked.push(id)
      running += 1
      peak = Math.max(peak, running)
      await answer(route, id)
      running -= 1
    })
    return { asked, peak: () => peak }
  }

  const answerRunning = (route: Route, id: string) =>
    route.fulfill({ json: { success: true, job: { id, status: 'running', action: 'export', done: 1, total: 9 } } })

  const openTab = async (answer: typeof answerRunning, opening = {}) => {
    const explorer = await open({ script: `${script}${noReload}`, ...opening })
    await explorer.page.clock.install()
    const jobs = await answerJobs(explorer.page, answer)
    await explorer.page.reload()
    await explorer.waitForRows()
    return { ...explorer, ...jobs }
  }

  it('are asked for a few at a time, however many they are, and keep their names over a reload', async () => {
    const { page, asked, peak } = await openTab(answerRunning)
    await expect.poll(() => new Set(asked).size).toBe(ids.length)
    await page.clock.runFor(3_000)
    await expect.poll(() => asked.length).toBeGreaterThan(ids.length)
    expect(peak()).toBeLessThan(10)
    await page.getByRole('button', { name: /^Notifications and jobs/ }).click()
    await expect.poll(() => page.locator('.card strong').allTextContents()).toEqual(ids.map((_, at) => `Job ${at}`))
  })

  it('are not asked for while the page asks for a token', async () => {
    let isExpired = false
    const { page, asked } = await openTab((route, id) =>
      isExpired ? route.fulfill({ status: 401, json: {} }) : answerRunning(route, id),
    )
    await expect.poll(() => new Set(asked).size).toBe(ids.length)
    isExpired = true
    await page.clock.runFor(3_000)
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor()
    const before = asked.length
    await page.clock.runFor(60_000)
    expect(asked.length).toBe(before)
  })

  it('are asked for seldom while nobody sees the page, and soon when somebody does', async () => {
    const { page, asked } = await openTab(answerRunning)
    await expect.poll(() => new Set(asked).size).toBe(ids.length)
    const show = (isHidden: boolean) =>
      page.evaluate(`
        for (const [name, value] of [['hidden', ${isHidden}], ['visibilityState', '${isHidden ? 'hidden' : 'visible'}']])
          Object.defineProperty(document, name, { value, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))`)
    await show(true)
    const before = asked.length
    await page.clock.runFor(29_000)
    expect(asked.length).toBe(before)
    await show(false)
    await page.clock.runFor(3_000)
    await expect.poll(() => asked.length).toBeGreaterThan(before)
  })

  it('are asked for in one series, however often the page is hidden and shown during a request', async () => {
    const held = Promise.withResolvers<void>()
    onTestFinished(() => held.resolve())
    let isHeld = false
    const { page, asked } = await openTab(async (route, id) => {
      if (isHeld) await held.promise
      await answerRunning(route, id)
    })
    await expect.poll(() => new Set(asked).size).toBe(ids.length)
    isHeld = true
    await page.clock.runFor(3_000)
    await expect.poll(() => asked.length).toBeGreaterThan(ids.length)
    for (let times = 0; times < 5; times += 1) {
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
      await page.clock.runFor(3_000)
    }
    isHeld = false
    held.resolve()
    await page.waitForResponse(/\/jobs\/[^/]+$/)
    const before = asked.length
    await page.clock.runFor(3_000)
    await expect.poll(() => asked.length).toBeGreaterThan(before)
    expect(asked.length - before).toBeLessThanOrEqual(12)
  })

  it('are forgotten if the service does not know them any more', async () => {
    const { page, asked } = await openTab((route) =>
      route.fulfill({ status: 404, json: { success: false, code: 'job_not_found', errors: ['', ''] } }),
    )
    await expect.poll(() => new Set(asked).size).toBe(ids.length)
    await expect.poll(() => page.evaluate(`sessionStorage.getItem('explorer-titled-jobs')`)).toBe('[]')
  })
})

describe('a table that has lost a column while the page is open', () => {
  it('is read again when its rows are refused, and shown without the column', async () => {
    const { page, waitForRows, cells, button } = await open({ script: noReload, view: 'airports?ln=en' })
    await waitForRows()
    await page.route(
      '**/load-table/bird_strikes**',
      async (route) => {
        const response = await route.fetch()
        const json = await response.json()
        const [first] = json.columns
        await route.fulfill({
          response,
          json: { ...json, columns: [...json.columns, { ...first, data_src: 'gone', label: 'Gone' }] },
        })
      },
      { times: 1 },
    )
    await page.evaluate(`location.hash = '#bird_strikes?column=-note'`)
    await page.getByRole('columnheader', { name: 'Risk' }).waitFor()
    expect(await cells('ID')).toHaveLength(20)
    expect(await page.getByRole('columnheader', { name: 'Gone' }).count()).toBe(0)
    await button('Next page').click()
    await page.getByText('21–40 of').waitFor()
  })
})

describe('a period such as today', () => {
  it('is read again when the day has ended, and only then', async () => {
    const { page, waitForRows, filter, queries } = await open({
      view: 'bird_strikes?ln=en&f.flight_date_from=within%3Atoday',
      script: noReload,
    })
    let day = '2001-03-01'
    let checks = 0
    await page.route('**/query-table/**', async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      const resolved = json.resolved?.map((one: object) => ({ ...one, from: day, to: day }))
      const { perPage, explain } = route.request().postDataJSON()
      // There are no rows of today, so that the page asks for an explanation as well.
      if (perPage === 1 && explain === undefined) checks += 1
      await route.fulfill({ response, json: { ...json, resolved } })
    })
    await page.clock.install()
    await page.reload()
    await waitForRows()
    const countReads = () => queries.filter(({ perPage }) => perPage === 20).length
    const before = countReads()
    // The page begins to watch later than it shows its rows.
    const waitMinute = async () => {
      await page.clock.runFor(60_000)
      return checks
    }
    await expect.poll(waitMinute).toBe(1)
    await waitForRows()
    expect(countReads()).toBe(before)
    day = '2001-03-02'
    const read = page.waitForRequest((request) => request.postDataJSON()?.perPage === 20)
    await page.clock.runFor(900_000)
    await read
    const popup = await filter('Flight date')
    await popup.getByText('2001-03-02').waitFor()
  })
})
