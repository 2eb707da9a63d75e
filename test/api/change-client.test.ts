import { afterAll, beforeEach, describe, expect, it } from 'vitest'
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
afterAll(() => work.stop())
beforeEach(() => work.reset())

const createOptions = (caller: TestIdentity) => ({
  baseUrl: publicUrl,
  token: () => work.provider.tokenFor(caller),
  fetch: createApiFetch(api),
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

  it('rejects with what is no refusal of the change', async () => {
    const fetch = () => Promise.reject(new TypeError('the line was cut'))
    const cut = createChangeClient({ ...createOptions(north), fetch, maxAttempts: 1 })
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
      sample: [{ id: 1, before: { runs: 0 }, after: { runs: 4 } }, {}],
    })
    await others.updateCells('orders', 2, { title: 'Theirs' })
    const applied = expectOutcome(await changes.apply(plan), 'partly')
    expect(applied.results).toMatchObject([{ success: true }, { id: 2, code: 'plan_outdated' }])
    expect(expectOutcome(await changes.apply(plan), 'partly').replayed).toBe(true)
    expect(await work.runs(1, 2)).toEqual([4, 0])
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
