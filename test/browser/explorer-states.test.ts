import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RequestError } from '../../lib/errors/request-error.ts'
import { messagesStay, startExplorer, supervisor } from '../support/browser/explorer-page.ts'

const { stack, open } = await startExplorer()

describe('a token that has expired', () => {
  it('asks for another one and goes on where it was', async () => {
    const { page, waitForRows, cells } = await open({
      as: stack.createToken({ ...supervisor, exp: 1_000_000_000, iat: 999_999_000 } as typeof supervisor),
      view: 'bird_strikes?f.origin_state=%3D:Ohio&sort=id&page=2&ln=en',
    })
    await page.getByText('Your token is not valid.').waitFor()
    await page.getByRole('button', { name: 'Bob, supervisor of all states' }).click()
    await waitForRows()
    expect(new Set(await cells('State'))).toEqual(new Set(['Ohio']))
    await expect.poll(() => page.url()).toContain('page=2')
  })
})

describe('the first sign-in', () => {
  it('takes a token at Enter, has nothing to say about what is behind it, and refuses nonsense', async () => {
    const { page } = await open({ as: null })
    const token = page.getByRole('textbox', { name: 'Access token' })
    await page.clock.install()
    await page.reload()
    await token.and(page.locator(':focus')).waitFor()
    await page.clock.runFor(5_000)
    expect(await page.getByText('Still loading').count()).toBe(0)
    await page.keyboard.type('nonsense')
    await page.keyboard.press('Enter')
    await page.getByText('Your token is not valid.').waitFor()
  })
})

describe('a message in Arabic that begins with a name in Latin letters', () => {
  it('is read from the right', async () => {
    const { page } = await open({ view: 'bird_strikes?group=forged&total=sum:cost_total&ln=ar' })
    await page.locator('.fault').waitFor()
    await page.locator('.note').waitFor()
    const directions = `[...document.querySelectorAll('.note > p, .fault')].map((part) => getComputedStyle(part).direction)`
    expect(new Set(await page.evaluate<readonly string[]>(directions))).toEqual(new Set(['rtl']))
  })
})

describe('a service', () => {
  it('is found again without a click after a restart', async () => {
    const { page, waitForRows, button } = await open()
    await waitForRows()
    await stack.killAndStart(async () => {
      await button('Next page').click()
      await page.getByText('The service cannot be reached.').waitFor()
    })
    await page.getByText('21–40 of').waitFor()
  })

  it('is reported as slow, and its request can be stopped', async () => {
    const { page, waitForRows, button, cells } = await open()
    await waitForRows()
    const ids = await cells('ID')
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    onTestFinished(release)
    await page.route('**/query-table/**', async (route) => {
      await released
      await route.continue().catch(() => undefined)
    })
    await button('Next page').click()
    await page.getByText(/Still loading, for \d+ seconds?/).waitFor()
    await button('Cancel').click()
    await page.getByText('Cancelled.').waitFor()
    expect(await cells('ID')).toEqual(ids)
    await page.unroute('**/query-table/**')
    await button('Try again').click()
    await page.getByText('21–40 of').waitFor()
  })

  it('is reported with the reason and the request id if it fails', async () => {
    const { page, waitForRows, button, cells } = await open()
    await waitForRows()
    const ids = await cells('ID')
    const body = JSON.stringify({ success: false, message: 'It took too long', code: 'timed_out', request_id: 'r-123' })
    await page.route('**/query-table/**', (route) =>
      route.fulfill({ status: 504, contentType: 'application/json', body }),
    )
    await button('Next page').click()
    await page.getByRole('alert').getByText('It took too long').waitFor()
    await page.getByText('r-123').waitFor()
    expect(await cells('ID')).toEqual(ids)
    await page.unroute('**/query-table/**')
    await button('Try again').click()
    await page.getByText('21–40 of').waitFor()
  })

  it.each(['en', 'ar'] as const)('says in %s why a page costs too much, and shows the rows of before', async (ln) => {
    const { page, waitForRows } = await open({ view: `flights?ln=${ln}` })
    await waitForRows()
    const rows = await page.locator('#rows tbody tr').allInnerTexts()
    const { text, code, status } = new RequestError('page_too_costly', { budget: 4_000 })
    const refusal = { success: false, errors: [text.en, text.ar], code, request_id: 'r-422' }
    await page.route('**/query-table/**', (route) => {
      const language = route.request().headers()['ln'] === 'ar' ? 'ar' : 'en'
      return route.fulfill({ status, json: { ...refusal, message: text[language] } })
    })
    await page.evaluate(`location.hash = 'flights?sort=origin__city,destination__city&ln=${ln}'`)
    await page.getByText(text[ln]).waitFor()
    expect(await page.getByText(text[ln === 'en' ? 'ar' : 'en']).count()).toBe(0)
    expect(await page.locator('#rows tbody.old tr').allInnerTexts()).toEqual(rows)
    await page.unroute('**/query-table/**')
    await page.evaluate(`location.hash = 'flights?sort=-date&ln=${ln}'`)
    await waitForRows()
    await expect.poll(() => page.getByText(text[ln]).count()).toBe(0)
  })

  it('is not blamed for a mistake of the page, which is not tried again by itself', async () => {
    const { page, waitForRows, button } = await open({ isLive: false })
    await waitForRows()
    await page.route('**/query-table/**', (route) => route.fulfill({ json: { success: true } }))
    await button('Next page').click()
    await page.getByRole('alert').getByText('This page has made a mistake.').waitFor()
    expect(await page.getByText('Trying again').count()).toBe(0)
  })

  it('leaves the previous rows, marked as such, if it refuses a request', async () => {
    const { page, waitForRows, cells } = await open()
    await waitForRows()
    const ids = await cells('ID')
    await page.evaluate(`location.hash = 'bird_strikes?f.cost_total=%3E%3D:plenty&ln=en'`)
    await page.locator('#rows tbody.old').waitFor()
    expect(await cells('ID')).toEqual(ids)
  })

  it('marks a refused filter with the reason', async () => {
    const { page, shot } = await open({ view: 'bird_strikes?f.cost_total=%3E%3D:plenty&ln=en' })
    await page.getByRole('columnheader', { name: 'Airport' }).waitFor()
    await page.locator('.faulty .chip', { hasText: 'Cost' }).first().click()
    await page.locator('.popup .fault').waitFor()
    await shot('refused-filter')
  })
})

