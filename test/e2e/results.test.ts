import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { askUntilDecided } from '../support/requests/ask-until-decided.ts'
import { eventually } from '../support/run/patience.ts'
import { openSocket } from '../support/sockets/socket-client.ts'
import { demoJobs } from '../support/stack/demo-jobs.ts'
import { openDemoSocket } from '../support/stack/demo-sockets.ts'
import { type DemoIdentity, type DemoStack, startDemoStack } from '../support/stack/demo-stack.ts'
import { type RiskWrites, watchRisk } from '../support/stack/risk-writes.ts'

const boss: DemoIdentity = { sub: 'boss', role: 'supervisor' }
const alice: DemoIdentity = { sub: 'alice', states: ['Texas', 'Ohio'] }
const dana: DemoIdentity = { sub: 'dana', states: ['Texas'] }
const everyRow = 10_000

let stack: DemoStack
let jobs: ReturnType<typeof demoJobs>
let risk: RiskWrites

beforeAll(async () => {
  stack = await startDemoStack()
  jobs = demoJobs(stack)
  risk = await watchRisk(stack.sql)
})
afterAll(() => stack?.stop())

const post = (path: string, as: DemoIdentity, body: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  stack.call(path, { as, body, headers })

/** Some rows of a state, as SQL finds them. */
const listIds = async (state: string, condition: string, count: number): Promise<readonly number[]> => {
  const text = `select id from bird_strikes where origin_state = $1 and not archived and ${condition} order by id limit $2`
  return (await stack.sql().unsafe(text, [state, count])).map(({ id }) => id)
}

const readOne = async (state: string, condition: string): Promise<number> => {
  const [id] = await listIds(state, condition, 1)
  if (id === undefined) throw new Error(`${state} has no row that is ${condition}`)
  return id
}

describe('a WebSocket', () => {
  it.each(['nonsense', ''])('is refused at once to a client with the token %j', async (token) => {
    const protocols = token === '' ? [] : ['bearer', token]
    await expect(openSocket(stack.facts().websocket_url, protocols)).rejects.toThrow('refused: 401')
  })

  it('is opened by a ticket once', async () => {
    const { url } = (await post('socket-ticket', alice)).json
    await openSocket(url)
    await expect(openSocket(url)).rejects.toThrow('refused: 401')
  })

  it('sends the progress of a job to each socket of its identity and to no others', async () => {
    await risk.forget()
    const sockets = await Promise.all([openDemoSocket(stack, boss), openDemoSocket(stack, boss, 'ticket')])
    const other = await openDemoSocket(stack, alice)
    const { json } = await post('bulk-table-action/bird_strikes/recompute_risk', boss)
    const { id } = json.job
    expect(json.broadcast).toEqual({ event: 'bulk_action.completed', channel: `job:${id}` })

    const heard = await Promise.all(sockets.map((socket) => socket.until(`job:${id}`, 'bulk_action.completed')))
    expect(heard[0]).toEqual(heard[1])
    const [messages = []] = heard
    expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1))
    expect(new Set(messages.map((message) => message.id))).toEqual(new Set([id]))
    const events = messages.map(({ event }) => event.replace('bulk_action.', ''))
    expect([events.at(0), new Set(events.slice(1, -1)), events.at(-1)]).toEqual([
      'started',
      new Set(['progress']),
      'completed',
    ])
    const progress = messages.slice(1, -1).map(({ data }) => data)
    expect(progress.length).toBeGreaterThan(2)
    expect(new Set(progress.map(({ total }) => total))).toEqual(new Set([everyRow]))
    const done = progress.map((data) => Number(data.done))
    expect(done).toEqual([...new Set(done)].sort((a, b) => a - b))
    expect(messages.at(-1)?.data).toMatchObject({
      success: true,
      counts: { selected: everyRow, succeeded: everyRow, failed: 0 },
    })

    await other.caughtUp()
    expect(other.on(`job:${id}`)).toEqual([])
    expect(await risk.counts()).toEqual({ writes: everyRow, rows: everyRow })
    expect(await jobs.status(id, boss)).toMatchObject({
      id,
      status: 'succeeded',
      action: 'recompute_risk',
      table: 'bird_strikes',
      response: 'websocket',
      done: everyRow,
      total: everyRow,
    })
    expectFailure(await stack.call(`jobs/${id}`, { as: alice }), { status: 404, code: 'job_not_found' })
  })

  it('hears when its job is cancelled; what was done by then is done, and nothing else', async () => {
    await risk.slowDown(0.3)
    const socket = await openDemoSocket(stack, boss)
    const id = await jobs.ask('bird_strikes/recompute_risk', boss)
    await eventually(async () => socket.on(`job:${id}`).find(({ event }) => event === 'bulk_action.progress'))
    expectFailure(await post(`jobs/${id}/cancel`, alice), { status: 404, code: 'job_not_found' })
    expect((await post(`jobs/${id}/cancel`, boss)).status).toBe(200)
    const job = await jobs.ended(id, boss)
    expect(job).toMatchObject({ status: 'cancelled', total: everyRow })
    expect(job.done).toBeGreaterThan(0)
    expect(job.done).toBeLessThan(everyRow)
    expect((await socket.until(`job:${id}`, 'bulk_action.failed')).at(-1)?.data).toMatchObject({ success: false })
    await risk.slowDown(0)
    await jobs.swept()
    const [chunks] =
      await stack.sql()`select sum(jsonb_array_length(keys)) filter (where done_at is not null)::int as done
      from table_control.job_chunks where job_id = ${id}`
    expect(chunks?.['done']).toBe(job.done)
    expect(await jobs.status(id, boss)).toEqual(job)
  })
})

