import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect } from 'vitest'
import { guardBasePath } from '../../lib/routes.ts'
import { holdOrders } from '../support/fixtures/held-orders.ts'
import { colleague, north } from '../support/fixtures/identities.ts'
import { startImportApi } from '../support/fixtures/import-api.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import type { ApiResponse } from '../support/requests/api.ts'
import { expectAuditTellsRows, readCells } from './audited-cells.ts'
import { createOperations, type EditRequest, editedIds } from './edit-operations.ts'
import { fault } from './fault.ts'
import type { Random } from './random.ts'

const work = await startImportApi()
const operations = createOperations(work)

recordLog()
beforeEach(() => work.reset())

const script = fileURLToPath(new URL('../support/jobs/import-request-process.ts', import.meta.url))

/** Starts a function in a process of its own, which is ready for a request. */
async function startFunction(): Promise<ChildProcess> {
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, ...work.environment },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the function ended with ${code}`)))
  // It is killed later.
  ended.catch(() => {})
  await Promise.race([once(child, 'message'), ended])
  return child
}

const isWaiting = async () =>
  (
    await work.sql`select from pg_stat_activity where datname = current_database()
      and application_name like 'table-control%' and wait_event = 'PgSleep'`
  ).length > 0

type Release = () => Promise<void>

/**
 * Sends a request to a process that is killed: after a random time, or while its statement or its commit is held in
 * Postgres. Returns what lets the statement go on.
 */
async function sendAndKill(random: Random, { path, body, headers }: EditRequest): Promise<Release> {
  const child = await startFunction()
  const place = random.pick(['anywhere', 'statement', 'commit'] as const)
  const release: Release = place === 'anywhere' ? async () => {} : await holdOrders(work.sql, place)
  const authorization = `Bearer ${work.provider.tokenFor(north)}`
  let isAnswered = false
  child.once('message', () => {
    isAnswered = true
  })
  child.send({ method: 'POST', path: `${guardBasePath('api')}/${path}`, body, headers: { ...headers, authorization } })
  if (place === 'anywhere') await sleep(random.int(0, 250))
  else await expect.poll(async () => isAnswered || (await isWaiting()), { interval: 5 }).toBe(true)
  expect([place, isAnswered && place !== 'anywhere']).toEqual([place, false])
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
  return release
}

/** Codes that say that the session of the killed process has not ended yet. */
const waiting = ['row_busy', 'idempotency_in_progress']

/** Repeats a request until it is done, and once more. Returns its refusals, its first success and the last response. */
async function repeat({ path, body, headers }: EditRequest) {
  const refused: ApiResponse[] = []
  let done: ApiResponse | undefined
  while (done === undefined) {
    const response = await work.post(path, body, { headers })
    if (response.status === 200) done = response
    else {
      expect(waiting).toContain(response.json.code)
      refused.push(response)
    }
  }
  return { refused, done, last: await work.post(path, body, { headers }) }
}

const isReplay = ({ headers, json }: ApiResponse) =>
  headers['idempotency-replayed'] === 'true' || json.replayed === true

/** Asserts that a refused row says why in both languages. */
function expectReasons({ json }: ApiResponse): void {
  for (const { success, code, errors } of json.results ?? [])
    if (success !== true)
      expect([code, errors]).toEqual([
        expect.stringMatching(/^(plan_outdated|undo_conflict|changed_since_planned)$/),
        [expect.stringMatching(/\w/), expect.stringMatching(/[\u0600-\u06ff]/)],
      ])
}

/** Changes order 3 as another caller, once no session has it locked. */
async function editMeanwhile(): Promise<void> {
  const path = 'row-table-action/orders/update_cells/3'
  await expect
    .poll(async () => (await work.post(path, { cells: { title: 'Theirs' } }, { as: colleague })).status)
    .toBe(200)
}

async function expectOneEffect(isUndo: boolean, refused: readonly ApiResponse[]): Promise<void> {
  const changes = await work.sql`
    select count(*)::int as rows from table_control.cell_changes where subject = ${north.sub} group by change`
  expect(changes).toHaveLength(isUndo ? 2 : 1)
  for (const { rows } of changes) expect([editedIds.length, editedIds.length - 1]).toContain(rows)
  const audit = (await work.audit()).filter(({ subject, action }) => subject === north.sub && action === 'update_cells')
  const expected = [...changes.map(() => 'succeeded'), ...refused.map(({ json }) => json.code)]
  expect(audit.map(({ outcome }) => outcome).toSorted()).toEqual(expected.toSorted())
}

const titles = { apply: 'applies a plan', import: 'applies an import', undo: 'undoes a change' } as const

/**
 * A kill before the change and one at its commit, each with a change by another caller before the request is repeated.
 */
const suiteSeeds = [10, 2]

for (const name of ['apply', 'import', 'undo'] as const) {
  const run = async (random: Random) => {
    const before = await readCells(work.sql)
    const request = await operations[name]()
    const release = await sendAndKill(random, request)
    // The first repetition may meet the session of the killed process.
    const [early] = random.chance(0.3) ? [repeat(request)] : []
    await release()
    const isChanged = early === undefined && random.chance(0.8)
    if (isChanged) await editMeanwhile()
    const { refused, done, last } = await (early ?? repeat(request))
    expect(isReplay(last)).toBe(true)
    expectReasons(done)
    await expectOneEffect(name === 'undo', refused)
    await expectAuditTellsRows(work.sql, before)
    // The request must not write over a change that it has not seen.
    if (isChanged) expect((await readCells(work.sql)).get('3')).toMatchObject({ title: 'Theirs' })
  }
  fault('F30', `the function is killed anywhere while it ${titles[name]}`, run, suiteSeeds)
}
