import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listSheets, listValues } from '../lib/reports/workbook.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { editSheet, findCell } from '../support/fixtures/import-api.ts'
import { exampleRun, nestKeys, readmeExamples, readmeSamples } from '../support/requests/readme-examples.ts'
import { eventually } from '../support/run/patience.ts'
import { openSocket } from '../support/sockets/socket-client.ts'
import { demoJobs } from '../support/stack/demo-jobs.ts'
import { demoQueue } from '../support/stack/demo-queue.ts'
import { attachedTo, openLink, strikeRows } from '../support/stack/demo-reports.ts'
import { openDemoSocket } from '../support/stack/demo-sockets.ts'
import { type DemoIdentity, type DemoStack, startDemoStack } from '../support/stack/demo-stack.ts'

const states = ['Texas', 'Ohio']
const alice: DemoIdentity = { sub: 'alice', states, email: 'alice@example.com' }
const boss: DemoIdentity = { sub: 'boss', role: 'supervisor', email: 'boss@example.com' }
const origin = 'http://localhost:5173'

describe.each([
  ['its sources', []],
  ['what would be deployed', ['--synth']],
] as const)('the service that runs from %s', (_from, args) => {
  let stack: DemoStack
  let jobs: ReturnType<typeof demoJobs>
  beforeAll(async () => {
    stack = await startDemoStack({ LOCAL_VISIBILITY_SECONDS: '1' }, args)
    jobs = demoJobs(stack)
  })
  afterAll(() => stack?.stop())

  const post = (path: string, as: DemoIdentity, body: object = {}) => stack.call(path, { as, body })

  it('shows the structure of a table with the rows of the caller, and a page of them', async () => {
    const { json, headers } = await stack.call('load-table/bird_strikes/true', { as: alice, headers: { origin } })
    expect(json).toMatchObject({ success: true, tableName: 'bird_strikes' })
    expect(headers['access-control-allow-origin']).toBe(origin)
    const page = await post('query-table/bird_strikes', alice, { perPage: 100 })
    expect(page.json.pagination.total).toBe((await strikeRows(stack.sql(), 'en', states)).length)
    const shown = page.json.items.map((row: Readonly<Record<string, unknown>>) => row['origin_state'])
    expect(new Set(shown)).toEqual(new Set(states))
  })

  it('answers the request of "Ask anything" as the README says', async () => {
    const text = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
    const section = text.split('## Ask anything')[1]?.split('\n## ')[0] ?? ''
    const [asked = '', answered = ''] = [/-d '([^']+)'/, /```json\n([^`]+)```/].map((part) => part.exec(section)?.[1])
    const { json } = await post('query-table/bird_strikes', alice, JSON.parse(asked))
    const expected = JSON.parse(answered)
    expect(json).toEqual({ ...expected, pagination: { ...expected.pagination, next_cursor: expect.any(String) } })
  })

  it.each(['## query-table', '### All rows but some', '## views'])(
    'answers each request of "%s" in functions/README.md as it says',
    async (section) => {
      const run = exampleRun()
      for (const { line, path, body, response } of readmeExamples(section)) {
        const { status, json, text } = await post(path, boss, run.fill(body) as object)
        expect(status, `functions/README.md:${line}: ${text}`).toBe(200)
        run.compare(json, response)
      }
    },
  )

  it('acts, edits, plans and undoes as functions/README.md says', async () => {
    const run = exampleRun()
    const reset = () =>
      stack.sql().unsafe(`update bird_strikes set status = 'open', flagged = false, assignee = null, note = null
        where id in (5425, 5426, 4422, 9034); delete from table_control.cell_changes where table_name = 'bird_strikes'`)
    const call = (path: string, body: object = {}) => post(path, boss, body)
    const undo = ({ url }: { readonly url: string }) => call(String(url.split('/control-tables/')[1]))
    const meets = ({ json }: Awaited<ReturnType<typeof call>>, sample: unknown) => run.compare(json, sample)

    await reset()
    const [assigned, versioned, conflict] = readmeSamples('## row-table-action')
    const version = async (id: number) =>
      (await call(`row-refetch/bird_strikes/${id}`, { include: ['version'] })).json.data.row._version
    const seen = await version(5425)
    await call('row-table-action/bird_strikes/flag/5425')
    meets(await call('row-table-action/bird_strikes/assign/5425', { ...versioned, expected_version: seen }), conflict)
    meets(await call('row-table-action/bird_strikes/assign/5425', { assignee: 'dana' }), assigned)

    const ids = { selected_ids: [5425, 999_999] }
    meets(
      await call('row-bulk-table-action/bird_strikes/mark_reviewed', ids),
      readmeSamples('## row-bulk-table-action')[0],
    )

    await reset()
    const [asked, effects] = readmeSamples('## Effects')
    meets(await call('row-bulk-table-action/bird_strikes/mark_reviewed', asked), effects)

    await reset()
    const [structure, cells, edited] = readmeSamples('## Editing cells')
    const { json: loaded } = await stack.call('load-table/bird_strikes/true', { as: boss })
    expect(Object.keys(loaded.editing)).toEqual(Object.keys(structure?.['editing']))
    for (const column of structure?.['columns'] ?? [])
      expect(loaded.columns.find((one: typeof column) => one.data_src === column.data_src)).toMatchObject(column)
    const edit = await call('row-table-action/bird_strikes/update_cells/5425', cells)
    meets(edit, edited)
    const [offered, undone] = readmeSamples('## Undo')
    meets(edit, offered)
    const history = readmeSamples('## The history of a row')[0]
    meets(await stack.call('history/bird_strikes/5425', { as: boss }), history)

    await reset()
    const three = { selected_ids: [5425, 4422, 9034], cells: { assignee: 'dana' } }
    const several = await call('row-bulk-table-action/bird_strikes/update_cells', three)
    await call('row-table-action/bird_strikes/assign/4422', { assignee: 'amal' })
    meets(await undo(several.json.undo), undone)

    const [query, page, moved] = readmeSamples('### The rows that the user saw')
    const shown = await call('query-table/bird_strikes', query)
    meets(shown, page)
    await call('row-table-action/bird_strikes/flag/5425')
    const { selection_token } = shown.json
    const seenRows = { filters: query?.['filters'], select_all: true, selection_token }
    meets(await call('bulk-table-action/bird_strikes/recompute_risk', seenRows), moved)

    await reset()
    const [planning, planned, applied, editing, sampled] = readmeSamples('## Plan, then apply')
    const plan = await call('row-bulk-table-action/bird_strikes/mark_reviewed', planning)
    meets(plan, planned)
    const apply = () => call('row-bulk-table-action/bird_strikes/mark_reviewed', { plan_id: plan.json.plan.id })
    meets(await apply(), applied)
    meets(await apply(), { code: 'plan_already_applied', replayed: true })
    meets(await call('row-bulk-table-action/bird_strikes/update_cells', editing), sampled)
  })

  it('takes an edited workbook back, and no CSV file, as functions/README.md says', async () => {
    const run = exampleRun()
    const [exporting, begin, begun, planned, , applied, keyless] = readmeSamples('## Imports')
    const send = async (bytes: Buffer) => {
      const { json } = await post('imports/bird_strikes', boss, { ...begin, bytes: bytes.length })
      run.compare(json, begun)
      const { url, method, headers } = json.upload
      expect((await fetch(url, { method, headers, body: new Uint8Array(bytes) })).status).toBe(200)
      return eventually(async () => {
        const shown = (await stack.call(`imports/bird_strikes/${json.import.id}`, { as: boss })).json
        return ['planned', 'failed'].includes(shown.import.state) ? shown : undefined
      })
    }
    const exported = await post('bulk-table-action/bird_strikes/export_excel', boss, exporting)
    const edited = await editSheet((await openLink(exported.json.data.url)).bytes, (sheet) => {
      findCell(sheet, 'Assignee', 2).value = 'dana'
      findCell(sheet, 'Note', 3).value = 'Feathers sent to the laboratory.'
      findCell(sheet, 'Species', 4).value = 'Barn owl'
    })
    await post('row-table-action/bird_strikes/assign/139', boss, { assignee: 'amal' })
    const sent = await send(edited)
    run.compare(sent, planned)
    const path = `imports/bird_strikes/${sent.import.id}`
    run.compare((await post(path, boss, { plan_id: sent.plan.id })).json, applied)
    expect(await stack.sql()`select assignee, note from bird_strikes where id in (139, 842) order by id`).toEqual([
      { assignee: 'amal', note: null },
      { assignee: null, note: 'Feathers sent to the laboratory.' },
    ])
    run.compare(await send(Buffer.from('ID,Note\n139,edited\n')), keyless)
    await stack.sql()`update bird_strikes set assignee = null, note = null where id in (139, 842)`
  })

  it('exports, mails and notifies with the keys that functions/README.md shows', async () => {
    const [file, mailed, notified, announced] = readmeSamples('### Responses of bulk actions')
    const meets = (real: unknown, sample: unknown) => expect(nestKeys(real)).toEqual(nestKeys(sample))
    const bulk = async (path: string, more: object = {}) =>
      (await post(`bulk-table-action/${path}`, boss, { selected_ids: [1, 2, 3], ...more })).json
    meets(await bulk('bird_strikes/export_excel'), file)
    const mailing = await bulk('flights/email_report', { emails: ['alice@example.com'] })
    meets(mailing, mailed)
    const prepared = await bulk('flights/prepare_export')
    meets(prepared, notified)
    const announcing = await bulk('flights/export_live')
    meets(announcing, announced)
    meets({ success: true, job: await jobs.ended(mailing.job.id, boss) }, readmeSamples('## jobs')[0])
    await jobs.ended(announcing.job.id, boss)
    const list = (await stack.call('notifications', { as: boss })).json
    expect(Object.keys(list)).toEqual(Object.keys(readmeSamples('## notifications')[0] ?? {}))
    const { data: _, ...notification } = prepared.notification
    for (const { data, ...one } of list.items) meets(one, notification)
    meets((await stack.call('downloads', { as: boss })).json, readmeSamples('## downloads')[0])
  })

  it('sends a socket what changes on its page as functions/README.md says', async () => {
    const run = exampleRun()
    const [subscribe, subscribed, left, entered] = readmeSamples('### Live rows')
    const socket = await openDemoSocket(stack, boss)
    socket.send({ ...subscribe })
    const channel = String(subscribed?.['channel'])
    run.compare((await socket.until(channel, 'rows.subscribed'))[0], subscribed)
    await post('row-table-action/bird_strikes/mark_reviewed/191', boss)
    const [, ...heard] = await socket.until(channel, 'rows.entered')
    for (const [index, sample] of [left, entered].entries()) run.compare(heard[index], sample)
    await stack.sql()`update bird_strikes set status = 'open', reviewed_at = null where id = 191`
  })

  it('describes itself to frontends, with responses that the caller would get', async () => {
    const { json } = await stack.call('openapi.json', { as: alice })
    const { examples } =
      json.paths['/api-table/control-tables/query-table/flights'].post.responses['200'].content['application/json']
    expect(json.components.schemas).toHaveProperty(['bird_strikes.Item', 'properties', 'species'])
    expect(examples.real.value).toMatchObject({ success: true, items: [{ id: expect.any(Number) }] })
  })

  it('answers what it does not know, whom it does not know, and what a browser asks first', async () => {
    expectFailure(await stack.call('no-such-route', { as: alice }), { status: 404, code: 'route_not_found' })
    expectFailure(await stack.call('load-table/bird_strikes'), { status: 401, code: 'unauthenticated' })
    const headers = { origin, 'access-control-request-method': 'POST' }
    const url = `${stack.facts().base_url}/api/api-table/control-tables/query-table/flights`
    const preflight = await fetch(url, { method: 'OPTIONS', headers })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, origin])
    expect(preflight.headers.get('access-control-allow-headers')).toContain('idempotency-key')
  })

  it('does an action on a row, and answers with the row', async () => {
    const [row] = await stack.sql()`select id from bird_strikes where origin_state = 'Texas' and not flagged limit 1`
    const flag = async () => (await post(`row-table-action/bird_strikes/flag/${row?.['id']}`, alice)).json.data.row
    expect(await flag()).toMatchObject({ flagged: true })
    expect(await flag()).toMatchObject({ flagged: false })
  })

  it('sends a report by e-mail once, although SES throttles and the message comes again', async () => {
    await stack.fault('ses', { code: 'Throttling', times: 2, recipient: 'alice@example.com' })
    const id = await jobs.ask('bird_strikes/email_report', alice)
    expect(await jobs.ended(id, alice)).toMatchObject({ status: 'succeeded', recipients: [{ status: 'sent' }] })
    await demoQueue(stack).send(JSON.stringify({ v: 1, job: id }))
    await jobs.minutesLater(id)
    await jobs.swept()
    await demoQueue(stack).emptied()
    const [envelope, ...more] = await jobs.findEnvelopes(id)
    expect(more).toEqual([])
    if (envelope === undefined) throw new Error('no mail was sent')
    const [sheet] = await listSheets(attachedTo(await jobs.readMail(envelope)).bytes)
    expect(sheet && listValues(sheet)).toEqual(await strikeRows(stack.sql(), 'en', states))
  })

  it('gives an export as a link that works without headers until it is revoked', async () => {
    const { json, text } = await post('bulk-table-action/bird_strikes/export_excel', alice)
    expect(json, text).toMatchObject({ success: true, type: 'stream' })
    const [sheet] = await listSheets((await openLink(json.data.url)).bytes)
    expect(sheet && listValues(sheet)).toEqual(await strikeRows(stack.sql(), 'en', states))
    const path = `${new URL(json.data.url).pathname.split('/control-tables/')[1]}`
    expect((await post(`${path}/revoke`, alice)).status).toBe(200)
    expectFailure(await stack.call(path), { status: 404, code: 'download_not_found' })
  })

  it('sends the progress of a job to the sockets of its caller and to no others', async () => {
    await expect(openSocket(stack.facts().websocket_url)).rejects.toThrow('refused: 401')
    const [own, ticket, other] = await Promise.all([
      openDemoSocket(stack, boss),
      openDemoSocket(stack, boss, 'ticket'),
      openDemoSocket(stack, alice),
    ])
    const id = await jobs.ask('bird_strikes/recompute_risk', boss)
    const heard = await Promise.all([own, ticket].map((one) => one.until(`job:${id}`, 'bulk_action.completed')))
    expect(heard[0]).toEqual(heard[1])
    expect(heard[0]?.at(-1)?.data).toMatchObject({ success: true, counts: { succeeded: 10_000, failed: 0 } })
    await other.caughtUp()
    expect(other.on(`job:${id}`)).toEqual([])
  })

  it('moves an unreadable message out of the way', async () => {
    await demoQueue(stack).send('not a job')
    expect(await demoQueue(stack).firstDead()).toBe('not a job')
  })
})
