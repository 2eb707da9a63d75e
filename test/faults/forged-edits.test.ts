import { randomUUID } from 'node:crypto'
import { beforeEach, expect } from 'vitest'
import { colleague, manager, north, south } from '../support/fixtures/identities.ts'
import { editSheet, findCell, startImportApi } from '../support/fixtures/import-api.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import type { ApiResponse } from '../support/requests/api.ts'
import type { TestIdentity } from '../support/requests/identity-provider.ts'
import { expectAuditTellsRows, readCells } from './audited-cells.ts'
import { fault } from './fault.ts'
import type { Random } from './random.ts'

const work = await startImportApi()
recordLog()
beforeEach(() => work.reset())

const severalPath = 'row-bulk-table-action/orders/update_cells'
/** The same caller without the role that lets them edit tenants. */
const demoted = { ...manager, role: undefined }

const editTwo = (more: object, as: TestIdentity = north) =>
  work.post(severalPath, { selected_ids: [1, 2], cells: { title: 'Changed' }, ...more }, { as })
const editOne = (order: number, more: object, options: Parameters<typeof work.post>[2] = {}) =>
  work.post(`row-table-action/orders/update_cells/${order}`, { cells: { runs: 5 }, ...more }, options)
const applyPlan = (id: unknown, as: TestIdentity = north) => work.post(severalPath, { plan_id: id }, { as })
const createPlan = async () => (await editTwo({ plan: true })).json.plan.id
const createUndo = async (more: object = {}, as: TestIdentity = north) =>
  (await editTwo(more, as)).json.undo.url.replace(/^.*control-tables\//, '')
const readVersion = async (order: number): Promise<string> =>
  (await work.post(`row-refetch/orders/${order}`, { include: ['version'] })).json.data.row._version

const createFile = async (header: string, value: (old: string) => string, as: TestIdentity = north) =>
  editSheet(await work.exportRows({}, { as }), (sheet) => {
    const cell = findCell(sheet, header, 2)
    cell.value = value(String(cell.value))
  })
const planTitle = async () => work.send(await createFile('Title', () => 'Changed'))

/** Another character in the place of one of the first ones. */
function forge(random: Random, text: string, length = text.length - 1): string {
  const place = random.int(0, length - 1)
  return text.slice(0, place) + (text[place] === 'A' ? 'B' : 'A') + text.slice(place + 1)
}

/** Prepares a request that must change nothing. Returns how it is sent, and the code with which it is refused. */
type Attempt = (random: Random) => Promise<readonly [send: () => Promise<ApiResponse>, code: string]>

const others = [colleague, south, manager]

const plans: Readonly<Record<string, Attempt>> = {
  'the plan of another caller': async (random) => {
    const id = await createPlan()
    return [() => applyPlan(id, random.pick(others)), 'plan_not_found']
  },
  'a plan that is made up': async () => [() => applyPlan(randomUUID()), 'plan_not_found'],
  'a plan that is no id': async (random) => [() => applyPlan(random.pick(['x', 1, {}, []])), 'validation_failed'],
  'a plan that is late': async () => {
    const id = await createPlan()
    await work.sql`update table_control.plans set expires_at = now() where id = ${id}`
    return [() => applyPlan(id), 'plan_expired']
  },
  'a plan of rows that have changed': async () => {
    const id = await createPlan()
    // Another version with the same values.
    await work.sql`update orders set title = title where id in (1, 2)`
    return [() => applyPlan(id), 'plan_outdated']
  },
  'a plan after the permission was revoked': async () => {
    const { json } = await editTwo({ cells: { tenant: 'south' }, plan: true }, manager)
    return [() => applyPlan(json.plan.id, demoted), 'validation_failed']
  },
  'the plan of an import as that of an action': async () => {
    const { json } = await planTitle()
    return [() => applyPlan(json.plan.id), 'plan_not_found']
  },
}

const imports: Readonly<Record<string, Attempt>> = {
  'the plan of an action as that of an import': async () => {
    const { json } = await planTitle()
    const id = await createPlan()
    return [() => work.post(`imports/orders/${json.import.id}`, { plan_id: id }), 'plan_not_found']
  },
  'the import of another caller': async (random) => {
    const sent = await planTitle()
    return [() => work.apply(sent, { as: random.pick(others) }), 'import_not_found']
  },
  'an import that is late': async () => {
    const sent = await planTitle()
    await work.sql`update table_control.imports set expires_at = now()`
    return [() => work.apply(sent), 'import_not_found']
  },
  'an import after the permission was revoked': async () => {
    const sent = await work.send(await createFile('Tenant', () => 'south', manager), { as: manager })
    return [() => work.apply(sent, { as: demoted }), 'not_editable']
  },
  'a workbook of another caller': async () => {
    const file = await createFile('Title', () => 'Changed', colleague)
    return [() => work.send(file), 'import_refused']
  },
  'a workbook with a forged row': async (random) => {
    const file = await createFile('table_control', (token) => forge(random, token))
    return [() => work.send(file), 'forged_token']
  },
  'a workbook with the row of another one': async () => {
    let foreign = ''
    await editSheet(await work.exportRows({ columns: ['title'] }), (sheet) => {
      foreign = String(findCell(sheet, 'table_control', 2).value)
    })
    const file = await createFile('table_control', () => foreign)
    return [() => work.send(file), 'foreign_token']
  },
}

const undos: Readonly<Record<string, Attempt>> = {
  'the undo of another caller': async (random) => {
    const path = await createUndo()
    return [() => work.post(path, {}, { as: random.pick(others) }), 'undo_not_found']
  },
  'an undo that is late': async () => {
    const path = await createUndo()
    await work.sql`update table_control.undos set expires_at = now()`
    return [() => work.post(path, {}), 'undo_expired']
  },
  'an undo that is made up': async () => [() => work.post(`undo/orders/${randomUUID()}`, {}), 'undo_not_found'],
  'an undo after the permission was revoked': async () => {
    const path = await createUndo({ cells: { tenant: 'south' } }, manager)
    return [() => work.post(path, {}, { as: demoted }), 'row_not_found']
  },
  'an undo of rows that were changed again': async () => {
    const path = await createUndo()
    await work.post(severalPath, { selected_ids: [1, 2], cells: { title: 'Again' } }, { as: colleague })
    return [() => work.post(path, {}), 'undo_conflict']
  },
}

const rows: Readonly<Record<string, Attempt>> = {
  'a forged version': async (random) => {
    // The rest of a version only tells which cells have changed.
    const version = forge(random, await readVersion(3), 22)
    return [() => editOne(3, { expected_version: version }), 'row_version_conflict']
  },
  'the version of another row': async () => {
    const version = await readVersion(4)
    return [() => editOne(3, { expected_version: version }), 'row_version_conflict']
  },
  'a stale version': async (random) => {
    const version = await readVersion(3)
    await work.sql`update orders set title = title where id = 3`
    const isHeader = random.chance(0.5)
    const send = () =>
      isHeader ? editOne(3, {}, { headers: { 'if-match': `"${version}"` } }) : editOne(3, { expected_version: version })
    return [send, 'row_version_conflict']
  },
  'the key of a row outside the scope': async (random) => [() => editOne(random.int(13, 16), {}), 'row_not_found'],
  'the key of no row': async (random) => [() => editOne(random.int(17, 99_999), {}), 'row_not_found'],
  'a token that is altered': async (random) => {
    const token = forge(random, work.provider.tokenFor(north))
    return [() => editOne(3, {}, { as: token }), 'unauthenticated']
  },
}

const attempts = { ...plans, ...imports, ...undos, ...rows }

/** The refusal of a request, of a file, or of the first row or cell. */
const findRefusal = ({ json }: ApiResponse) =>
  [json, json.import, json.results?.[0], json.plan?.cells?.[0]].find((one) => one?.errors !== undefined)

const readState = async () => [
  [...(await work.sql`select * from orders order by id`)],
  [...(await work.sql`select * from table_control.cell_changes order by id`)],
]

fault(
  'F29',
  'requests name forged, stale and foreign plans, undos, workbooks, versions, keys and tokens',
  async (random) => {
    for (const [name, prepare] of random.shuffle(Object.entries(attempts)).slice(0, 8)) {
      await work.reset()
      const before = await readCells(work.sql)
      const [send, code] = await prepare(random)
      const state = await readState()
      const refusal = findRefusal(await send())
      expect([name, refusal?.code, refusal?.errors]).toEqual([
        name,
        code,
        [expect.stringMatching(/\w/), expect.stringMatching(/[\u0600-\u06ff]/)],
      ])
      expect(await readState()).toEqual(state)
      await expectAuditTellsRows(work.sql, before)
    }
  },
)
