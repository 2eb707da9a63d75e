import { beforeEach, expect, inject } from 'vitest'
import { editSheet, findCell, startImportApi } from '../support/fixtures/import-api.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import type { Api, ApiResponse } from '../support/requests/api.ts'
import type { TestIdentity } from '../support/requests/identity-provider.ts'
import { expectAuditTellsRows, readCells } from './audited-cells.ts'
import { fault } from './fault.ts'
import type { Random } from './random.ts'

const work = await startImportApi(undefined, { DATABASE_CONNECTIONS: '4', REQUEST_DEADLINE_MS: '25000' })
const functions = Array.from({ length: 6 }, () => work.variant({}))

recordLog()
beforeEach(() => work.reset())

const orders = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
const severalPath = 'row-bulk-table-action/orders/update_cells'
const onePath = (order: number) => `row-table-action/orders/update_cells/${order}`
const undoPath = (url: string) => url.replace(/^.*control-tables\//, '')

const reasons = [
  'row_version_conflict',
  'row_busy',
  'plan_outdated',
  'undo_conflict',
  'already_undone',
  'undo_not_found',
  'plan_not_found',
  'idempotency_in_progress',
]

/** Sends a request again for which a busy machine has no connection in time: it has done nothing then. */
async function post(service: Api, ...request: Parameters<Api['post']>): Promise<ApiResponse> {
  const response = await service.post(...request)
  return response.json.code === 'unavailable' ? post(service, ...request) : response
}

/** One of the many who work on the same rows. */
interface Caller {
  readonly identity: TestIdentity
  /** Sends a request to any of the functions and keeps its response. */
  readonly send: (path: string, body: object, headers?: Readonly<Record<string, string>>) => Promise<ApiResponse>
  readonly responses: ApiResponse[]
}

/** How often the callers were told that they had added one to the runs of an order. */
type Counts = Map<number, number>

function createCaller(random: Random, identity: TestIdentity): Caller {
  const responses: ApiResponse[] = []
  const own: readonly Api[] = [random.pick(functions), random.pick(functions)]
  let turn = 0
  return {
    identity,
    responses,
    send: async (path, body, headers = {}) => {
      turn += 1
      const service = own[turn % own.length] ?? work
      const response = await post(service, path, body, { as: identity, headers })
      responses.push(response)
      return response
    },
  }
}

/** Reads a row, adds one, and writes it with the version that was read, until no other caller was faster. */
async function addOne({ identity, send }: Caller, order: number, counts: Counts): Promise<void> {
  for (let attempts = 0; attempts < 5; attempts++) {
    const read = await post(work, `row-refetch/orders/${order}`, { include: ['version', 'raw'] }, { as: identity })
    const { _version, _raw } = read.json.data.row
    const { status } = await send(onePath(order), { cells: { runs: _raw.runs + 1 }, expected_version: _version })
    if (status !== 200) continue
    counts.set(order, (counts.get(order) ?? 0) + 1)
    return
  }
}

async function applyPlan({ send }: Caller, ids: readonly number[], cells: object): Promise<void> {
  const { json } = await send(severalPath, { selected_ids: ids, cells, plan: true })
  if (json.plan === undefined) return
  const both = await Promise.all([0, 1].map(() => send(severalPath, { plan_id: json.plan.id })))
  expectOneEffect(both)
}

async function undo({ send }: Caller, stranger: Caller, ids: readonly number[], cells: object): Promise<void> {
  const { json } = await send(severalPath, { selected_ids: ids, cells })
  if (json.undo === undefined) return
  const path = undoPath(json.undo.url)
  expect((await stranger.send(path, {})).json.code).toBe('undo_not_found')
  const both = await Promise.all([send(path, {}), send(path, {})])
  expectOneEffect(both)
}

async function sendTwice({ send }: Caller, order: number, cells: object, key: string): Promise<void> {
  const both = await Promise.all([0, 1].map(() => send(onePath(order), { cells }, { 'idempotency-key': key })))
  expectOneEffect(both)
}

const isReplay = ({ headers, json }: ApiResponse) =>
  headers['idempotency-replayed'] === 'true' || json.replayed === true
/** Whether a response is the first that tells of a change. */
const isFirst = (response: ApiResponse) =>
  response.status === 200 && !isReplay(response) && response.json.plan === undefined

/** Asserts that of two requests for one change at most one has made it, and that the other one was told so. */
function expectOneEffect(both: readonly ApiResponse[]): void {
  const others = both.filter((response) => !isFirst(response))
  expect(others).not.toHaveLength(0)
  if (others.length === both.length) return
  // An undo may be refused before the change that is in its way is undone itself.
  const refusals = ['already_undone', 'undo_conflict', 'row_busy', 'idempotency_in_progress']
  for (const response of others) if (!isReplay(response)) expect(refusals).toContain(response.json.code)
}

type Step = (caller: Caller, stranger: Caller, counts: Counts) => Promise<void>

function drawStep(random: Random, name: string): Step {
  const order = random.pick(orders)
  const ids = random.shuffle(orders).slice(0, random.int(1, 4))
  const cells = random.pick<object>([
    { title: name },
    { title: name, flagged: random.chance(0.5) },
    { amount: `${random.int(1, 999)}.25` },
    { assignee: name },
  ])
  return random.pick<Step>([
    (caller, _, counts) => addOne(caller, order, counts),
    (caller) => applyPlan(caller, ids, cells),
    (caller, stranger) => undo(caller, stranger, ids, cells),
    (caller) => sendTwice(caller, order, cells, name),
  ])
}

/** Plans an import that changes the title of each order. */
async function planImport({ identity: as }: Caller): Promise<readonly [path: string, body: object]> {
  const file = await editSheet(await work.exportRows({}, { as }), (sheet) => {
    for (const order of orders) findCell(sheet, 'Title', order + 1).value = `Imported ${order}`
  })
  const { json } = await work.send(file, { as })
  return [`imports/orders/${json.import.id}`, { plan_id: json.plan.id }]
}

async function applyImport({ send }: Caller, [path, body]: readonly [path: string, body: object]): Promise<void> {
  const both = await Promise.all([send(path, body), send(path, body)])
  expectOneEffect(both)
}

/** Asserts that a refusal, and each row that was left alone, says why in both languages. */
function expectReasons({ status, json }: ApiResponse): void {
  if (status !== 200) expect([status, reasons]).toEqual([expect.any(Number), expect.arrayContaining([json.code])])
  const refused = [
    ...(status === 200 ? [] : [json]),
    ...(json.results ?? []).filter(({ success }: { success: boolean }) => !success),
  ]
  for (const { code, errors } of refused)
    expect([code, errors]).toEqual([
      expect.any(String),
      [expect.stringMatching(/\w/), expect.stringMatching(/[\u0600-\u06ff]/)],
    ])
}

fault('F26', 'many callers edit, plan, apply, import and undo on the same rows at once', async (random) => {
  const before = await readCells(work.sql)
  const counts: Counts = new Map()
  const callers = Array.from({ length: inject('faultCallers') }, (_, number) =>
    createCaller(random, { sub: `caller-${number}`, tenant: 'north' }),
  )
  const importer = createCaller(random, { sub: 'importer', tenant: 'north' })
  const planned = await planImport(importer)
  const begun = callers.map((caller, number) => {
    const stranger = callers[(number + 1) % callers.length] ?? caller
    return { caller, stranger, step: drawStep(random, `caller ${number}`) }
  })
  const importAt = random.int(0, begun.length - 1)
  const outcomes = await Promise.allSettled(
    begun.flatMap(({ caller, stranger, step }, number) => [
      step(caller, stranger, counts),
      ...(number === importAt ? [applyImport(importer, planned)] : []),
    ]),
  )
  // Only now, because a caller that still works would change the rows of the next seed.
  await Promise.all(
    outcomes.map((outcome) => (outcome.status === 'rejected' ? Promise.reject(outcome.reason) : undefined)),
  )
  const everyone = [...callers, importer]
  for (const { responses } of everyone) for (const response of responses) expectReasons(response)
  await expectAuditTellsRows(work.sql, before)
  const runs = orders.map((order) => [order, counts.get(order) ?? 0])
  expect(await work.sql`select id, runs from orders where id <= 12 order by id`).toEqual(
    runs.map(([id, count]) => ({ id, runs: count })),
  )
  const audit = (await work.audit()).filter(({ action }) => action === 'update_cells')
  for (const { identity, responses } of everyone) {
    const own = audit.filter(({ subject }) => subject === identity.sub).map(({ outcome }) => String(outcome))
    const firsts = responses.filter(isFirst).map(() => 'succeeded')
    // The undo of another caller is no action of this caller.
    const refused = responses.filter(({ status, json }) => status !== 200 && json.code !== 'undo_not_found')
    expect(own.toSorted()).toEqual([...firsts, ...refused.map(({ json }) => json.code)].toSorted())
  }
})