async function openAction(page: Page) {
  await page.locator('.tools').getByRole('button', { name: 'Actions' }).click()
  await page.locator('.popup').getByRole('button', { name: 'Recompute risk' }).click()
}

describe('an action on all rows that match', () => {
  it('says that its rows could not be counted, and counts them again on request', async () => {
    const { page, waitForRows, button } = await open()
    await waitForRows()
    let isFailing = true
    await page.route('**/query-table/**', async (route) => {
      const body = route.request().postDataJSON()
      const json = { success: false, message: 'It took too long', code: 'timed_out' }
      if (body.count_only === true && isFailing) await route.fulfill({ status: 504, json })
      else await route.continue({ postData: JSON.stringify({ ...body, count: 'none' }) })
    })
    await button('Next page').click()
    await page.getByText(/^21–40 of at least 40$/).waitFor()
    await openAction(page)
    const form = page.getByRole('dialog', { name: 'Recompute risk' })
    await form.getByText('The rows could not be counted.').waitFor()
    await form.getByText('It took too long').waitFor()
    isFailing = false
    await form.getByRole('button', { name: 'Try again' }).click()
    await form.getByText(/^This concerns [\d,]+ rows\.$/).waitFor()
    const submit = form.getByRole('button', { name: 'Recompute risk' })
    await expect.poll(() => submit.getAttribute('aria-disabled')).toBe('false')
  })

  it('has a job that stays done where an earlier look at it comes late', async () => {
    const { page, waitForRows, waitForDrawing } = await open()
    await waitForRows()
    const late = Promise.withResolvers<void>()
    const isOver = Promise.withResolvers<void>()
    await page.route(
      '**/jobs/*',
      async (route) => {
        const response = await route.fetch()
        const { job, ...rest } = await response.json()
        await late.promise
        await route.fulfill({ response, json: { ...rest, job: { ...job, status: 'running' } } })
        isOver.resolve()
      },
      { times: 1 },
    )
    await openAction(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Recompute risk' }).click()
    const done = page.locator('.card .badge.success', { hasText: 'Done' })
    await done.waitFor()
    await page.route('**/jobs/*', (route) => route.abort())
    late.resolve()
    await isOver.promise
    await waitForDrawing()
    expect(await done.count()).toBe(1)
  })
})

describe('rows', () => {
  it('are replaced by a hint and a way back if no row matches the filters', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?f.species=like:unicorn&ln=en' })
    await page.getByText('No rows match').waitFor()
    await page.locator('.nothing').getByRole('button', { name: 'Clear all' }).click()
    await waitForRows()
    await page.locator('#rows tbody tr').first().waitFor()
  })

  it('are none if all are out of scope', async () => {
    const { page } = await open({ as: { sub: 'carol' } })
    await page.getByText('This table has no rows for you').waitFor()
  })

  it('show hostile texts as text', async () => {
    const hostile = [
      '<script>document.title = "taken"</script><img src=x onerror="document.title=\'taken\'">',
      'x'.repeat(10_000),
      'مرحبا hello ‮ שלום',
    ]
    for (const [at, text] of hostile.entries()) {
      await stack.sql()`update bird_strikes set note = ${text} where id = ${at + 1}`
    }
    const { page, cells, complaints, rowMenu, shot } = await open({ view: 'bird_strikes?sort=id&ln=en' })
    const notes = await cells('Note')
    expect(notes[0]).toContain('<script>')
    const width = await page.evaluate(
      `Math.max(...[...document.querySelectorAll('td.type-text_truncate')].map((cell) => cell.clientWidth))`,
    )
    expect(width).toBeLessThanOrEqual(360)
    await rowMenu(1)
    await page.locator('.popup').getByRole('button', { name: 'Show details' }).click()
    await page.locator('.details').getByText('x'.repeat(10_000)).waitFor()
    await shot('hostile-values')
    expect(await page.title()).not.toContain('taken')
    expect(complaints).toEqual([])
  })
})

