import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClientOptions, Message } from '../../../lib/client/index.ts'
import {
  createClient as clientOfStack,
  createFailure,
  listeningTo,
  openReport,
  spy,
  unavailable,
} from '../../support/requests/table-clients.ts'
import { demoJobs } from '../../support/stack/demo-jobs.ts'
import { type DemoIdentity, type DemoStack, startDemoStack } from '../../support/stack/demo-stack.ts'

const alice: DemoIdentity = { sub: 'alice', states: ['Texas', 'Ohio'], email: 'alice@example.com' }

let stack: DemoStack

beforeAll(async () => {
  stack = await startDemoStack()
})
afterAll(() => stack?.stop())

const createClient = (options: Partial<ClientOptions> = {}) => clientOfStack(stack, alice, options)

describe('reading', () => {
  it('loads a structure, with the first page if asked for', async () => {
    const client = createClient()
    expect(await client.loadTable('flights')).toMatchObject({ tableName: 'flights', defSortCol: 'date' })
    const { data, pagination } = await client.loadTableWithData('bird_strikes')
    expect(data).toHaveLength(20)
    expect(pagination.total).toBeGreaterThan(20)
  })

  it('asks in Arabic and on the web guard if configured so', async () => {
    const { send, requests } = spy()
    const { label } = await createClient({ language: 'ar', guard: 'web', fetch: send }).loadTable('flights')
    expect(label).toBe('الرحلات')
    expect(requests[0]?.url).toBe(`${stack.facts().base_url}/api-table/control-tables/load-table/flights`)
  })

  it('filters, sorts and goes on by cursor', async () => {
    const client = createClient()
    const query = {
      filters: [{ field: 'cost_total', operator: '>=', value: 1 }],
      sorts: [{ field: 'cost_total', direction: 'desc' }],
      perPage: 5,
    } as const
    const first = await client.queryTable('bird_strikes', query)
    const second = await client.queryTable('bird_strikes', { ...query, cursor: first.pagination.next_cursor ?? '' })
    const costs = [...first.items, ...second.items].map(({ cost_total }) => Number(cost_total))
    expect(costs).toHaveLength(10)
    expect(costs).toEqual(costs.toSorted((a, b) => b - a))
  })

  it('fetches rows anew, and lists those that are gone', async () => {
    const client = createClient()
    const [item] = (await client.queryTable('bird_strikes', { perPage: 1 })).items
    const id = item?.id ?? 0
    expect(await client.refetchRow('bird_strikes', id)).toEqual(item)
    expect(await client.refetchRows('bird_strikes', [id, 999_999])).toMatchObject({ items: [item], missing: [999_999] })
  })

  it('has rows without what the structure says of them, and completes them', async () => {
    const { send, requests } = spy()
    const plain = createClient()
    const client = createClient({ fetch: send })
    const { data } = await client.loadTableWithData('bird_strikes')
    const { items } = await client.queryTable('bird_strikes')
    const id = items[0]?.id ?? 0
    const read = [...data, ...items, await client.refetchRow('bird_strikes', id)]
    const expected = (await plain.queryTable('bird_strikes')).items
    expect(read.map(({ row, ...item }) => ({ ...item, row: { actions: row?.actions } }))).toEqual([
      ...expected,
      ...expected,
      expected[0],
    ])
    const sent = await Promise.all(requests.map(async (request) => `${request.url} ${await request.text()}`))
    expect(sent.filter((text) => !text.includes('row_actions'))).toEqual([])
  })

  it('drops the response that a newer query of the same view has overtaken', async () => {
    const view = createClient().view('flights')
    const other = createClient().view('flights')
    const [overtaken, latest, alone] = await Promise.all([
      view.query({ perPage: 1 }),
      view.query({ perPage: 2 }),
      other.query({ perPage: 3 }),
    ])
    expect([overtaken, latest?.items.length, alone?.items.length]).toEqual([undefined, 2, 3])
  })
})

