import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listSheets, listValues } from '../lib/reports/workbook.ts'
import { demoJobs } from '../support/stack/demo-jobs.ts'
import { attachedTo } from '../support/stack/demo-reports.ts'
import { type DemoIdentity, type DemoStack, startDemoStack } from '../support/stack/demo-stack.ts'
import { type ClientItem, chip, drawnCell, pickedDay, reactClient } from './react-client.ts'

const alice: DemoIdentity = { sub: 'alice', states: ['Texas', 'Ohio'], email: 'alice@example.com' }
const table = 'bird_strikes'

let stack: DemoStack
let client: ReturnType<typeof reactClient>
let structure: Awaited<ReturnType<typeof client.load>>
let filters: (typeof structure)['filters']

beforeAll(async () => {
  stack = await startDemoStack()
  client = reactClient(stack, alice, 'ar')
  structure = await client.load(table)
  filters = structure.filters
})
afterAll(() => stack?.stop())

const ids = (items: readonly ClientItem[]) => items.map(({ id }) => id)
const bulkUrl = (key: string) => structure.bulkActions.find(({ action_key }) => action_key === key)?.action.api ?? ''
const openReports = async (count: number) =>
  (await client.query(table, { filters: chip(filters, 'status', 'open'), perPage: String(count) })).items

const fetchReport = async (count: number): Promise<ClientItem> => {
  const [report] = await openReports(count)
  if (report === undefined) throw new Error('no open report is left')
  return report
}

