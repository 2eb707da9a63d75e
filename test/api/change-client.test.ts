import { beforeEach, describe, expect, it } from 'vitest'
import { createChangeClient } from '../../lib/client/changes.ts'
import { createTableClient } from '../../lib/client/index.ts'
import { editingRegistry } from '../support/fixtures/edited-orders.ts'
import { publicUrl } from '../support/fixtures/fixture-api.ts'
import { colleague, north } from '../support/fixtures/identities.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import { createApiFetch } from '../support/requests/api-fetch.ts'
import type { TestIdentity } from '../support/requests/identity-provider.ts'
import { createFailure } from '../support/requests/table-clients.ts'

const work = await startWorkApi()
const api = work.variant({}, editingRegistry)
await work.sql.unsafe('create unique index orders_title on orders (lower(title))')
beforeEach(() => work.reset())

const fetch = createApiFetch(api)
const paths: string[] = []

const createOptions = (caller: TestIdentity) => ({
  baseUrl: publicUrl,
  token: () => work.provider.tokenFor(caller),
  fetch: (input: Parameters<typeof fetch>[0], init?: RequestInit) => {
    paths.push(String(input).split('/control-tables/')[1] ?? '')
    return fetch(input, init)
  },
})
const client = createTableClient<typeof editingRegistry>(createOptions(north))
const changes = createChangeClient<typeof editingRegistry>(createOptions(north))
const others = createChangeClient<typeof editingRegistry>(createOptions(colleague))

const readOrder = (id: number) => client.refetchRow('orders', id, { include: ['version'] })

type OutcomeNamed<O, Name> = O extends { readonly outcome: infer Own } ? (Name extends Own ? O : never) : never

/** The outcome of a change, which must be this one. */
function expectOutcome<O extends { readonly outcome: string }, Name extends O['outcome']>(
  outcome: O,
  name: Name,
): OutcomeNamed<O, Name> {
  expect(outcome).toMatchObject({ outcome: name })
  return outcome as OutcomeNamed<O, Name>
}

describe('updateCells of the client of changes', () => {
  it('writes cells of a row and returns it, again with its version', async () => {
    const { row, undo } = expectOutcome(
      await changes.updateCells('orders', 1, { title: 'First', amount: '12.5' }),
      'saved',
    )
    expect(row).toMatchObject({ id: 1, title: 'First', amount: 12.5 })
    expect([row?._version, undo?.url]).toEqual([undefined, expect.stringContaining('/undo/orders/')])
    const again = expectOutcome(await changes.updateCells('orders', await readOrder(1), { runs: 2 }), 'saved')
    const third = await changes.updateCells('orders', again.row ?? 0, { runs: 3 }, { include: ['version', 'raw'] })
    expect(expectOutcome(third, 'saved').row).toMatchObject({ runs: 3, _raw: { amount: 12.5 } })
  })

  it('leaves a row alone that has changed since, and returns it with the cells that differ', async () => {
    const seen = await readOrder(2)
    await others.updateCells('orders', 2, { runs: 5 })
    const { current, changed } = expectOutcome(await changes.updateCells('orders', seen, { title: 'Late' }), 'conflict')
    expect(current).toMatchObject({ id: 2, title: 'Order 2', runs: 5 })
    expect(changed).toEqual([{ field: 'runs', label: 'Runs', now: 5 }])
    const solved = await changes.updateCells('orders', current, { title: 'Late' })
    expect(expectOutcome(solved, 'saved').row).toMatchObject({ title: 'Late', runs: 5 })
  })

  it('returns the faults of values by their columns', async () => {
    const wrong = expectOutcome(await changes.updateCells('orders', 1, { runs: 1.5 }), 'refused')
    expect([wrong.code, wrong.fields.runs]).toEqual(['validation_failed', [expect.stringContaining('whole')]])
    const taken = expectOutcome(await changes.updateCells('orders', 1, { title: 'ORDER 2' }), 'refused')
    expect([taken.code, Object.keys(taken.fields)]).toEqual(['conflicting_data', ['title']])
    expect(expectOutcome(await changes.updateCells('orders', 13, { runs: 1 }), 'refused').code).toBe('row_not_found')
  })

  it('returns no row where the change has taken it out of the scope', async () => {
    const { row } = expectOutcome(
      await changes.updateCells('orders', await readOrder(1), { state: 'archived' }),
      'saved',
    )
    expect(row).toBeUndefined()
  })

  it('returns a row with the parts that were asked for, and its effects on the page, by one request', async () => {
    const seen = await readOrder(1)
    const asked = paths.length
    const raw = { include: ['version', 'raw'], page: { filters: [{ field: 'state', value: 'open' }] } } as const
    const stays = expectOutcome(await changes.updateCells('orders', seen, { amount: '7' }, raw), 'saved')
    expect(stays.row).toMatchObject({ amount: 7, _raw: { amount: 7 }, _version: expect.any(String) })
    expect(stays.effects).toEqual({ rows: [stays.row], removed: [], refetch: ['aggregates', 'facets'] })
    expect(paths.slice(asked)).toEqual(['row-table-action/orders/update_cells/1'])
    const without = expectOutcome(await changes.updateCells('orders', 1, { runs: 1 }), 'saved')
    expect(without.effects).toBeUndefined()
  })

  it('returns a row that has left the page, which its effects name as removed', async () => {
    const page = { filters: [{ field: 'state', value: 'open' }] } as const
    const seen = await readOrder(1)
    const { row, effects } = expectOutcome(
      await changes.updateCells('orders', seen, { state: 'done' }, { page }),
      'saved',
    )
    expect(effects).toMatchObject({ rows: [], removed: [1] })
    expect(row).toMatchObject({ id: 1, state: 'done', _version: expect.any(String) })
    const again = await changes.updateCells('orders', row ?? 0, { state: 'open' }, { page })
    expect(expectOutcome(again, 'saved').effects).toMatchObject({ rows: [{ id: 1, state: 'open' }], removed: [] })
  })

  it('changes nothing for a page that cannot be shown', async () => {
    const page = { filters: [{ field: 'runs', operator: 'like', value: '1' }] } as const
    expectOutcome(await changes.updateCells('orders', 1, { runs: 9 }, { page }), 'refused')
    expect(await work.runs(1)).toEqual([0])
  })

  it('rejects with an error that is not a refusal of the change', async () => {
    const failingFetch = () => Promise.reject(new TypeError('the line was cut'))
    const cut = createChangeClient({ ...createOptions(north), fetch: failingFetch, maxAttempts: 1 })
    expect(await createFailure(cut.updateCells('orders', 1, { runs: 1 }))).toMatchObject({ code: 'unreachable' })
    const strange = createChangeClient(createOptions(north)).updateCells('nothing', 1, { runs: 1 })
    expect(await createFailure(strange)).toMatchObject({ status: 404, code: 'table_not_found' })
  })
})

