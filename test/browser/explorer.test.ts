import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { startExplorer, supervisor } from '../support/browser/explorer-page.ts'

const { stack, open } = await startExplorer({ count: 'auto' })

describe('signing in', () => {
  it('takes a pasted token, which stays out of the address and of what outlives the tab', async () => {
    const { page, waitForRows, complaints } = await open({ as: null, view: '?ln=en' })
    const token = stack.createToken(supervisor)
    await page.getByRole('textbox', { name: 'Access token' }).fill(`Bearer ${token}`)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await waitForRows()
    expect(page.url()).not.toContain(token)
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(token)
    await expect.poll(() => page.locator('.table-name').textContent()).toBe('Flights')
    expect(complaints).toEqual([])
  })

  it('can be done in the other language, and keeps what was pasted', async () => {
    const { page } = await open({ as: null })
    await page.getByRole('textbox', { name: 'Access token' }).fill('half a token')
    await page.getByRole('dialog').getByRole('button', { name: 'العربية' }).click()
    await page.getByRole('dialog', { name: 'تسجيل الدخول' }).waitFor()
    await expect.poll(() => page.getByRole('textbox', { name: 'رمز الوصول' }).inputValue()).toBe('half a token')
  })

  it('offers the demo users of the local stack, each with the rows that are theirs', async () => {
    const { page, cells } = await open({ as: null })
    await page.getByRole('button', { name: 'Alice, analyst for Texas and Ohio' }).click()
    expect([...new Set(await cells('State'))].sort()).toEqual(['Ohio', 'Texas'])
  })

  it('is possible as another user, and can be undone by signing out, which leaves no search to the next one', async () => {
    const { page, waitForRows } = await open({ view: 'bird_strikes?ln=en&q=goose' })
    await waitForRows()
    expect(page.url()).toContain('goose')
    await page.getByRole('button', { name: 'Account sam' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor()
    await expect.poll(() => page.title()).toBe('Table explorer')
    await expect.poll(() => page.locator('.table-name').textContent()).toBe('Tables')
    await page.getByRole('button', { name: /^Bob/ }).click()
    await waitForRows()
    expect(await page.locator('#rows tbody tr').count()).toBe(20)
    expect(page.url()).not.toContain('goose')
  })

  it('leaves no job, message or table of a user to the next one', async () => {
    const { page, waitForRows, button } = await open()
    await waitForRows()
    await button('Actions').click()
    await page.locator('.popup').getByRole('button', { name: 'Recompute risk' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Recompute risk' }).click()
    await page.locator('.card .badge.success').waitFor()
    await page.keyboard.press('Escape')
    await page.route('**/row-table-action/**', (route) => route.abort())
    await page.locator('#rows tbody tr').first().locator('.row-actions button').click()
    await page.getByRole('switch', { name: 'Flag' }).click()
    await page.locator('.message.danger').waitFor()
    const listed = Promise.withResolvers<void>()
    await page.route('**/control-tables', (route) => listed.promise.then(() => route.continue()))
    await button('Account sam').click()
    await button('Use another token').click()
    await page.getByRole('textbox', { name: 'Access token' }).fill(stack.createToken({ sub: 'carol' }))
    await page.keyboard.press('Enter')
    await page.locator('.account', { hasText: 'carol' }).waitFor()
    await expect.poll(() => page.title()).toBe('Table explorer')
    expect(await page.locator('.message').count()).toBe(0)
    await button('Notifications and jobs').click()
    await page.locator('.tab', { hasText: 'Jobs' }).click()
    await page.getByText('No jobs in this tab yet').waitFor()
    listed.resolve()
    await expect.poll(() => page.title()).toBe('Bird strikes · Table explorer')
  })

  it('with another token shows its slow request as no failure', async () => {
    const script = `{
      const startTimer = globalThis.setTimeout
      globalThis.setTimeout = (run, ms, ...values) => startTimer(run, ms === 1500 ? 0 : ms, ...values)
    }`
    const { page, waitForRows, button } = await open({ script })
    await waitForRows()
    await page.route('**/query-table/**', () => {})
    await page.route('**/query-table/**', (route) => route.fulfill({ status: 401, json: {} }), { times: 1 })
    await button('Next page').click()
    const field = page.getByRole('textbox', { name: 'Access token' })
    await field.fill(stack.createToken({ ...supervisor, email: 'another@example.com' }))
    await field.press('Enter')
    await page.locator('.note').getByText('Still loading').waitFor()
    expect(await page.locator('.note.danger').count()).toBe(0)
  })
})

describe('a table', () => {
  it.each(['flights', 'airports', 'bird_strikes'])(
    '%s has the columns of its structure, in their order',
    async (name) => {
      const { page, waitForRows } = await open({ view: `${name}?ln=en` })
      await waitForRows()
      const { json } = await stack.call(`load-table/${name}`, { as: supervisor })
      const shown = json.columns.filter(
        (column: { type: string; showable: boolean }) => column.type !== 'actions' && column.showable,
      )
      const heads = await page.locator('thead th:not(.tick, .row-actions)').allInnerTexts()
      expect(heads.map((head) => head.trim())).toEqual(shown.map(({ label }: { label: string }) => label))
    },
  )

  it('is picked by its name', async () => {
    const { page, waitForRows } = await open()
    await waitForRows()
    await page.locator('.table-name').click()
    await page.getByRole('button', { name: /^Airports/ }).click()
    await page.getByRole('columnheader', { name: 'Latitude' }).waitFor()
    await expect.poll(() => page.url()).toContain('#airports')
  })

  it('shows values as their columns want them: badges, digits, words for true and false', async () => {
    const { page, waitForRows } = await open()
    await waitForRows()
    await page.locator('td .badge.warning', { hasText: 'Open' }).first().waitFor()
    await expect.poll(() => page.locator('td.type-boolean').first().textContent()).toMatch(/^(Yes|No)$/)
    await expect.poll(() => page.locator('#rows tbody .value-number').first().textContent()).toBe('10000')
  })

  it('hides a column and shows it again', async () => {
    const { page, waitForRows } = await open()
    await waitForRows()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: /^Operator/ }).uncheck()
    await expect.poll(() => page.getByRole('columnheader', { name: 'Operator' }).count()).toBe(0)
    await expect.poll(() => page.url()).toContain('column=-operator')
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByRole('columnheader', { name: 'Operator' }).waitFor()
  })
})

describe('pages', () => {
  it('are turned, entered by number, and have a size', async () => {
    const { page, waitForRows, button } = await open()
    await waitForRows()
    await button('Next page').click()
    await page.getByText('21–40 of').waitFor()
    await page.getByRole('combobox', { name: 'Rows per page' }).selectOption('100')
    await page.getByText('1–100 of').waitFor()
    await button('Last page').click()
    await expect.poll(() => page.url()).toMatch(/page=\d{2,}/)
    await page.getByRole('textbox', { name: 'Page' }).fill('3')
    await page.keyboard.press('Enter')
    await page.getByText('201–300 of').waitFor()
  })

  it('show what is known of a total that is not counted, and then the number, which is not read out again', async () => {
    const { page, waitForRows, waitForDrawing, button } = await open({ count: 'exact' })
    await waitForRows()
    const counted = Promise.withResolvers<void>()
    let counts = 0
    await page.route('**/query-table/**', async (route) => {
      const body = route.request().postDataJSON()
      if (body.count_only === true) {
        counts += 1
        await counted.promise
      }
      await route.continue({ postData: JSON.stringify({ ...body, count: 'none' }) })
    })
    await button('Next page').click()
    await page.getByText(/^21–40 of at least 40$/).waitFor()
    expect(await button('Last page').count()).toBe(0)
    const announced = page.getByRole('status').filter({ hasText: 'at least' })
    await expect.poll(() => announced.count()).toBe(1)
    counted.resolve()
    await page.getByText(/^21–40 of [\d,]+$/).waitFor()
    await button('Last page').waitFor()
    expect(await announced.count()).toBe(1)
    await button('Next page').click()
    await page.getByText(/^41–60 of [\d,]+$/).waitFor()
    await waitForDrawing()
    expect(counts).toBe(1)
  })

  it('far out go on by cursor', async () => {
    const { page, queries, button, waitForRows } = await open({ view: 'flights?page=60&ln=en' })
    await waitForRows()
    // A count of the rows may be asked for behind each page.
    await expect.poll(() => queries.map((one) => one['page'])).toContain(60)
    await button('Next page').click()
    await expect.poll(() => queries.map((one) => typeof one['cursor'])).toContain('string')
    await page.getByText('1,201–1,220 of').waitFor()
  })
})

describe('an address', () => {
  it('shows the same rows in another browser, and changes with the Back button', async () => {
    const { page, filter, waitForRows, cells } = await open()
    await waitForRows()
    await (await filter('State')).getByRole('textbox').fill('Ohio')
    await page.keyboard.press('Enter')
    await page.getByRole('columnheader', { name: 'Cost (USD)' }).getByRole('button').click()
    await waitForRows()
    await expect.poll(() => page.url()).toContain('sort=cost_total')
    const ids = await cells('ID')
    const other = await open({ view: page.url().split('#')[1] ?? '' })
    expect(await other.cells('ID')).toEqual(ids)
    await page.goBack()
    await page.goBack()
    await expect.poll(() => page.url()).not.toContain('Ohio')
  })
})

describe('the requests', () => {
  it('are listed with status and time, and their copies work', async () => {
    const { page, waitForRows, button } = await open({ count: 'exact' })
    await waitForRows()
    await button('Requests').click()
    const entry = page.locator('.request', { hasText: 'query-table' }).first()
    await entry.locator('summary').click()
    await expect.poll(() => entry.textContent()).toMatch(/200[\s\S]*POST[\s\S]*\d+ ms/)
    await entry.getByRole('button', { name: 'Copy as curl' }).click()
    const readClipboard = async () => String(await page.evaluate('navigator.clipboard.readText()'))
    await expect.poll(readClipboard).toMatch(/^curl /)
    const curl = await readClipboard()
    expect(curl).not.toContain(stack.createToken(supervisor))
    const env = { ...process.env, TOKEN: stack.createToken(supervisor) }
    const { stdout } = await promisify(execFile)('sh', ['-c', `${curl} -s`], { env })
    expect(JSON.parse(stdout).items).toHaveLength(20)
    await entry.getByRole('button', { name: 'Copy as TypeScript' }).click()
    await expect.poll(readClipboard).toContain("method: 'POST'")
  })

  it('have their own methods, also in their copies', async () => {
    const as = { ...supervisor, sub: 'copyist' }
    const { json } = await stack.call('views/bird_strikes', { as, body: { name: 'Copied', query: {} } })
    const { page, waitForRows, button } = await open({ as, view: `bird_strikes?ln=en&view=${json.view.id}` })
    await waitForRows()
    await button(/^Views/).click()
    await page.locator('.popup').getByRole('checkbox', { name: 'Open it first' }).check()
    await page.locator('.popup').getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('.message', { hasText: 'Saved' }).waitFor()
    await page.keyboard.press('Escape')
    await button('Requests').click()
    const entry = page.locator('.request', { hasText: 'PATCH' })
    await entry.locator('summary').click()
    const readClipboard = async () => String(await page.evaluate('navigator.clipboard.readText()'))
    await entry.getByRole('button', { name: 'Copy as curl' }).click()
    await expect.poll(readClipboard).toContain('curl -X PATCH ')
    await entry.getByRole('button', { name: 'Copy as TypeScript' }).click()
    await expect.poll(readClipboard).toContain("method: 'PATCH'")
  })
})
