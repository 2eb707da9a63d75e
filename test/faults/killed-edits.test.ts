import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeEach, expect } from 'vitest'
import { holdOrders } from '../support/fixtures/held-orders.ts'
import { startImportApi } from '../support/fixtures/import-api.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import { startTcpProxy } from '../support/network/tcp-proxy.ts'
import type { Api, ApiResponse } from '../support/requests/api.ts'
import { expectAuditTellsRows, readCells } from './audited-cells.ts'
import { createEditedImport, createOperations, type EditRequest, editedIds, prepareImport } from './edit-operations.ts'
import { fault } from './fault.ts'
import type { Random } from './random.ts'

const work = await startImportApi()
const proxy = await startTcpProxy({ target: work.serviceUrl })
const proxied = { DATABASE_URL: proxy.url(), DATABASE_DEADLINE_MS: '2000', DATABASE_CONNECT_TIMEOUT_MS: '1000' }
const fragile = work.variant(proxied)

recordLog()
afterAll(proxy.close)
beforeEach(() => work.reset())

const operations = createOperations(work)

const send = (service: Api, { path, body, headers }: EditRequest): Promise<ApiResponse> =>
  service.post(path, body, { headers })

/** Sends a request while its connection is lost at a place that the seed decides. */
async function sendHarmed(random: Random, request: EditRequest): Promise<ApiResponse> {
  if (random.chance(0.5)) {
    proxy.spoil({
      kind: 'cut',
      from: random.pick(['client', 'server'] as const),
      containing: random.pick(['commit', 'COMMIT']),
    })
    return send(fragile, request)
  }
  const release = await holdOrders(work.sql, random.pick(['statement', 'commit'] as const))
  const sent = send(fragile, request)
  const waiting = `from pg_stat_activity where datname = current_database() and application_name like 'table-control%' and wait_event = 'PgSleep'`
  const isWaiting = async () => (await work.sql.unsafe(`select ${waiting}`)).length > 0
  let isAnswered = false
  const answered = sent.finally(() => {
    isAnswered = true
  })
  await expect.poll(async () => isAnswered || (await isWaiting()), { interval: 10 }).toBe(true)
  if (random.chance(0.5)) proxy.resetAll()
  else await work.sql.unsafe(`select pg_terminate_backend(pid) ${waiting}`)
  const response = await answered
  await release()
  return response
}

async function expectDoneOnce(request: EditRequest, isUndone: boolean): Promise<void> {
  proxy.spoil(undefined)
  proxy.resetAll()
  await expect.poll(async () => (await send(fragile, request)).status).toBe(200)
  const again = await send(work, request)
  expect([again.status, again.headers['idempotency-replayed'] ?? String(again.json.replayed)]).toEqual([200, 'true'])
  const changes =
    await work.sql`select change from table_control.cell_changes group by change having count(*) = ${editedIds.length}`
  expect(changes).toHaveLength(isUndone ? 2 : 1)
  const succeeded = (await work.audit()).filter(
    ({ outcome, action }) => outcome === 'succeeded' && action === 'update_cells',
  )
  expect(succeeded).toHaveLength(isUndone ? 2 : 1)
}

fault(
  'F27',
  'the connection is lost anywhere while an edit, a plan, an import or an undo changes rows',
  async (random) => {
    const before = await readCells(work.sql)
    const [name, prepare] = random.pick(Object.entries(operations))
    const request = await prepare()
    const { status, json } = await sendHarmed(random, request)
    expect([name, status, json.code]).toEqual([
      name,
      ...(status === 200 ? [200, undefined] : [503, expect.stringMatching(/^(unavailable|outcome_unknown)$/)]),
    ])
    await expectDoneOnce(request, name === 'undo')
    await expectAuditTellsRows(work.sql, before)
  },
)

/** Reads the files of imports in a process of its own, which is killed after it has begun. */
async function killWorker(random: Random): Promise<void> {
  const script = fileURLToPath(new URL('../support/jobs/import-worker-process.ts', import.meta.url))
  const event = JSON.stringify(await work.listWaiting())
  const worker = spawn(process.execPath, [script, event], {
    env: { ...process.env, ...work.environment },
    stdio: 'ignore',
  })
  const ended = once(worker, 'exit')
  const isOver = () => worker.exitCode !== null || worker.signalCode !== null
  const isBegun = async () => isOver() || (await work.sql`select from table_control.jobs where attempts > 0`).length > 0
  await expect.poll(isBegun, { interval: 5 }).toBe(true)
  await sleep(random.int(0, 150))
  worker.kill('SIGKILL')
  await ended
}

async function loseConnection(random: Random): Promise<void> {
  proxy.spoil({
    kind: 'cut',
    from: random.pick(['client', 'server'] as const),
    containing: random.pick(['commit', 'COMMIT', 'import_cells']),
  })
  await work.work({ settings: proxied }).catch(() => {})
  proxy.spoil(undefined)
}

fault('F28', 'the worker that reads an import is killed or loses its connection', async (random) => {
  const before = await readCells(work.sql)
  const id = await createEditedImport(work)
  await (random.chance(0.4) ? killWorker(random) : loseConnection(random))
  await expect
    .poll(async () => {
      await work.sql`update table_control.jobs set not_before = null,
        lease_until = case when state = 'running' then now() - interval '1 second' end`
      await work.work()
      return (await work.sql`select state from table_control.jobs`)[0]
    })
    .toEqual({ state: 'succeeded' })
  const { json } = await work.show(id)
  expect(json.plan.cells).toHaveLength(6)
  await expectDoneOnce(await prepareImport(work, id), false)
  await expectAuditTellsRows(work.sql, before)
})