describe("the morning of the React client's user: looking", () => {
  it('loads the table in Arabic, with and without its first page, regardless of the scope in the query', async () => {
    expect(structure).toMatchObject({ label: 'اصطدامات الطيور', defSortCol: 'flight_date', defSortDir: 'desc' })
    expect(structure).not.toHaveProperty('data')
    const { data } = await client.load(table, true)
    expect(data).toEqual((await client.query(table, {})).items)
  })

  it('finds every action of the row under actions, each with URLs for both guards', async () => {
    const { actions } = await fetchReport(1)
    expect(Object.keys(actions)).toEqual(Object.keys(structure.rowActions))
    for (const { action } of Object.values(actions)) expect(action.web).toBe(action.api.replace('/api', ''))
  })

  it('pages with texts for numbers, without a row twice', async () => {
    const [first, second] = await Promise.all(['1', '2'].map((page) => client.query(table, { page, perPage: '25' })))
    expect(new Set([...ids(first?.items ?? []), ...ids(second?.items ?? [])])).toHaveProperty('size', 50)
    expect(second?.pagination).toMatchObject({ current_page: 2, per_page: 25 })
  })

  it('sorts by each column that can be, by an object whose extra key is the field', async () => {
    const cost = structure.columns.find(({ data_src }) => data_src === 'cost_total')
    for (const direction of ['asc', 'desc'] as const) {
      const sorts = { label: cost?.label, direction, cost_total: direction }
      const { items, warnings } = await client.query(table, { sorts })
      const costs = items.map((item) => Number(item['cost_total']))
      const sorted = costs.toSorted((a, b) => (direction === 'asc' ? a - b : b - a))
      expect([costs, warnings]).toEqual([sorted, undefined])
    }
    for (const { data_src } of structure.columns.filter(({ sortable }) => sortable)) {
      const { warnings } = await client.query(table, { sorts: { direction: 'asc', [data_src]: 'asc' }, perPage: '1' })
      expect(warnings, data_src).toBeUndefined()
    }
  })

  it('filters by every type of field, and gets all rows back when the last chip is gone', async () => {
    const all = (await client.query(table, {})).pagination.total
    const chips = {
      ...chip(filters, 'status', 'all'),
      ...chip(filters, 'flagged', '0'),
      ...chip(filters, 'origin_state', 'Texas'),
      ...chip(filters, 'flight_date_from', { from: '01-01-1995', to: '2001-12-31' }),
      ...chip(filters, 'damage', 'Minor,Substantial'),
      ...chip(filters, 'cost_total', '1'),
      ...chip(filters, 'assigned', 'all'),
    }
    const { items, pagination, warnings } = await client.query(table, { filters: chips })
    expect(warnings).toBeUndefined()
    expect(pagination.total).toBeGreaterThan(0)
    for (const item of items) {
      expect(item).toMatchObject({
        origin_state: 'Texas',
        flagged: false,
        damage: expect.stringMatching(/Minor|Substa/),
      })
      expect(Number(item['cost_total'])).toBeGreaterThanOrEqual(1)
    }
    let total = pagination.total
    const left: Record<string, unknown> = { ...chips }
    for (const name of Object.keys(chips)) {
      delete left[name]
      const fewer = (await client.query(table, { filters: left })).pagination.total
      expect(fewer, name).toBeGreaterThanOrEqual(total)
      total = fewer
    }
    expect(total).toBe(all)
  })

  it('offers airports in a dropdown that it never fills again, and filters by one of them', async () => {
    const flights = await client.load('flights')
    for (const name of ['origin', 'destination']) {
      const options = flights.filters.find(({ filter_name }) => filter_name === name)?.props.select_options ?? {}
      expect(Object.keys(options).length, name).toBeGreaterThan(100)
      const { items } = await client.query('flights', { filters: chip(flights.filters, name, 'SFO') })
      expect(options['SFO']).toMatch(/San Francisco/)
      expect(new Set(items.map((item) => item[name]))).toEqual(new Set(['SFO']))
    }
  })

  it('is sent the airports of a chosen state as bindings, for clients that fill dropdowns again', async () => {
    const flights = await client.load('flights')
    const url = `${stack.facts().base_url}/api/api-table/control-tables/query-table/flights`
    const { json } = await client.post(url, { filters: chip(flights.filters, 'origin__state', 'TX') })
    expect(json.bindings.origin).toEqual(expect.arrayContaining([{ value: 'ABI', label: expect.any(String) }]))
    expect(json.bindings.origin.length).toBeLessThan(json.bindings.destination.length)
  })

  it('draws every value that a row has, of numbers and dates as well', async () => {
    for (const name of [table, 'flights']) {
      const { columns } = await client.load(name)
      const { items } = await client.query(name, {})
      expect(items.length, name).toBeGreaterThan(0)
      for (const row of items) {
        const empty = columns.filter((column) => drawnCell(column, row).text === '')
        for (const { data_src } of empty) expect(row[data_src] ?? '', `${name}.${data_src}`).toBe('')
      }
    }
  })

  it('draws a badge of a style for true and false, and for coded values', async () => {
    const findColumn = (name: string) => structure.columns.find(({ data_src }) => data_src === name)
    const report = await fetchReport(1)
    const drawn = ['flagged', 'status'].map((name) => {
      const column = findColumn(name)
      return column && drawnCell(column, report)
    })
    expect(drawn).toEqual([
      { text: 'لا', style: 'danger' },
      { text: 'مفتوح', style: 'warning' },
    ])
  })

  it('includes both picked days, of dates and of moments', async () => {
    const day = (await client.query(table, {})).items[0]?.['flight_date']
    const pick = (date: string) => ({ from: pickedDay(date), to: pickedDay(date) })
    const strikes = await client.query(table, { filters: chip(filters, 'flight_date_from', pick(String(day))) })
    expect(strikes.items.length).toBeGreaterThan(0)
    expect(new Set(strikes.items.map(({ flight_date }) => flight_date))).toEqual(new Set([day]))
    const flights = await client.load('flights')
    const through = (to: unknown) => client.query('flights', { filters: chip(flights.filters, 'date_from', { to }) })
    const [whole, before] = await Promise.all([through('2001-01-01'), through('2000-12-31')])
    const midnight = (date: string) => `${date}T00:00:00.000Z`
    expect((await through(midnight('2001-01-01'))).pagination.total).toBe(whole.pagination.total)
    expect(whole.pagination.total).toBeGreaterThan(before.pagination.total)
  })

  it('reads Arabic where its language is that of a country', async () => {
    expect(await reactClient(stack, alice, 'ar-SA').load(table)).toMatchObject({ label: structure.label })
  })
})