describe('updateRows of the client of changes', () => {
  it('writes cells of several rows, and returns the outcome of each', async () => {
    const rows = [await readOrder(1), await readOrder(2), 999]
    await others.updateCells('orders', 2, { runs: 5 })
    const changed = expectOutcome(await changes.updateRows('orders', rows, { flagged: true }), 'partly')
    expect(changed.counts).toEqual({ succeeded: 1, failed: 2 })
    expect(changed.items).toMatchObject([{ id: 1, flagged: true, _version: expect.any(String) }])
    expect(changed.results).toMatchObject([
      { id: 1, success: true },
      { id: 2, success: false, code: 'row_version_conflict', current: { runs: 5 }, changed: [{ field: 'runs' }] },
      { id: 999, success: false, code: 'row_not_found' },
    ])
    expectOutcome(await changes.updateRows('orders', [3, 4], { flagged: true }), 'done')
  })

  it('returns their effects on the page, and the rows with their versions, by one request', async () => {
    const rows = [await readOrder(1), await readOrder(2)]
    const asked = paths.length
    const page = { columns: ['id', 'runs'] } as const
    const { items, effects } = expectOutcome(await changes.updateRows('orders', rows, { runs: 3 }, { page }), 'done')
    expect(items).toEqual([1, 2].map((id) => ({ id, runs: 3, _version: expect.any(String) })))
    expect(effects).toMatchObject({ rows: items, removed: [] })
    expect(paths.slice(asked)).toEqual(['row-bulk-table-action/orders/update_cells'])
    const open = { filters: [{ field: 'state', value: 'open' }] } as const
    const left = expectOutcome(await changes.updateRows('orders', items, { state: 'done' }, { page: open }), 'done')
    expect(left.effects?.removed).toEqual([1, 2])
    expect(left.items).toMatchObject([1, 2].map((id) => ({ id, state: 'done', _version: expect.any(String) })))
  })

  it('returns the refusal of all rows, and of values that no row takes', async () => {
    const missing = expectOutcome(await changes.updateRows('orders', [998, 999], { runs: 1 }), 'refused')
    expect([missing.code, missing.results.map(({ id }) => id)]).toEqual(['row_not_found', [998, 999]])
    const wrong = expectOutcome(await changes.updateRows('orders', [1], { runs: 1.5 }), 'refused')
    expect([wrong.results, Object.keys(wrong.fields)]).toEqual([[], ['runs']])
  })
})

