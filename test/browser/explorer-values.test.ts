import { describe, expect, it } from 'vitest'
import { startExplorer } from '../support/browser/explorer-page.ts'

const { open } = await startExplorer()

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** One value of each type, and what its cell is to show of it. */
const values = [
  { type: 'html', value: '<b>bold</b> <i onclick="x()">x</i><script>taken()</script>', shows: 'bold x' },
  { type: 'html', value: '<a href="javascript:taken()">go</a><img src=x onerror=taken()>', shows: 'go' },
  { type: 'link', value: { value: 'https://example.com/a', label: 'A site' }, shows: 'A site' },
  { type: 'link', value: 'javascript:taken()', shows: 'javascript:taken()' },
  { type: 'datalist', value: ['one', 'two', 'three', 'four'], shows: 'onetwothreeand 1 more' },
  {
    type: 'text',
    value_type: 'number',
    value: '12345678901234567890.25',
    decimals: 2,
    shows: '12,345,678,901,234,567,890.25',
  },
  { type: 'text', value_type: 'number', value: 5, decimals: 1, shows: '5.0' },
  { type: 'text', value: { an: 'object' }, shows: '{"an":"object"}' },
  { type: 'text', value: null, shows: '–' },
  { type: 'text', value_type: 'date', value: '01-02-2001', shows: '01-02-2001' },
  { type: 'barcode', value: pixel, shows: '' },
  { type: 'link', value_type: 'image', value: 'javascript:taken()', shows: '' },
  { type: 'text', value_type: 'number', value: 12345, shows: '12,345' },
  { type: 'text', value_type: 'number', value: 12345, source: 'id', shows: '12345' },
  { type: 'text', value_type: 'number', value: '12345678901234567', source: 'customer_id', shows: '12345678901234567' },
] as const

const sources = values.map((one, at) => ('source' in one ? one.source : `c${at}`))

const columns = values.map(({ type, ...rest }, at) => ({
  value_type: 'text',
  ...rest,
  type,
  label: `Column ${at}`,
  name: sources[at],
  data_src: sources[at],
  sortable: false,
  showable: true,
}))
const structure = {
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
}
const item = Object.fromEntries(values.map(({ value }, at) => [sources[at], value]))
const pagination = { current_page: 1, per_page: 20, total: 1, last_page: 1, from: 1, to: 1, next_cursor: null }
const rows = { success: true, items: [{ id: 'a row', ...item }], pagination, bindings: {} }

describe('a cell', () => {
  it('shows a value of any type, an id without separators, never runs it, and is copied beside the others of its row', async () => {
    const script = `globalThis.taken = globalThis.x = () => { document.title = 'taken' }`
    const { page, waitForRows, shot } = await open({
      as: null,
      view: 'airports?ln=en',
      script,
      isLive: false,
    })
    await page.route('**/load-table/**', (route) => route.fulfill({ json: structure }))
    await page.route('**/query-table/**', (route) => route.fulfill({ json: rows }))
    await page.getByRole('button', { name: 'Bob, supervisor of all states' }).click()
    await waitForRows()
    const cells = page.locator('#rows tbody tr').first().locator(':is(th, td):not(.tick, .row-actions)')
    const shown = await cells.allTextContents()
    expect(shown).toEqual(values.map(({ shows }) => shows))
    await expect.poll(() => cells.nth(0).locator('b').count()).toBe(1)
    expect(
      await page
        .locator('#rows tbody script, #rows tbody [onclick], #rows tbody [onerror], #rows tbody a[href^="javascript"]')
        .count(),
    ).toBe(0)
    await expect.poll(() => cells.nth(2).getByRole('link').getAttribute('rel')).toBe('noopener noreferrer')
    await expect.poll(() => page.evaluate(`document.querySelector('.type-barcode img').naturalWidth`)).toBe(1)
    await shot('values')
    expect(await page.title()).not.toBe('taken')
    const copied: readonly string[] = values.map(({ type, shows }) =>
      type === 'datalist' ? 'one, two, three, four' : shows.replace('–', ''),
    )
    const copyRows = async () => {
      await page.evaluate(`getSelection().selectAllChildren(document.querySelector('#rows tbody'))`)
      await page.keyboard.press('ControlOrMeta+c')
      return page.evaluate<string>('navigator.clipboard.readText()')
    }
    await expect.poll(copyRows).toBe(copied.join('\t'))
    await page.evaluate('getSelection().removeAllRanges()')
    // A list is cut in its cell and whole among the values of its row.
    await cells.nth(4).click()
    await expect
      .poll(() => page.getByRole('dialog').locator('ul.list li').allTextContents())
      .toEqual(['one', 'two', 'three', 'four'])
  })

  it.each(['en', 'ar'])('has its text on the line of the row, also beside a tick, in %s', async (ln) => {
    const { page, waitForRows } = await open({ view: `bird_strikes?ln=${ln}&f.flagged=%3D:true`, isLive: false })
    await waitForRows()
    const bottoms = await page.evaluate<readonly number[]>(`
      [document.querySelector('#rows .boolean.on'), document.querySelector('#rows th bdi')].map((value) => {
        const range = document.createRange()
        range.selectNodeContents(value.lastChild)
        return range.getBoundingClientRect().bottom
      })`)
    expect(bottoms[0]).toBeCloseTo(bottoms[1] ?? 0, 0)
  })

  it('loses the end of what does not fit, not the beginning, also where the page runs from right to left', async () => {
    const { page, waitForRows, shot } = await open({
      as: null,
      view: 'airports?ln=ar',
      viewport: { width: 390, height: 800 },
      isLive: false,
    })
    const long = {
      id: 'a row',
      c0: 'x',
      c9: 'Wednesday 01-02-2001 at 12:30:59',
      c6: 5,
      c7: { an: 'object in a small cell' },
    }
    await page.route('**/load-table/**', (route) =>
      route.fulfill({ json: { ...structure, columns: [0, 9, 6, 7].map((at) => columns[at]) } }),
    )
    await page.route('**/query-table/**', (route) => route.fulfill({ json: { ...rows, items: [long] } }))
    await page.locator('.option').nth(1).click()
    await waitForRows()
    const beginnings = await page.evaluate(`[...document.querySelectorAll('#rows tbody bdi')].map((value) => {
      value.parentElement.style.maxInlineSize = '90px'
      const range = document.createRange()
      range.setStart(value.firstChild, 0)
      range.setEnd(value.firstChild, 1)
      const [begins, cell] = [range.getBoundingClientRect(), value.parentElement.getBoundingClientRect()]
      return begins.left >= cell.left && begins.right <= cell.right
    })`)
    await shot('narrow-right-to-left')
    expect(beginnings).toEqual([true, true, true])
  })
})