describe("the day of the React client's user: working", () => {
  it('runs an action of a row with an empty selection, and puts the answered row in place', async () => {
    const report = await fetchReport(1)
    const { json } = await client.click(report, 'mark_reviewed')
    expect(json).toMatchObject({
      success: true,
      onSuccess: 'refetchRow',
      data: { row: { id: report.id, status: 'reviewed' } },
    })
    expect(json.data.row.actions).not.toHaveProperty('mark_reviewed')
    const again = await client.click(report, 'mark_reviewed')
    expect(again).toMatchObject({ status: 422, json: { success: false, code: 'action_not_applicable' } })
    expect(again.json.errors).toHaveLength(2)
    expect(again.json.message).toBe(again.json.errors[1])
  })

  it('flips a toggle, there and back', async () => {
    const report = await fetchReport(1)
    expect(report.actions['flag']?.toggle_current_value).toBe(false)
    const { json } = await client.click(report, 'flag')
    expect(json.data.row).toMatchObject({ flagged: true, actions: { flag: { toggle_current_value: true } } })
    expect((await client.click(report, 'flag')).json.data.row).toMatchObject({ flagged: false })
  })

  it('shows the details of a row', async () => {
    const { json } = await client.click(await fetchReport(1), 'show_details')
    expect(json).toMatchObject({ onSuccess: 'DisplayOnModal', data: { species: { label: 'النوع' } } })
    expect(json.data).toMatchObject({ flagged: { value: 'لا' }, status: { value: 'مفتوح' }, assignee: { value: '-' } })
    for (const [field, { value }] of Object.entries<{ value: unknown }>(json.data)) {
      expect(['string', 'number'], field).toContain(typeof value)
    }
  })

  it("fills in an action's form, and sees which field is wrong", async () => {
    const report = await fetchReport(1)
    expect(report.actions['assign']?.payload_keys).toEqual(['assignee'])
    const refused = await client.click(report, 'assign', { selected_ids: [], assignee: ' ' })
    expect(refused).toMatchObject({
      status: 422,
      json: { code: 'validation_failed', fields: { assignee: [expect.any(String)] } },
    })
    const { json } = await client.click(report, 'assign', { selected_ids: [], assignee: 'dana' })
    expect(json.data.row).toMatchObject({ assignee: 'dana' })
  })

  it('opens a form in a second step, and posts it where the response says', async () => {
    const report = await fetchReport(1)
    expect(structure.rowActions['write_note']).toMatchObject({ onSuccess: 'OpenModalForm' })
    const { json } = await client.click(report, 'write_note')
    expect(json).toMatchObject({ onSuccess: 'refetchRow', method: 'post', payload: { values: { note: '' } } })
    const second = await client.post(json.url, { note: 'ملاحظة' })
    expect(second.json).toMatchObject({ onSuccess: 'refetchRow', data: { row: { note: 'ملاحظة' } } })
  })

  it('runs an action on rows that were ticked on two pages, one of them twice', async () => {
    const rows = ids(await openReports(4))
    const url = structure.rowActions['mark_reviewed']?.bulk_actions_url?.api ?? ''
    const { json } = await client.post(url, { selected_ids: [...rows, rows[0], 999_999] })
    expect(json).toMatchObject({ success: true, onSuccess: 'refetchData', counts: { succeeded: 4, failed: 1 } })
    expect(ids(json.items)).toEqual(rows)
    expect(await client.post(url, { selected_ids: [] })).toMatchObject({
      status: 422,
      json: { code: 'validation_failed' },
    })
  })

  it('takes a row out of the table', async () => {
    const report = await fetchReport(1)
    expect((await client.click(report, 'archive')).json).toMatchObject({ onSuccess: 'deleteRow' })
    expect(ids(await openReports(1))).not.toContain(report.id)
  })
})