describe('a notification', () => {
  it('is the response, comes to the open sockets, is listed, and is read', async () => {
    await stack.sql()`update bird_strikes set assignee = null where origin_state in ('Texas', 'Ohio')`
    const assigned = await listIds('Texas', "status = 'open'", 3)
    const body = { selected_ids: assigned, assignee: 'dana' }
    expect((await post('row-bulk-table-action/bird_strikes/assign', alice, body)).json).toMatchObject({
      counts: { succeeded: 3, failed: 0 },
    })

    const [own, foreign] = await Promise.all([openDemoSocket(stack, alice), openDemoSocket(stack, boss)])
    const { json } = await post('bulk-table-action/bird_strikes/notify_assignees', alice)
    const [count] = await stack.sql()`select count(*)::int as reports from bird_strikes
      where origin_state in ('Texas', 'Ohio') and not archived`
    expect(json.notification).toMatchObject({
      title: 'Assignees notified',
      level: 'success',
      read_at: null,
      data: { assignees: 1, reports: count?.['reports'] },
    })
    const pushed = await eventually(async () => own.of('notification')[0])
    expect(pushed.data).toMatchObject({ id: json.notification.id, title: 'Assignees notified' })
    await foreign.caughtUp()
    expect(foreign.of('notification')).toEqual([])

    const list = async (as: DemoIdentity) => (await stack.call('notifications', { as })).json
    expect(await list(alice)).toMatchObject({ items: [json.notification], unread_count: 1 })
    expect(await list(dana)).toMatchObject({ items: [{ body: 'Assigned to you: 3' }], unread_count: 1 })
    const ofBoss = (await list(boss)).items.map(({ title }: { title: string }) => title)
    expect(ofBoss).not.toContain('Assignees notified')
    await post('notifications/read', dana, { ids: [json.notification.id] })
    expect(await list(alice)).toMatchObject({ unread_count: 1 })
    await post('notifications/read', alice, { ids: [json.notification.id] })
    expect(await list(alice)).toMatchObject({
      items: [{ id: json.notification.id, read_at: expect.any(String) }],
      unread_count: 0,
    })
  })
})

