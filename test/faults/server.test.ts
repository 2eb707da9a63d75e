import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, expect, onTestFinished } from 'vitest'
import { type Postgres, startPostgres } from '../../infra/local/database/postgres.ts'
import { fixtureTemplate } from '../support/fixtures/fixture-registry.ts'
import { startWorkApi, type WorkApi } from '../support/fixtures/work-api.ts'
import { startLoad } from '../support/jobs/failover-load.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import { startTcpProxy } from '../support/network/tcp-proxy.ts'
import { expectExactlyOnce, loadedOrders } from './exactly-once.ts'
import { fault } from './fault.ts'

const directory = await mkdtemp(join(tmpdir(), 'table-control-fault-'))
// A crash of the process must not lose what was committed.
const options = { directory, ephemeral: true, settings: ['synchronous_commit=on'] }
let server: Postgres = await startPostgres(options)
afterAll(async () => {
  await server.stop()
  await rm(directory, { recursive: true, force: true })
})
await fixtureTemplate.build(server.url())
const proxy = await startTcpProxy({ target: server.url() })
afterAll(proxy.close)
const api = await startWorkApi({ LOG_MESSAGES: 'safe' })
const settings = { DATABASE_URL: proxy.url(), DATABASE_DEADLINE_MS: '800', DATABASE_CONNECT_TIMEOUT_MS: '500' }
const functions = [1, 2, 3, 4].map(() => api.variant(settings))

recordLog()

/** The rows and the audit of this file's own server. */
function inspect(): {
  readonly state: WorkApi
  readonly reset: () => Promise<unknown>
  readonly end: () => Promise<void>
} {
  const sql = postgres(server.url(), { max: 1, onnotice: () => {} })
  const runs: WorkApi['runs'] = async (...ids) => {
    const rows = await sql`select id, runs from orders`
    return ids.map((id) => Number(rows.find((row) => row['id'] === id)?.['runs']))
  }
  const audit = () => sql`select * from table_control.audit order by id`
  const reset = () =>
    sql.unsafe('update orders set runs = 0; truncate table_control.audit, table_control.idempotency_keys')
  return { state: { ...api, runs, audit }, reset, end: () => sql.end({ timeout: 5 }) }
}

async function underLoad(harm: () => Promise<void>): Promise<void> {
  const before = inspect()
  await before.reset()
  await before.end()
  const load = startLoad(functions, loadedOrders)
  // A load that outlived a failed seed would change the rows of the next one.
  onTestFinished(() => load.stop().then(() => undefined))
  await expect.poll(load.succeeded).toBeGreaterThan(5)
  await harm()
  load.mark()
  const known = load.succeeded()
  await expect.poll(load.succeeded).toBeGreaterThan(known)
  const report = await load.stop()
  const after = inspect()
  await expectExactlyOnce(after.state, report)
  await after.end()
}

fault('F1', 'the server is killed under load and starts again', async (random) => {
  await underLoad(async () => {
    await sleep(random.int(0, 200))
    process.kill(server.pid, 'SIGKILL')
    await server.ended
    await sleep(random.int(0, 1_000))
    server = await startPostgres(options)
    proxy.moveTo(server.url())
  })
})

fault('F3', 'the server stands still under load', async (random) => {
  await underLoad(async () => {
    const { pid } = server
    process.kill(pid, 'SIGSTOP')
    onTestFinished(() => void process.kill(server.pid, 'SIGCONT'))
    if (random.chance(0.7)) proxy.resetAll()
    await sleep(random.int(200, 2_000))
    process.kill(pid, 'SIGCONT')
  })
})