describe('plans of the client of changes', () => {
  it('show what an edit would do, and are applied to the rows that have not changed since', async () => {
    const { plan } = expectOutcome(await changes.planCells('orders', [1, 2], { runs: 4 }), 'planned')
    expect(plan).toMatchObject({
      rows: 2,
      applicable: 2,
      sample: [{ id: 1, before: { runs: 0, row: { path_id: '1' } }, after: { runs: 4 } }, {}],
    })
    await others.updateCells('orders', 2, { title: 'Theirs' })
    const applied = expectOutcome(await changes.apply(plan), 'partly')
    expect(applied.results).toMatchObject([{ success: true }, { id: 2, code: 'plan_outdated' }])
    expect(expectOutcome(await changes.apply(plan), 'partly').replayed).toBe(true)
    expect(await work.runs(1, 2)).toEqual([4, 0])
    const { plan: next } = expectOutcome(await changes.planCells('orders', [1], { runs: 5 }), 'planned')
    const shown = { include: ['version'], page: { columns: ['id', 'runs'] } } as const
    const { items, effects } = expectOutcome(await changes.apply(next, shown), 'done')
    expect(items).toEqual([{ id: 1, runs: 5, _version: expect.any(String) }])
    expect(effects?.rows).toEqual(items)
  })

  it('are made of any action on rows, and refused as changes are', async () => {
    const { plan } = expectOutcome(await changes.planAction('orders', 'shelve', [1, 999]), 'planned')
    expect(plan).toMatchObject({ applicable: 1, refused: [{ code: 'row_not_found' }] })
    expectOutcome(await changes.apply(plan), 'done')
    expect(expectOutcome(await changes.planCells('orders', [1], { runs: 1.5 }), 'refused').fields.runs).toHaveLength(1)
    const strange = { ...plan, id: '00000000-0000-4000-8000-000000000000' }
    expect(expectOutcome(await changes.apply(strange), 'refused').code).toBe('plan_not_found')
  })
})

describe('undo of the client of changes', () => {
  it('takes a change back, and that back again', async () => {
    const { undo } = expectOutcome(await changes.updateCells('orders', 1, { runs: 7 }), 'saved')
    if (undo === undefined) expect.unreachable('the change has no undo')
    const undone = expectOutcome(await changes.undo(undo), 'done')
    expect(undone.items[0]?.runs).toBe(0)
    expect(expectOutcome(await changes.undo(undo), 'refused').code).toBe('already_undone')
    if (undone.undo === undefined) expect.unreachable('the undo has no undo')
    expectOutcome(await changes.undo(undone.undo), 'done')
    expect(await work.runs(1)).toEqual([7])
  })

  it('returns the rows with their versions, and its effects on the page', async () => {
    const { undo } = expectOutcome(await changes.updateRows('orders', [1, 9], { runs: 7 }), 'done')
    if (undo === undefined) expect.unreachable('the change has no undo')
    const page = { filters: [{ field: 'state', value: 'open' }] } as const
    const { items, effects } = expectOutcome(await changes.undo(undo, { include: ['version'], page }), 'done')
    expect(effects).toMatchObject({ rows: [{ id: 1, runs: 0 }], removed: [9] })
    expect(items).toMatchObject([{ id: 1, _version: expect.any(String) }, { id: 9 }])
    expectOutcome(await changes.updateCells('orders', items[0] ?? 0, { runs: 1 }), 'saved')
  })

  it('returns undo_conflict for each row that was changed again', async () => {
    const { undo } = expectOutcome(await changes.updateRows('orders', [1, 2], { runs: 7 }), 'done')
    await others.updateCells('orders', 2, { runs: 8 })
    if (undo === undefined) expect.unreachable('the change has no undo')
    const { results } = expectOutcome(await changes.undo(undo), 'partly')
    expect(results).toMatchObject([
      { id: 1, success: true },
      { id: 2, success: false, code: 'undo_conflict' },
    ])
    const alone = expectOutcome(await changes.updateCells('orders', 3, { runs: 7 }), 'saved')
    await others.updateCells('orders', 3, { runs: 8 })
    if (alone.undo === undefined) expect.unreachable('the change has no undo')
    const refused = expectOutcome(await changes.undo(alone.undo), 'refused')
    expect([refused.code, refused.results]).toMatchObject(['undo_conflict', [{ id: 3, code: 'undo_conflict' }]])
  })
})

describe('readHistory of the client of changes', () => {
  it('reads who has changed which cells, in pages', async () => {
    await changes.updateCells('orders', 1, { runs: 7 })
    await others.updateCells('orders', 1, { title: 'Theirs' })
    const first = await changes.readHistory('orders', 1, { limit: 1 })
    expect(first.changes).toMatchObject([
      { by: 'noel', own: false, cells: [{ field: 'title', after: { value: 'Theirs' } }] },
    ])
    const { changes: rest, next } = await changes.readHistory('orders', 1, { before: first.next ?? '' })
    expect([rest.map(({ own }) => own), next]).toEqual([[true], null])
    expect(await createFailure(changes.readHistory('orders', 13))).toMatchObject({ code: 'row_not_found' })
  })
})