const column = (at: number) => ({
  type: 'text',
  label: `Column ${at}`,
  name: `c${at}`,
  data_src: `c${at}`,
  sortable: false,
  showable: true,
})

/** A table that this installation does not have, in the words of the service. */
const structure = (columns: readonly object[]) => ({
  success: true,
  tableName: 'airports',
  label: 'Airports',
  columns,
  filters: [],
  advancedFilters: [],
  rowActions: {},
  bulkActions: [],
  sortables: [],
  defSortCol: 'c1',
  defSortDir: 'asc',
})

describe('a table', () => {
  it('says so if it has no columns', async () => {
    const { page } = await open({ as: null, view: 'airports?ln=en' })
    await page.route('**/load-table/**', (route) => route.fulfill({ json: structure([]) }))
    await page.getByRole('button', { name: 'Bob, supervisor of all states' }).click()
    await page.getByText('This table has no columns').waitFor()
  })

  it('keeps the first of sixty columns visible', async () => {
    const { page, waitForRows, shot } = await open({ as: null, view: 'airports?ln=en', isLive: false })
    const columns = Array.from({ length: 60 }, (_, at) => column(at + 1))
    const item = Object.fromEntries(columns.map(({ data_src: name }) => [name, `value of ${name}`]))
    const items = Array.from({ length: 20 }, (_, id) => ({ id, ...item }))
    const pagination = { current_page: 1, per_page: 20, total: 20, last_page: 1, from: 1, to: 20, next_cursor: null }
    await page.route('**/load-table/**', (route) => route.fulfill({ json: structure(columns) }))
    await page.route('**/query-table/**', (route) =>
      route.fulfill({ json: { success: true, items, pagination, bindings: {} } }),
    )
    await page.getByRole('button', { name: 'Bob, supervisor of all states' }).click()
    await waitForRows()
    await page.evaluate(`document.querySelector('.table-frame').scrollTo(3000, 0)`)
    const first = page.getByRole('columnheader', { name: 'Column 1', exact: true })
    await expect.poll(async () => (await first.boundingBox())?.x).toBeLessThan(60)
    await shot('sixty-columns')
  })

  it('is shown anew without a click after its file was saved', async () => {
    const { page, waitForRows } = await open({ view: 'airports?ln=en' })
    await waitForRows()
    await page.route('**/load-table/**', async (route) => {
      const response = await route.fetch()
      await route.fulfill({
        response,
        body: (await response.text()).replace('"Latitude"', '"Degrees north"'),
      })
    })
    await page.getByRole('columnheader', { name: 'Degrees north' }).waitFor()
  })

  it('says so if it does not exist for the caller', async () => {
    const { page } = await open({ view: 'nonsense?ln=en' })
    await page.getByText('There is no table “nonsense” for you').waitFor()
  })
})