describe('failures', () => {
  it('have code, status, message, fields and request id', async () => {
    const error = await createFailure(createClient().queryTable('flights', { perPage: 0 }))
    expect(error).toMatchObject({ code: 'validation_failed', status: 422, fields: { perPage: [expect.any(String)] } })
    expect(error.requestId).toMatch(/./)
    expect(error.response['errors']).toHaveLength(2)
  })

  it('are reported when no server answers, when a proxy answers, and when the caller aborts', async () => {
    const dead = createClient({ fetch: () => Promise.reject(new TypeError('refused')) })
    expect(await createFailure(dead.loadTable('flights'))).toMatchObject({ code: 'unreachable', status: 0 })
    const proxy = createClient({ fetch: async () => new Response('<html>', { status: 502 }) })
    expect(await createFailure(proxy.loadTable('flights'))).toMatchObject({ code: 'bad_response', status: 502 })
    const signal = AbortSignal.abort()
    expect(await createFailure(createClient().queryTable('flights', {}, { signal }))).toMatchObject({ code: 'aborted' })
  })

  it('ask once for another token if it has just expired', async () => {
    const tokens = ['expired', stack.createToken(alice)]
    const { items } = await createClient({ token: () => tokens.shift() ?? '' }).queryTable('flights', { perPage: 1 })
    expect(items).toHaveLength(1)
    const { send, requests } = spy()
    let count = 0
    const token = () => `expired ${++count}`
    const error = await createFailure(createClient({ token, fetch: send }).loadTable('flights'))
    expect([error.code, requests.length]).toEqual(['unauthenticated', 2])
  })

  it('are tried three times in all if they are temporary', async () => {
    const once = spy((count) => (count === 1 ? unavailable() : undefined))
    await createClient({ fetch: once.send }).loadTable('flights')
    expect(once.requests).toHaveLength(2)
    const always = spy(() => unavailable())
    const error = await createFailure(createClient({ fetch: always.send }).loadTable('flights'))
    expect([error.code, error.retryAfter, always.requests.length]).toEqual(['unavailable', 0, 3])
  })

  it('are tried again after an unknown outcome only with the key of the change', async () => {
    const structure = await createClient({}).loadTable('bird_strikes')
    const keyed = spy(() => unavailable('outcome_unknown'))
    const action = createClient({ fetch: keyed.send }).rowBulkAction(structure, 'mark_reviewed', [])
    expect((await createFailure(action)).code).toBe('outcome_unknown')
    const keys = keyed.requests.map(({ headers }) => headers.get('idempotency-key'))
    expect([keys.length, new Set(keys).size]).toEqual([3, 1])
    const keyless = spy(() => unavailable('outcome_unknown'))
    const reading = createClient({ fetch: keyless.send }).readNotifications([1])
    expect((await createFailure(reading)).code).toBe('outcome_unknown')
    expect(keyless.requests).toHaveLength(1)
  })

  it('are not tried again if the response of a change without a key is lost, because it may have been made', async () => {
    const { send, requests } = spy()
    const client = createClient({
      fetch: async (...asked) => {
        await send(...asked)
        throw new TypeError('the line was cut')
      },
    })
    const readViews = async () => (await createClient().savedViews('bird_strikes')).items.map(({ name }) => name)
    const view = { name: 'Lost', query: {} }
    expect(await createFailure(client.saveView('bird_strikes', view))).toMatchObject({ code: 'unreachable' })
    expect([requests.length, await readViews()]).toEqual([1, ['Lost']])
    const [{ id = '' } = {}] = (await createClient().savedViews('bird_strikes')).items
    expect(await createFailure(client.removeView('bird_strikes', id))).toMatchObject({ code: 'unreachable' })
    expect([requests.length, await readViews()]).toEqual([2, []])
    expect(await createFailure(client.queryTable('bird_strikes'))).toMatchObject({ code: 'unreachable' })
    expect(requests).toHaveLength(5)
  })
})

