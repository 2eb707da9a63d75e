import postgres, { type Sql } from 'postgres'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import type { Postgres } from '../../infra/local/database/postgres.ts'
import { fixtureTemplate } from '../support/fixtures/fixture-registry.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import { startLoad } from '../support/jobs/failover-load.ts'
import { startJobInstallation } from '../support/jobs/job-installation.ts'
import { jobTemplate, parcelCount } from '../support/jobs/job-tables.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import { startTcpProxy } from '../support/network/tcp-proxy.ts'
import { startPostgresPair } from './postgres-pair.ts'

const log = recordLog()

const at = (url: string, database: string): string => Object.assign(new URL(url), { pathname: `/${database}` }).href

async function fill(server: Postgres): Promise<void> {
  const sql = postgres(server.url(), { max: 1, onnotice: () => {} })
  for (const [name, { build }] of Object.entries({ orders: fixtureTemplate, parcels: jobTemplate })) {
    await sql`create database ${sql(name)}`
    await build(server.url(name))
  }
  await sql.end({ timeout: 5 })
}

const pair = await startPostgresPair(fill)
afterAll(pair.stop)
/** The endpoint of the cluster, which moves to the new writer. */
const endpoint = await startTcpProxy({ target: pair.primary.url() })
afterAll(endpoint.close)
const api = await startWorkApi()
const jobs = await startJobInstallation({ DATABASE_URL: at(endpoint.url(), 'parcels') })
afterAll(jobs.stop)

const orders = [1, 2, 3, 4, 5, 6, 7, 8]
/** A function of its own, with one connection. */
const createFunction = () => api.variant({ DATABASE_URL: at(endpoint.url(), 'orders'), DATABASE_DEADLINE_MS: '3000' })

/** Asks a database of the present writer. */
async function asking<T>(database: string, ask: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres(at(endpoint.url(), database), { max: 1, onnotice: () => {} })
  try {
    return await ask(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

it('answers 503 on a standby, reads included, and never 500', async () => {
  endpoint.moveTo(pair.standby.url())
  const service = createFunction()
  for (const path of ['query-table/orders', 'row-table-action/orders/count/1', 'row-bulk-table-action/orders/flag']) {
    const { status, json } = await service.post(path, { selected_ids: [1] })
    expect([status, json.code]).toEqual([503, 'unavailable'])
  }
  expect(log.take()).toContain('STANDBY')
  endpoint.moveTo(pair.primary.url())
  await expect.poll(async () => (await service.post('query-table/orders')).status).toBe(200)
})

it('does not report a change as saved when the wait for the standby was cut short', async () => {
  const service = createFunction()
  const headers = { 'idempotency-key': 'cut-short' }
  const count = () => service.post('row-table-action/orders/count/1', {}, { headers })
  await service.post('query-table/orders')
  await pair.waitFor('nobody')
  // Also where this test fails, so that the next one can write.
  onTestFinished(() => pair.waitFor('standby'))
  const asked = count()
  await expect
    .poll(() =>
      asking('orders', (sql) => sql`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`),
    )
    .toHaveLength(1)
  const { status, json } = await asked
  expect([status, json.code]).toEqual([503, 'outcome_unknown'])
  await pair.waitFor('standby')
  const again = await count()
  expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true'])
  expect(await asking('orders', (sql) => sql`select runs from orders where id = 1`)).toMatchObject([{ runs: 1 }])
  await asking('orders', (sql) => sql`update orders set runs = 0`)
  await asking('orders', (sql) => sql`truncate table_control.audit`)
})

it('loses nothing and does nothing twice when the writer dies under load and its standby is promoted', async () => {
  const services = orders.map(createFunction)
  const load = startLoad(services, orders)
  await expect.poll(load.succeeded).toBeGreaterThan(50)
  const id = await jobs.ask('slow/wait')
  const report = await jobs.ask('parcels/mail_report')
  const working = jobs.work([id])
  const mailing = jobs.work([report])
  await expect.poll(async () => (await jobs.job(id)).done).toBeGreaterThan(0)

  process.kill(pair.primary.pid, 'SIGKILL')
  await pair.primary.ended
  await expect.poll(load.unavailable).toBeGreaterThan(20)
  await pair.promote()
  endpoint.moveTo(pair.standby.url())
  load.mark()
  const before = load.succeeded()
  const markedAt = performance.now()
  await expect.poll(load.succeeded).toBeGreaterThan(before + 50)
  const waitedMs = performance.now() - markedAt
  const { outcomes, changed, recoveredAfterMs } = await load.stop()
  await Promise.all([working, mailing])

  // A write that was begun after the promotion succeeded while the load went on, not only after its end.
  expect(recoveredAfterMs).toBeGreaterThan(0)
  expect(recoveredAfterMs).toBeLessThanOrEqual(Math.ceil(waitedMs))
  expect(
    Object.keys(outcomes).filter((outcome) => !/^(200|503 (unavailable|outcome_unknown)|409 .*)$/.test(outcome)),
  ).toEqual([])
  expect(outcomes['503 unavailable']).toBeGreaterThan(0)
  const runs = await asking('orders', (sql) => sql`select id, runs from orders where runs > 0 order by id`)
  const audited = await asking(
    'orders',
    (sql) => sql`select count(*)::int as actions from table_control.audit where outcome = 'succeeded'`,
  )
  const counts = orders.map((order) => ({ id: order, runs: changed.filter((one) => one === order).length }))
  expect(runs).toEqual(counts)
  expect(audited).toMatchObject([{ actions: changed.length }])

  for (const job of [id, report]) {
    for (let attempt = 0; attempt < 5; attempt++) {
      await asking(
        'parcels',
        (sql) => sql`update table_control.jobs set not_before = null,
        lease_until = case when state = 'running' then now() - interval '1 second' end where id = ${job}`,
      )
      await jobs.work([job])
    }
  }
  expect(await jobs.job(id)).toMatchObject({ status: 'succeeded', done: parcelCount })
  expect(await asking('parcels', (sql) => sql`select distinct moves from parcels`)).toMatchObject([{ moves: 1 }])
  expect(await jobs.job(report)).toMatchObject({ status: 'succeeded' })
  expect(jobs.mail.envelopes().filter(({ tags }) => tags['job_id'] === report)).toHaveLength(1)
})
