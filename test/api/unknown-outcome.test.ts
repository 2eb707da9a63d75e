import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { holdOrders } from '../support/fixtures/held-orders.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { ofOrders, oneMore } from '../support/fixtures/orders-table.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'
import { orders } from '../support/fixtures/work-schema.ts'
import { queuedMessages } from '../support/jobs/queued-jobs.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import { startTcpProxy } from '../support/network/tcp-proxy.ts'

const api = await startDeliveringApi()
const proxy = await startTcpProxy({ target: api.databaseUrl })
const overProxy = { DATABASE_URL: proxy.url() }
const service = api.variant(overProxy)
afterAll(proxy.close)
recordLog()
beforeEach(() => api.reset())
afterEach(async () => {
  proxy.spoil(undefined)
  api.queue.faults.clear()
  await queuedMessages(api.queue)
})

const headers = { 'idempotency-key': 'one' }
const count = (through = service) => through.post('row-table-action/orders/count/2', {}, { headers })
const slowly = (through = service) => through.post('row-table-action/orders/slowly/2', {}, { headers })
const unknown = { status: 503, code: 'outcome_unknown' }
const replayed = { 'idempotency-replayed': 'true' }

describe('an action whose commit is in doubt', () => {
  it('is answered `outcome_unknown`, and its key returns the first response if it was saved', async () => {
    await service.post('query-table/orders')
    proxy.spoil({ kind: 'cut', from: 'server', containing: 'COMMIT' })
    const response = await count()
    expectFailure(response, unknown)
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
    const again = await count()
    expect([again.status, again.headers]).toEqual([200, expect.objectContaining(replayed)])
    expect(await api.runs(2)).toEqual([1])
    expect((await api.audit()).filter(({ outcome }) => outcome === 'succeeded')).toHaveLength(1)
  })

  it('is answered `outcome_unknown`, and its key runs it again if it was not saved', async () => {
    // On a new connection the texts of statements are sent.
    const fresh = api.variant(overProxy)
    proxy.spoil({ kind: 'cut', from: 'client', containing: 'commit', after: 'insert into table_control.audit' })
    expectFailure(await count(fresh), unknown)
    const again = await count()
    expect([again.status, again.headers]).toEqual([200, expect.not.objectContaining(replayed)])
    expect(await api.runs(2)).toEqual([1])
  })

  it('is answered `outcome_unknown` if its commit takes longer than the request may, and its key returns the first response', async () => {
    const release = await holdOrders(api.sql, 'commit')
    await service.post('query-table/orders')
    const hurried = api.variant({ ...overProxy, REQUEST_DEADLINE_MS: '5000' })
    await hurried.post('query-table/orders')
    expectFailure(await count(hurried), unknown)
    await release()
    const again = await count()
    expect([again.status, again.headers]).toEqual([200, expect.objectContaining(replayed)])
    expect(await api.runs(2)).toEqual([1])
  })
})

it('is not said of a saved action whose afterCommit never ends', async () => {
  const table = defineFixture({
    ...ofOrders,
    name: 'orders',
    columns: { title: { label: 'Title' } },
    rowActions: {
      count: {
        onSuccess: 'reload',
        run: async ({ db, where }) => db.update(orders).set({ runs: oneMore }).where(where),
        afterCommit: () => new Promise<never>(() => {}),
      },
    },
  })
  const registry = createRegistry([table], { claims: fixtureClaims })
  const hanging = api.variant({ REQUEST_DEADLINE_MS: '3000' }, registry)
  expect(await count(hanging)).toMatchObject({ status: 200, json: { success: true } })
  expect(await api.runs(2)).toEqual([1])
})

it('changes nothing any more for an action that was answered 504', async () => {
  const hurried = api.variant({ ...overProxy, REQUEST_DEADLINE_MS: '200' })
  expectFailure(await slowly(hurried), { status: 504, code: 'timed_out' })
  const underWay = () => api.sql`select from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle' and application_name like 'table-control%'`
  await expect.poll(async () => (await underWay()).length).toBe(0)
  expect(await api.runs(2)).toEqual([0])
  expect((await slowly()).status).toBe(200)
  expect(await api.runs(2)).toEqual([1])
})

it('does not say that a job was not created if the service failed to withdraw it', async () => {
  await service.post('query-table/orders')
  api.queue.faults.add({ action: 'SendMessage', status: 500, code: 'InternalError', times: 10 })
  proxy.spoil({ kind: 'cut', from: 'client', containing: "set state = 'failed'" })
  const ask = () => service.post('bulk-table-action/bulk_orders/recompute', { selected_ids: [1] }, { headers })
  expectFailure(await ask(), unknown)
  const again = await ask()
  expect([again.status, again.headers]).toEqual([200, expect.objectContaining(replayed)])
  expect(await api.sql`select id, state from table_control.jobs`).toEqual([{ id: again.json.job.id, state: 'queued' }])
})