describe('the token', () => {
  it('never goes to another origin than the one that was given', async () => {
    const { send, requests } = spy()
    const client = createClient({ fetch: send })
    const structure = await client.loadTable('bird_strikes')
    const { mark_reviewed } = JSON.parse(JSON.stringify(structure.rowActions))
    mark_reviewed.bulk_actions_url.api = mark_reviewed.bulk_actions_url.api.replace('127.0.0.1', 'evil.example')
    const rowActions = { ...structure.rowActions, mark_reviewed }
    await createFailure(client.rowBulkAction({ ...structure, rowActions }, 'mark_reviewed', [999_999]))
    expect(requests.map(({ url }) => new URL(url).origin)).toEqual([stack.facts().base_url, stack.facts().base_url])
  })
})

describe('actions', () => {
  it('use the URL of an item; a lost response does not run one twice', async () => {
    const { send, requests } = spy()
    const client = createClient({ fetch: send })
    const item = await openReport(client, 1)
    const assigned = await client.rowAction(item, 'assign', { assignee: 'dana' })
    expect(assigned).toMatchObject({ onSuccess: 'refetchRow', data: { row: { id: item.id, assignee: 'dana' } } })
    let lost = false
    const flaky = createClient({
      fetch: async (...asked) => {
        const response = await fetch(...asked)
        if (lost) return response
        lost = true
        throw new TypeError('the line was cut')
      },
    })
    const { data } = await flaky.rowAction(item, 'flag')
    expect([lost, data?.row?.flagged]).toEqual([true, !item.flagged])
    expect(requests.at(-1)?.headers.get('idempotency-key')).toMatch(/./)
  })

  it('are refused without a request if the item does not offer them', async () => {
    const { send, requests } = spy()
    const client = createClient({ fetch: send })
    const item = await openReport(client, 2)
    const { data } = await client.rowAction(item, 'mark_reviewed')
    const asked = requests.length
    const error = await createFailure(client.rowAction(data?.row ?? item, 'mark_reviewed'))
    expect([error.code, requests.length]).toEqual(['action_not_applicable', asked])
  })

  it('are refused without a request, with the reason, if the item has them disabled', async () => {
    const { send, requests } = spy()
    const client = createClient({ fetch: send })
    const item = await openReport(client, 2)
    const asked = requests.length
    const { assign } = item.row?.actions ?? {}
    if (assign === undefined) expect.unreachable('the report cannot be assigned')
    const actions = { ...item.row?.actions, assign: { ...assign, enabled: false, reason: 'It is assigned' } } as const
    const error = await createFailure(client.rowAction({ ...item, row: { actions } }, 'assign', { assignee: 'dana' }))
    expect(error).toMatchObject({ code: 'action_not_applicable', message: 'It is assigned' })
    expect(requests).toHaveLength(asked)
  })

  it('posts the form of an action with a second step', async () => {
    const client = createClient()
    const item = await openReport(client, 3)
    const form = await client.rowAction(item, 'write_note')
    expect(form).toMatchObject({ onSuccess: 'refetchRow', payload: { values: { note: '' } } })
    expect(await client.submit(form, { note: 'Seen' })).toMatchObject({ data: { row: { note: 'Seen' } } })
  })

  it('posts nothing if the response has no form to post', async () => {
    const { send, requests } = spy()
    const error = await createFailure(createClient({ fetch: send }).submit({}, { note: 'Seen' }))
    expect([error.code, error.message, requests.length]).toEqual([
      'action_not_applicable',
      'The response has no form',
      0,
    ])
  })

  it('have a key of their own also if the given one is undefined', async () => {
    const { send, requests } = spy(() => unavailable('too_many_jobs'))
    const structure = await createClient().loadTable('bird_strikes')
    const call = { idempotencyKey: undefined }
    await createFailure(createClient({ fetch: send }).rowBulkAction(structure, 'mark_reviewed', [], {}, call))
    expect(requests[0]?.headers.get('idempotency-key')).toMatch(/./)
  })

  it('return the outcome of each of several rows, also if none succeeds', async () => {
    const client = createClient()
    const structure = await client.loadTable('bird_strikes')
    const item = await openReport(client, 4)
    const { counts, results } = await client.rowBulkAction(structure, 'assign', [item.id, 999_999], { assignee: 'eve' })
    expect([counts, results.map(({ success }) => success)]).toEqual([{ succeeded: 1, failed: 1 }, [true, false]])
    const error = await createFailure(client.rowBulkAction(structure, 'mark_reviewed', [999_999]))
    expect(error.response['results']).toMatchObject([{ id: 999_999, code: 'row_not_found' }])
  })

  it('return the link of an export, which is downloaded without the token', async () => {
    const { send, requests } = spy()
    const client = createClient({ fetch: send })
    const structure = await client.loadTable('flights')
    const filters = [{ field: 'origin', value: 'ABI' }] as const
    const { data, rows } = await client.bulkAction(structure, 'export_csv', { filters })
    if (data === undefined) throw new Error('no link')
    const { blob, fileName } = await client.download(data)
    expect(fileName).toMatch(/^flights-.*\.csv$/)
    expect((await blob.text()).trim().split('\n')).toHaveLength(Number(rows) + 1)
    expect(requests.at(-1)?.headers.has('authorization')).toBe(false)
  })

  it('follow the job of a mail to its end', async () => {
    const client = createClient()
    const structure = await client.loadTable('bird_strikes')
    const ids = [(await openReport(client, 5)).id]
    const { job } = await client.bulkAction(structure, 'email_report', { selected_ids: ids, expected_count: 1 })
    const done = await client.job(job?.id ?? '').done()
    expect(done).toMatchObject({ status: 'succeeded', recipients: [{ address: 'alice@example.com', status: 'sent' }] })
    expect(await demoJobs(stack).findEnvelopes(done.id)).toHaveLength(1)
    const { items, unread_count } = await client.notifications({ limit: 1 })
    expect((await client.readNotifications(items.map(({ id }) => id))).unread_count).toBe(unread_count - items.length)
  })
})