describe('what the page says', () => {
  it('shows a notification once, whether the response or the socket brings it', async () => {
    const { page, waitForRows, messages } = await open({
      view: 'bird_strikes?f.origin_state=%3D:Ohio&ln=en',
      script: messagesStay,
    })
    await waitForRows()
    await page.locator('.tools').getByRole('button', { name: 'Actions' }).click()
    await page.locator('.popup').getByRole('button', { name: 'Notify assignees' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Notify assignees' }).click()
    await page.locator('.card.unread', { hasText: 'Assignees notified' }).first().waitFor()
    await page.locator('.live.on').waitFor()
    expect((await messages()).filter((text) => text.includes('Assignees notified'))).toHaveLength(1)
  })

  it('shows a fault beside its field alone, and messages in front of the dialog', async () => {
    const { page, waitForRows, rowMenu } = await open()
    await waitForRows()
    // Error messages stay until they are dismissed.
    await page.route('**/row-table-action/**', (route) => route.abort(), { times: 1 })
    await (await rowMenu(0)).getByRole('switch').click()
    await page.locator('.message.danger').waitFor()
    await (await rowMenu(2)).getByRole('button', { name: 'Assign', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Assign' })
    await form.getByRole('button', { name: 'Submit' }).click()
    await form.getByRole('alert').filter({ hasText: 'Correct the marked fields.' }).waitFor()
    expect(await form.getByText('assignee:').count()).toBe(0)
    const isInFront = `(() => {
      const { left, top } = document.querySelector('.message').getBoundingClientRect()
      return document.elementFromPoint(left + 20, top + 10).closest('.message') !== null
    })()`
    await expect.poll(() => page.evaluate(isInFront)).toBe(true)
  })

  it('keeps a message while the focus is on it, and failures until they are closed', async () => {
    const script = `globalThis.expiries = []
      const startTimer = globalThis.setTimeout
      globalThis.setTimeout = (run, ms, ...values) => ms === 8000 ? expiries.push(run) : startTimer(run, ms, ...values)`
    const { page, waitForRows, waitForDrawing, rowMenu } = await open({ script, isLive: false })
    await waitForRows()
    const failures = page.locator('.message.danger')
    for (const row of [0, 1, 2, 3, 4]) {
      const json = { success: false, code: 'refused', message: `No ${row}` }
      await page.route('**/row-table-action/**', (route) => route.fulfill({ status: 422, json }))
      await (await rowMenu(row)).getByRole('switch').click()
      await failures.filter({ hasText: `No ${row}` }).waitFor()
    }
    expect(await failures.count()).toBe(5)
    await page.unroute('**/row-table-action/**')
    await (await rowMenu(5)).getByRole('button', { name: 'Mark reviewed' }).click()
    const close = page.locator('.message.success').getByRole('button', { name: 'Close' })
    await close.focus()
    await page.evaluate('expiries.forEach((run) => run())')
    await waitForDrawing()
    expect(await close.count()).toBe(1)
    await page.locator('#rows').focus()
    await close.waitFor({ state: 'detached' })
    expect(await failures.count()).toBe(5)
  })

  it('names a job as its action was named, from start to end', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?f.origin_state=%3D:Ohio&ln=en' })
    await waitForRows()
    await page.locator('.tools').getByRole('button', { name: 'Actions' }).click()
    await page.locator('.popup').getByRole('button', { name: 'Recompute risk' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Recompute risk' }).click()
    const card = page.locator('.card').first()
    await card.getByText('Recompute risk', { exact: true }).waitFor()
    await card.locator('.badge.success').waitFor()
    await card.getByText('Recompute risk', { exact: true }).waitFor()
  })

  it('sends each request to the service once when a user is signed in', async () => {
    // Live rows have a socket of their own, and a ticket for it.
    const { requests, waitForRows } = await open({ script: `setInterval = (run, ms) => 0`, isLive: false })
    await waitForRows()
    await expect.poll(() => requests.filter((path) => path.endsWith('/notifications')).length).toBe(1)
    const own = requests.filter((path) => path.includes('/control-tables'))
    expect(own).toEqual([...new Set(own)])
  })
})
