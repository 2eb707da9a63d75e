import { beforeEach, describe, expect, it } from 'vitest'
import { dataTablesEditorAjax } from '../../lib/client/adapters/data-tables-editor.ts'
import { TableError } from '../../lib/client/table-error.ts'
import { startEditingApi } from '../support/fixtures/editing-api.ts'
import type { GridRequest } from '../support/fixtures/grid-api.ts'

const { work, client, changes, others, paths } = await startEditingApi()
beforeEach(() => work.reset())

const structure = await client.loadTable('orders')

/** A row as a grid has it. */
const readRow = async (id: number): Promise<GridRequest> =>
  client.refetchRow('orders', id, { include: ['version', 'raw'] })

describe('an edit in DataTables Editor', () => {
  const submit = async (data: object, onOutcome?: (outcome: unknown) => void, action = 'edit') => {
    const rows = await Promise.all([1, 2, 3].map(readRow))
    return async (before = async () => {}) => {
      await before()
      return new Promise<GridRequest>((resolve) => {
        const ajax = dataTablesEditorAjax(changes, structure, {
          findRow: (id) => rows.find((row) => String(row.id) === id),
          ...(onOutcome !== undefined && { onOutcome }),
        })
        ajax('POST', null, { action, data } as GridRequest, resolve)
      })
    }
  }

  it('writes the values that differ, and returns the rows', async () => {
    const send = await submit({ 1: { id: 1, title: 'New', runs: '0', amount: '9.5' } })
    expect(await send()).toMatchObject({ data: [{ id: 1, title: 'New', amount: 9.5, _version: expect.any(String) }] })
    const several = await submit({ 2: { runs: '4' }, 3: { runs: '4' } })
    const asked = paths.length
    expect(await several()).toMatchObject({
      data: [
        { id: 2, runs: 4 },
        { id: 3, runs: 4 },
      ],
    })
    expect(paths.slice(asked)).toEqual(['row-bulk-table-action/orders/update_cells'])
  })

  it('returns a row in which nothing has changed, without a request', async () => {
    const send = await submit({ 2: { id: 2, title: 'Order 2' } })
    const asked = paths.length
    expect(await send()).toMatchObject({ data: [{ id: 2, title: 'Order 2' }] })
    expect(paths).toHaveLength(asked)
  })

  it('returns the faults of values at their fields', async () => {
    const send = await submit({ 1: { title: 'ORDER 2' } })
    expect(await send()).toEqual({ fieldErrors: [{ name: 'title', status: expect.stringContaining('another row') }] })
  })

  it('returns an error for a row that another caller has changed, and hands its state to the page', async () => {
    const outcomes: unknown[] = []
    const send = await submit({ 1: { title: 'Late' } }, (outcome) => outcomes.push(outcome))
    const refused = await send(async () => void (await others.updateCells('orders', 1, { runs: 5 })))
    expect(refused).toEqual({ error: expect.any(String) })
    expect(outcomes).toMatchObject([{ outcome: 'conflict', current: { runs: 5, _raw: { runs: 5 } } }])
  })

  it('returns the rows that were changed beside those that were not', async () => {
    const outcomes: unknown[] = []
    const send = await submit({ 1: { runs: 4 }, 2: { runs: 4 } }, (outcome) => outcomes.push(outcome))
    const change = async () => void (await others.updateCells('orders', 2, { title: 'Theirs' }))
    expect(await send(change)).toMatchObject({ data: [{ id: 1, runs: 4 }], cancelled: ['2'] })
    expect(outcomes).toMatchObject([{ outcome: 'partly', results: [{}, { code: 'row_version_conflict' }] }])
    const silent = await submit({ 1: { runs: 6 }, 2: { runs: 6 } })
    const notified = await silent(async () => void (await others.updateCells('orders', 2, { title: 'Again' })))
    expect(notified).toEqual({ error: '1 row done, 1 row not' })
  })

  it('returns the rows that were changed before the connection was lost, and hands the loss to the page', async () => {
    const rows = await Promise.all([1, 2].map(readRow))
    const lost = new TableError('unreachable', 'No response came')
    const cut: typeof changes = {
      ...changes,
      updateCells: (table, row, ...asked) =>
        Object(row).id === 2 ? Promise.reject(lost) : changes.updateCells(table, row, ...asked),
    }
    const outcomes: unknown[] = []
    const response = await new Promise<GridRequest>((resolve) => {
      const ajax = dataTablesEditorAjax(cut, structure, {
        findRow: (id) => rows.find((row) => String(row.id) === id),
        onOutcome: (outcome) => outcomes.push(outcome),
      })
      ajax('POST', null, { action: 'edit', data: { 1: { runs: 4 }, 2: { runs: 5 } } }, resolve)
    })
    expect(response).toMatchObject({ data: [{ id: 1, runs: 4 }], cancelled: ['2'] })
    expect(outcomes).toMatchObject([{ outcome: 'saved' }, { outcome: 'refused', code: 'unreachable', error: lost }])
  })

  it('refuses other actions and columns that cannot be edited', async () => {
    expect(await (await submit({ 0: { title: 'x' } }, undefined, 'create'))()).toEqual({
      error: expect.stringContaining('"create"'),
    })
    expect(await (await submit({ 1: { tenant: 'x' } }))()).toEqual({ error: expect.stringContaining('"tenant"') })
  })
})