describe("the screen of the React client's user, after each action", () => {
  const params = { state: 'Texas' }
  const openScreen = (count: number) =>
    client.open(table, { filters: chip(filters, 'status', 'open'), perPage: String(count), params })

  it('shows the submitted row of a form in two steps', async () => {
    const screen = await openScreen(3)
    await screen.click(screen.row(1), 'write_note', { note: 'على الشاشة' })
    expect(screen.row(1)).toMatchObject({ note: 'على الشاشة' })
  })

  it('has all ticked rows of a control changed, though they were sent to the first one', async () => {
    const screen = await openScreen(3)
    const rows = screen.rows()
    const { json } = await screen.control(rows, 'assign', { assignee: 'salma' })
    expect(json).toMatchObject({ success: true, counts: { succeeded: 3, failed: 0 } })
    expect(screen.rows().map((row) => [row.id, row['assignee']])).toEqual(rows.map(({ id }) => [id, 'salma']))
  })

  it('has lost the rows that left the table, and keeps the others', async () => {
    const screen = await openScreen(5)
    const [first, second, ...others] = screen.rows()
    if (first === undefined || second === undefined) throw new Error('no open report is left')
    const { json } = await screen.clickTicked([first, second], 'archive')
    expect(json).toMatchObject({ onSuccess: 'deleteRow', removed: [first.id, second.id], items: [] })
    expect(screen.rows()).toEqual(others)
    await screen.click(screen.row(0), 'archive')
    expect(screen.rows()).toEqual(others.slice(1))
  })

  it('refuses several rows where the action is for one, and ids that are null', async () => {
    const screen = await openScreen(2)
    const response = await screen.control(screen.rows(), 'flag', {})
    expect(response).toMatchObject({ status: 422, json: { code: 'validation_failed' } })
    const nulls = await screen.clickToolbar('notify_assignees', { selected_ids: null })
    expect(nulls).toMatchObject({ status: 422, json: { fields: { selected_ids: [expect.any(String)] } } })
  })

  it('shows one state, and so the toolbar runs on that state alone, without params of the client', async () => {
    const texas = await client.query(table, { params })
    const all = await client.query(table, {})
    expect(texas.pagination.total).toBeLessThan(all.pagination.total)
    const screen = await openScreen(2)
    expect(screen.row(0).actions['flag']?.action.api).toMatch(/\/flag\/\d+\?(.*&)?state=Texas/)
    const { json } = await screen.clickToolbar('notify_assignees', { dry_run: true })
    expect(json.counts.selected).toBe(texas.pagination.total)
    const file = await screen.clickToolbar('export_excel', { selected_ids: ids(screen.rows()), dry_run: true })
    expect(file.json.counts.selected).toBe(2)
  })

  it("says in Arabic that the user's address is not verified", async () => {
    const other = reactClient(stack, { ...alice, email_verified: false }, 'ar')
    const screen = await other.open(table, { params })
    const { status, json } = await screen.clickToolbar('email_report')
    expect([status, json.fields.emails[0]]).toEqual([422, expect.stringContaining('غير موثَّق')])
  })
})

describe("the evening of the React client's user: reporting", () => {
  const sheetRows = async (bytes: Buffer) => {
    const [sheet] = await listSheets(bytes)
    return sheet && listValues(sheet).map(([id]) => id)
  }

  it('exports what the chips select, and opens the link without headers', async () => {
    const chosen = chip(filters, 'damage', ['Substantial'])
    const { items } = await client.query(table, { filters: chosen, perPage: '200' })
    const { json } = await client.post(bulkUrl('export_excel'), { filters: chosen, sorts: {}, selected_ids: [] })
    expect(json).toMatchObject({ success: true, type: 'stream', rows: items.length })
    expect(json.data).toMatchObject({ file: json.data.url, name: json.file_name })
    const { status, bytes } = await client.download(json.data.url)
    expect([status, await sheetRows(bytes)]).toEqual([200, ids(items)])
  })

  it('mails the ticked rows, and the mail lies in the mailbox', async () => {
    const rows = ids(await openReports(3))
    const { json } = await client.post(bulkUrl('email_report'), {
      selected_ids: rows,
      filters: chip(filters, 'status', 'open'),
      emails: ['alice@example.com', 'boss@example.com'],
    })
    expect(json).toMatchObject({ success: true, message: expect.any(String), job: { status: 'queued' } })
    const jobs = demoJobs(stack)
    expect(await jobs.ended(json.job.id, alice)).toMatchObject({ status: 'succeeded' })
    const sent = await jobs.findEnvelopes(json.job.id)
    expect(sent.flatMap(({ destinations }) => destinations).sort()).toEqual(['alice@example.com', 'boss@example.com'])
    for (const envelope of sent) {
      const mail = await jobs.readMail(envelope)
      expect(mail.subject).toContain('اصطدامات الطيور')
      expect((await sheetRows(attachedTo(mail).bytes))?.toSorted()).toEqual(rows.toSorted())
    }
  })

  it('is notified at once, and gets the channel on which a longer action ends', async () => {
    const notified = await client.post(bulkUrl('notify_assignees'), { filters: {}, selected_ids: [] })
    expect(notified.json).toMatchObject({ success: true, notification: { id: expect.any(Number), level: 'success' } })
    const { json } = await client.post(bulkUrl('recompute_risk'), { filters: chip(filters, 'origin_state', 'Ohio') })
    const broadcast = { event: 'bulk_action.completed', channel: `job:${json.job.id}` }
    expect(json).toMatchObject({ success: true, broadcast })
    expect(await demoJobs(stack).ended(json.job.id, alice)).toMatchObject({ status: 'succeeded' })
  })
})
