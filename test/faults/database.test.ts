import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeEach, expect, onTestFinished, vi } from 'vitest'
import { terminateWhileFrozen } from '../lib/db/terminate.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import { startLoad } from '../support/jobs/failover-load.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import { startTcpProxy } from '../support/network/tcp-proxy.ts'
import type { Toxic } from '../support/network/tcp-toxics.ts'
import { startBlackHole } from './black-hole.ts'
import { expectExactlyOnce, loadedOrders, refusedForAWhile } from './exactly-once.ts'
import { fault } from './fault.ts'
import type { Random } from './random.ts'

const api = await startWorkApi({ LOG_MESSAGES: 'safe' })
const proxy = await startTcpProxy({ target: api.databaseUrl })
const hurried = { DATABASE_DEADLINE_MS: '800', DATABASE_CONNECT_TIMEOUT_MS: '500' }
const direct = [api.variant(hurried), api.variant(hurried), api.variant(hurried)]
// Without a fault, a deadline of 0.8 seconds would measure the machine and not the service.
const unhurried = [api.variant({}), api.variant({}), api.variant({})]
const proxied = [1, 2, 3].map(() => api.variant({ ...hurried, DATABASE_URL: proxy.url() }))
const impatient = api.variant({ DATABASE_STATEMENT_TIMEOUT_MS: '100', DATABASE_URL: proxy.url() })
const [first = api] = direct
const [patient = api] = unhurried
const [overProxy = api] = proxied

recordLog()
afterAll(proxy.close)
beforeEach(() => api.reset())

const services = `datname = current_database() and application_name like 'table-control%'`
const recovers = (service = overProxy) =>
  expect.poll(async () => (await service.post('query-table/orders')).status).toBe(200)
const count = (service = first, key = 'once') =>
  service.post('row-table-action/orders/count/2', {}, { headers: { 'idempotency-key': key } })

/** One request of those that clients send. */
const anyRequest = (random: Random, service = overProxy) =>
  random.chance(0.5) ? service.post('query-table/orders') : count(service)

fault('F2', 'sessions end between any two statements', async (random) => {
  const load = startLoad(direct, loadedOrders)
  for (let kills = random.int(3, 8); kills > 0; kills--) {
    await sleep(random.int(1, 60))
    await api.sql.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity where ${services}`)
  }
  await expectExactlyOnce(api, await load.stop())
})

/** Leaves out sessions that have ended since they were listed. */
function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
}

fault('F3', 'the sessions stand still', async (random) => {
  await recovers(first)
  const sessions = await api.sql.unsafe(`select pid from pg_stat_activity where ${services} and state = 'idle'`)
  const stopped = sessions.map(({ pid }) => Number(pid)).filter(() => random.chance(0.7))
  onTestFinished(() => signal(stopped, 'SIGCONT'))
  signal(stopped, 'SIGSTOP')
  const load = startLoad(direct, loadedOrders)
  await sleep(random.int(100, 1_500))
  await expectExactlyOnce(api, await load.stop())
})

fault('F4', 'the server closes, says nothing, refuses, or cannot be found', async (random) => {
  const kind = random.pick(['close', 'silent', 'refuse', 'black hole'] as const)
  if (kind === 'close' || kind === 'silent') proxy.treat(kind)
  if (kind === 'refuse') proxy.moveTo('postgres://127.0.0.1:1/none')
  if (kind === 'black hole') {
    const hole = await startBlackHole()
    onTestFinished(hole.stop)
    proxy.moveTo(`postgres://127.0.0.1:${hole.port}/none`)
  }
  proxy.resetAll()
  for (let requests = random.int(1, 3); requests > 0; requests--) {
    const before = proxy.connections()
    const { status, json } = await anyRequest(random)
    expect([kind, status, json.code]).toEqual([kind, 503, expect.stringMatching(/^(unavailable|outcome_unknown)$/)])
    expect(proxy.connections() - before).toBeLessThanOrEqual(5)
  }
  proxy.treat('forward')
  proxy.moveTo(api.databaseUrl)
  proxy.resetAll()
  await recovers()
  await expect.poll(async () => (await count(overProxy)).status).toBe(200)
  expect(await api.runs(2)).toEqual([1])
})

const toxics = (random: Random): readonly Toxic[] => [
  { kind: 'latency', ms: random.pick([50, 200, 2_000]) },
  { kind: 'bandwidth', bytesPerSecond: random.pick([65_536, 262_144]) },
  { kind: 'slicer', bytes: random.int(1, 60) },
  { kind: 'limit', bytes: random.int(200, 10_240) },
  { kind: 'reset', bytes: random.int(1, 20_000) },
  { kind: 'cut', from: random.pick(['client', 'server'] as const), containing: random.pick(['commit', 'COMMIT']) },
]