describe('a connection', () => {
  const findEnds = (messages: readonly Message[], id = '') =>
    messages.filter(({ event, channel }) => channel === `job:${id}` && event === 'bulk_action.completed')

  it.each(['a ticket', 'the token'])('opened by %s reports a job from start to end, in order and once', async (by) => {
    const client = createClient(by === 'the token' ? { socketUrl: stack.facts().websocket_url } : {})
    const { messages, until, close, states } = await listeningTo(client)
    const { job } = await client.bulkAction(await client.loadTable('bird_strikes'), 'recompute_risk')
    const progress: number[] = []
    const ended = await client.job(job?.id ?? '').done({ onProgress: ({ done }) => progress.push(done) })
    await until(() => findEnds(messages, job?.id).length > 0)
    expect(ended).toMatchObject({ status: 'succeeded', done: progress.at(-1) })
    const seqs = messages.flatMap(({ channel, seq }) => (channel === `job:${job?.id}` ? [seq] : []))
    expect(seqs).toEqual(seqs.toSorted((a, b) => Number(a) - Number(b)))
    close()
    await until(() => states.at(-1) === 'closed')
  })

  it('comes back when the service was gone, and reports what was missed', async () => {
    const client = createClient()
    const { messages, states, until } = await listeningTo(client)
    const structure = await client.loadTable('bird_strikes')
    const { job } = await client.bulkAction(structure, 'recompute_risk')
    await stack.killAndStart()
    await until(() => states.includes('waiting'))
    await stack.call('bulk-table-action/bird_strikes/notify_assignees', { as: alice, body: {} })
    await demoJobs(stack).minutesLater(job?.id ?? '')
    await until(() => findEnds(messages, job?.id).length > 0)
    await until(() =>
      messages.some(({ event, data }) => event === 'notification' && data['title'] === 'Assignees notified'),
    )
    expect(findEnds(messages, job?.id)).toHaveLength(1)
    expect(states).toEqual(expect.arrayContaining(['connecting', 'open', 'waiting']))
  })

  it('is given up if it is refused', async () => {
    const client = createClient({ token: () => 'wrong' })
    const refused = await new Promise((resolve) => {
      client.connect({ onState: (state, error) => state === 'closed' && resolve(error) })
    })
    expect(refused).toMatchObject({ code: 'unauthenticated', status: 401 })
  })
})