describe('a row action', () => {
  it('makes one change of two clicks at once', async () => {
    const ids = await listIds('Texas', "status = 'open'", 20)
    const click = (id: number, as: DemoIdentity) =>
      askUntilDecided(() => post(`row-table-action/bird_strikes/mark_reviewed/${id}`, as))
    const pairs = await Promise.all(ids.map((id) => Promise.all([click(id, alice), click(id, boss)])))
    for (const responses of pairs) {
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 422])
      for (const response of responses) {
        if (response.status === 200) expect(response.json.data.row).toMatchObject({ status: 'reviewed' })
        else expectFailure(response, { status: 422, code: 'action_not_applicable' })
      }
    }
    const [changes] = await stack.sql()`select count(*)::int as count from table_control.audit
      where action = 'mark_reviewed' and outcome = 'succeeded' and kind = 'row'`
    expect(changes?.['count']).toBe(ids.length)
  })

  it('returns the outcome of each of several rows', async () => {
    const [open, reviewed, foreign] = await Promise.all([
      readOne('Texas', "status = 'open'"),
      readOne('Ohio', "status = 'reviewed'"),
      readOne('California', "status = 'open'"),
    ])
    const body = { selected_ids: [reviewed, open, foreign, 999_999] }
    const { json, status } = await post('row-bulk-table-action/bird_strikes/mark_reviewed', alice, body)
    expect(status).toBe(200)
    expect(json).toMatchObject({ success: true, counts: { succeeded: 1, failed: 3 }, items: [{ id: open }] })
    expect(json.results.map((result: Readonly<Record<string, unknown>>) => [result['id'], result['code']])).toEqual([
      [reviewed, 'action_not_applicable'],
      [open, undefined],
      [foreign, 'row_not_found'],
      [999_999, 'row_not_found'],
    ])
    const [untouched] = await stack.sql()`select status from bird_strikes where id = ${foreign}`
    expect(untouched?.['status']).toBe('open')
  })

  it('flags a row and takes the flag away', async () => {
    const id = await readOne('Texas', 'not flagged')
    const flag = async () => (await post(`row-table-action/bird_strikes/flag/${id}`, alice)).json.data.row
    expect(await flag()).toMatchObject({ flagged: true, actions: { flag: { toggle_current_value: true } } })
    expect(await flag()).toMatchObject({ flagged: false, actions: { flag: { toggle_current_value: false } } })
  })

  it('assigns a row, and says in Arabic that the assignee is missing', async () => {
    const id = await readOne('Texas', 'assignee is null')
    const path = `row-table-action/bird_strikes/assign/${id}`
    const missing = await post(path, alice, {}, { ln: 'ar' })
    expectFailure(missing, { status: 422, code: 'validation_failed', field: 'assignee' })
    expect(missing.json.error).toMatch(/\p{Script=Arabic}/u)
    expect((await post(path, alice, { assignee: ' dana ' })).json.data.row).toMatchObject({ assignee: 'dana' })
  })

  it('writes a note in two steps', async () => {
    const id = await readOne('Texas', 'note is not null')
    const [before] = await stack.sql()`select note from bird_strikes where id = ${id}`
    const form = (await post(`row-table-action/bird_strikes/write_note/${id}`, alice)).json
    expect(form).toMatchObject({
      onSuccess: 'refetchRow',
      method: 'post',
      payload: { values: { note: before?.['note'] }, schema: { properties: { note: { type: 'string' } } } },
    })
    const path = String(form.url).split('/control-tables/')[1] ?? ''
    const written = await post(path, alice, { note: 'ملاحظة ثانية' })
    expect(written.json).toMatchObject({ onSuccess: 'refetchRow', data: { row: { id, note: 'ملاحظة ثانية' } } })
  })

  it('archives a row, which no caller sees any more', async () => {
    const id = await readOne('Texas', 'true')
    const path = `row-table-action/bird_strikes/archive/${id}`
    expect((await post(path, alice)).json).toMatchObject({ success: true, onSuccess: 'deleteRow' })
    for (const gone of [await post(path, alice), await post(`row-refetch/bird_strikes/${id}`, boss)]) {
      expectFailure(gone, { status: 404, code: 'row_not_found' })
    }
  })
})