fault('F5', 'the network is slow, narrow, cut or in pieces', async (random) => {
  const load = startLoad(proxied, loadedOrders)
  for (let changes = random.int(2, 4); changes > 0; changes--) {
    proxy.spoil(random.pick(toxics(random)))
    await sleep(random.int(50, 500))
    if (random.chance(0.3)) proxy.resetAll()
  }
  proxy.spoil(undefined)
  proxy.resetAll()
  await expectExactlyOnce(api, await load.stop())
})

const refusals = {
  '40001': [503, 'unavailable'],
  '40P01': [503, 'unavailable'],
  '53100': [503, 'unavailable'],
  '53300': [503, 'unavailable'],
  '55P03': [409, 'row_busy'],
  '57014': [504, 'timed_out'],
} as const

fault('F6', 'the server is full or refuses', async (random) => {
  const code = random.pick(Object.keys(refusals) as (keyof typeof refusals)[])
  await api.sql.unsafe(`create or replace function refuse() returns trigger language plpgsql
      as 'begin raise exception using errcode = ''${code}'', message = ''asked for''; end';
    create trigger refuse before update on orders for each row execute function refuse()`)
  const { status, json } = await count(patient)
  await api.sql.unsafe('drop trigger refuse on orders')
  expect([status, json.code]).toEqual(refusals[code])
  await recovers(first)
  const name = new URL(api.databaseUrl).pathname.slice(1)
  await api.sql.unsafe(`alter database "${name}" connection limit 0`)
  await api.sql.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity where ${services}`)
  const full = await anyRequest(random, first)
  await api.sql.unsafe(`alter database "${name}" connection limit -1`)
  expect([full.status, full.json.code]).toEqual([503, 'unavailable'])
  await recovers(first)
  await expect.poll(async () => (await count()).status).toBe(200)
  expect(await api.runs(2)).toEqual([1])
})

fault('F7', 'a statement is slow, or a request asks for far too many conditions', async (random) => {
  await recovers(impatient)
  const slow = await impatient.post('row-table-action/orders/slowly/2')
  expect([slow.status, slow.json.code]).toEqual([504, 'timed_out'])
  expect(await api.runs(2)).toEqual([0])
  const before = proxy.roundTrips()
  const filters = Array.from({ length: random.int(51, 100_000) }, (_, id) => ({
    field: 'id',
    operator: '=',
    value: id,
  }))
  const { status } = await impatient.post('query-table/orders', { filters })
  expect([413, 422]).toContain(status)
  expect(proxy.roundTrips()).toBe(before)
})

fault('F8', 'the function is frozen, and the server ends its sessions meanwhile', async (random) => {
  await Promise.all(unhurried.map((service) => recovers(service)))
  terminateWhileFrozen(api.databaseUrl, "application_name like 'table-control%'")
  const frozenMs = random.int(2, 600) * 1_000
  const awake = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => awake() + frozenMs)
  onTestFinished(() => void vi.restoreAllMocks())
  const responses = await Promise.all(
    unhurried.map((service, index) =>
      random.chance(0.5) ? count(service, `${index}`) : service.post('query-table/orders'),
    ),
  )
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
})

fault('F21', 'the same action is run by many at once', async (random) => {
  const times = random.int(10, 50)
  const keyed = random.chance(0.5)
  // A client repeats a refused request with its key, so that a change whose response was lost is not made twice.
  const succeed = async (index: number): Promise<void> => {
    for (;;) {
      const { status, json } = await count(random.pick(unhurried), keyed ? 'same' : `key-${index}`)
      if (status === 200) return
      expect(`${status} ${json.code}`).toMatch(refusedForAWhile)
    }
  }
  await Promise.all(Array.from({ length: times }, (_, index) => succeed(index)))
  expect(await api.runs(2)).toEqual([keyed ? 1 : times])
  const overlapping = Array.from({ length: 10 }, () => {
    const ids = random.shuffle(loadedOrders).slice(0, random.int(2, 8))
    return random.pick(unhurried).post('row-bulk-table-action/orders/flag', { selected_ids: ids })
  })
  for (const { status, json } of await Promise.all(overlapping)) {
    if (status !== 200 && status !== 422) expect(`${status} ${json.code}`).toMatch(refusedForAWhile)
  }
  // Other files use other databases of the same server.
  const waiting = `select from pg_stat_activity where ${services} and wait_event_type = 'Lock'`
  expect(await api.sql.unsafe(waiting)).toEqual([])
})
