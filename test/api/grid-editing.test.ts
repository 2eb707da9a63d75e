import { beforeEach, describe, expect, it } from 'vitest'
import { agGridEditing } from '../../lib/client/adapters/ag-grid-editing.ts'
import { muiEditing } from '../../lib/client/adapters/mui-editing.ts'
import type { CellsOutcome } from '../../lib/client/changes.ts'
import { TableError } from '../../lib/client/table-error.ts'
import type { AnyTable } from '../../lib/client/table-types.ts'
import { startEditingApi } from '../support/fixtures/editing-api.ts'
import type { GridRequest } from '../support/fixtures/grid-api.ts'
import { createFailure } from '../support/requests/table-clients.ts'

const { work, client, changes, others, paths } = await startEditingApi()
beforeEach(() => work.reset())

const structure = await client.loadTable('orders')

/** A row as a grid has it. */
const readRow = async (id: number): Promise<GridRequest> =>
  client.refetchRow('orders', id, { include: ['version', 'raw'] })

const readOrder = async (id: number) => (await work.sql`select * from orders where id = ${id}`)[0]

describe('an edit in MUI X', () => {
  const { isCellEditable, onCellEditStart, processRowUpdate, updateRow } = muiEditing(changes, structure)

  it('writes the cells that differ, as their columns take them, and returns the row with its parts', async () => {
    const before = await readRow(1)
    const due = new Date('2026-03-01T07:30:00Z')
    const asked = paths.length
    const row = await processRowUpdate({ ...before, title: 'New', amount: 12.5, assignee: '', due }, before)
    expect(row).toMatchObject({ id: 1, title: 'New', _raw: { amount: 12.5 }, _version: expect.any(String) })
    expect(paths.slice(asked)).toEqual(['row-table-action/orders/update_cells/1'])
    expect(await readOrder(1)).toMatchObject({ title: 'New', amount: '12.50', assignee: null, due })
    const again = await updateRow({ rowId: 1, updatedRow: { ...row, runs: '7' }, previousRow: row })
    expect(again).toMatchObject({ runs: 7 })
  })

  it('takes a text of spaces in a column of numbers for an empty value', async () => {
    const before = await readRow(1)
    const row = await processRowUpdate({ ...before, runs: ' 7 ' }, before)
    expect(row).toMatchObject({ runs: 7 })
    const error = await createFailure(processRowUpdate({ ...row, runs: ' ' } as never, row as never))
    expect(error.fields).toHaveProperty(['cells.runs'])
    expect(await readOrder(1)).toMatchObject({ runs: 7 })
  })

  it('leaves the spaces of a text in a column of no single type', async () => {
    const sent: unknown[] = []
    const save = async (...asked: readonly unknown[]) => {
      sent.push(asked[2])
      return { outcome: 'saved' }
    }
    const columns = [{ data_src: 'size', editable: { enum: [' M ', ' L '] } }]
    const own = muiEditing({ ...changes, updateCells: save }, { tableName: 'orders', columns })
    const before = await readRow(1)
    await own.processRowUpdate({ ...before, size: ' L ' }, { ...before, size: ' M ' })
    expect(sent).toEqual([{ size: ' L ' }])
  })

  it('sends nothing for a row that is as it was', async () => {
    const before = await readRow(1)
    const asked = paths.length
    expect(await processRowUpdate({ ...before }, before)).toBe(before)
    expect(paths).toHaveLength(asked)
  })

  it('rejects with the current row if another caller has changed it', async () => {
    const before = await readRow(1)
    await others.updateCells('orders', 1, { runs: 5 })
    const error = await createFailure(processRowUpdate({ ...before, title: 'Late' }, before))
    expect(error).toMatchObject({ code: 'row_version_conflict', response: { current: { runs: 5 } } })
    expect(await readOrder(1)).toMatchObject({ title: 'Order 1' })
  })

  it('rejects with the faults of values, and refuses columns that cannot be edited without a request', async () => {
    expect(['title', 'id', 'tenant'].map((field) => isCellEditable({ field }))).toEqual([true, false, false])
    const before = await readRow(1)
    const wrong = await createFailure(processRowUpdate({ ...before, title: 'ORDER 2' }, before))
    expect([wrong.code, Object.keys(wrong.fields)]).toEqual(['conflicting_data', ['cells.title']])
    const asked = paths.length
    expect(await createFailure(processRowUpdate({ ...before, tenant: 'south' }, before))).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('"tenant"'),
    })
    expect(paths).toHaveLength(asked)
  })

  it('waits for the edit of the row before it, and is one of the row that this has left', async () => {
    const before = await readRow(1)
    const edits = [{ title: 'New' }, { runs: 3 }].map((cells) => processRowUpdate({ ...before, ...cells }, before))
    const rows = await Promise.all(edits)
    expect(rows).toMatchObject([{ title: 'New' }, { title: 'New', runs: 3 }])
    const again = await processRowUpdate({ ...before, amount: 9.5 }, before)
    expect(again).toMatchObject({ title: 'New', runs: 3, amount: 9.5 })
  })

  it('is a conflict if the edit before it was one', async () => {
    const before = await readRow(1)
    await others.updateCells('orders', 1, { runs: 5 })
    const late = [{ title: 'Late' }, { runs: 3 }].map((cells) => processRowUpdate({ ...before, ...cells }, before))
    for (const error of await Promise.all(late.map(createFailure))) expect(error.code).toBe('row_version_conflict')
    expect(await readOrder(1)).toMatchObject({ title: 'Order 1', runs: 5 })
  })

  it('is one of the row that its user has seen when the cell was opened, until a conflict has shown the row', async () => {
    const seen = await readRow(1)
    for (const field of ['title', 'runs']) onCellEditStart({ id: 1, field, row: seen })
    await others.updateCells('orders', 1, { runs: 5 })
    const late = await createFailure(processRowUpdate({ ...seen, title: 'Late' }, seen))
    const { current } = late.response as GridRequest
    const edit = (cells: object) => processRowUpdate({ ...current, ...cells }, current)
    expect(await createFailure(edit({ runs: 4 }))).toMatchObject({ code: 'row_version_conflict' })
    expect(await edit({ title: 'Later' })).toMatchObject({ title: 'Later', runs: 5 })
    expect(await edit({ runs: 4 })).toMatchObject({ title: 'Later', runs: 4 })
  })

  it('removes a row that has left the table', async () => {
    const before = await readRow(1)
    expect(await processRowUpdate({ ...before, state: 'archived' }, before)).toEqual({ id: 1, _action: 'delete' })
  })
})

describe('an edit in AG Grid', () => {
  /** A row of the grid, and the edits of its cells. */
  async function openRow(id: number, rowModelType = 'serverSide', used = changes) {
    const outcomes: CellsOutcome<AnyTable>[] = []
    const errors: unknown[] = []
    const edits: unknown[] = []
    const calls: unknown[] = []
    const editing = agGridEditing(used, structure, {
      onOutcome: (outcome, _, edited) => edits.push(edited) && outcomes.push(outcome),
      onError: (error, edited) => edits.push(edited) && errors.push(error),
    })
    const node = {
      id: String(id),
      data: await readRow(id),
      setData: (data: GridRequest) => {
        node.data = data
      },
    }
    /** The nodes of the grid: it may make another one for the same row. */
    const nodes = [node]
    const api = {
      getRowNode: () => nodes.at(-1),
      getGridOption: () => rowModelType,
      isDestroyed: () => false,
      isModuleRegistered: () => false,
      addEventListener: () => {},
      removeEventListener: () => {},
      retryServerSideLoads: () => {},
      refreshServerSide: (asked: unknown) => calls.push(asked),
      applyTransaction: (asked: unknown) => calls.push(asked),
    }
    const toEvent = (field: string, more: object = {}): GridRequest => ({
      node,
      api,
      colDef: { field },
      data: node.data,
      ...more,
    })
    const edit = (field: string, newValue: unknown) => editing.onCellEditRequest(toEvent(field, { newValue }))
    /** Opens the editor of a cell. The returned function closes it with a value, or without one. */
    const open = (field: string) => {
      editing.onCellEditingStarted(toEvent(field))
      return (newValue?: unknown) => {
        if (newValue !== undefined) edit(field, newValue)
        editing.onCellEditingStopped(toEvent(field))
      }
    }
    const waitForOutcomes = (count: number) => expect.poll(() => outcomes.length + errors.length).toBe(count)
    return { editing, node, nodes, edit, open, waitForOutcomes, outcomes, errors, edits, calls }
  }

  it('shows a value once it is written, and writes the cells of a row that are pasted together at once', async () => {
    const { editing, node, edit, waitForOutcomes, outcomes } = await openRow(1)
    expect(editing.readOnlyEdit).toBe(true)
    edit('title', 'New')
    edit('runs', '3')
    expect(node.data).toMatchObject({ title: 'Order 1', runs: 0 })
    await waitForOutcomes(1)
    expect(node.data).toMatchObject({ title: 'New', runs: 3, _raw: { title: 'New' } })
    expect(outcomes).toMatchObject([{ outcome: 'saved', undo: { url: expect.any(String) } }])
    edit('runs', 4)
    await waitForOutcomes(2)
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['saved', 'saved'])
  })

  it('writes the edits of a row one after the other, each with the version of the one before', async () => {
    const { node, edit, waitForOutcomes, outcomes } = await openRow(1)
    edit('runs', 3)
    await Promise.resolve()
    await Promise.resolve()
    edit('runs', 4)
    await waitForOutcomes(2)
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['saved', 'saved'])
    expect(node.data.runs).toBe(4)
  })

  it('shows the row as it is now after a conflict, and leaves it alone after any other refusal', async () => {
    const { node, edit, waitForOutcomes, outcomes } = await openRow(1)
    await others.updateCells('orders', 1, { runs: 5 })
    edit('title', 'Late')
    await waitForOutcomes(1)
    expect(outcomes).toMatchObject([{ outcome: 'conflict', changed: [{ field: 'runs', now: 5 }] }])
    expect(node.data).toMatchObject({ title: 'Order 1', runs: 5, _raw: { runs: 5 } })
    edit('title', 'ORDER 2')
    await waitForOutcomes(2)
    expect(outcomes[1]).toMatchObject({ outcome: 'refused', code: 'conflicting_data' })
    expect(node.data.title).toBe('Order 1')
    edit('title', 'Early')
    await waitForOutcomes(3)
    expect(node.data.title).toBe('Early')
  })

  it('writes no edit of a cell whose row was replaced after its editor opened', async () => {
    const { node, open, edit, waitForOutcomes, outcomes } = await openRow(1)
    const close = open('title')
    await others.updateCells('orders', 1, { title: 'Theirs' })
    node.setData(await readRow(1))
    close('Late')
    await waitForOutcomes(1)
    expect(outcomes).toMatchObject([{ outcome: 'conflict', changed: [{ field: 'title', now: 'Theirs' }] }])
    open('title')()
    edit('title', 'Pasted')
    await waitForOutcomes(2)
    expect(node.data.title).toBe('Pasted')
  })

  it('writes an edit whose editor opened before the edit before it was saved', async () => {
    const { node, open, edit, waitForOutcomes, outcomes } = await openRow(1)
    edit('title', 'New')
    const close = open('runs')
    await waitForOutcomes(1)
    close(3)
    await waitForOutcomes(2)
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['saved', 'saved'])
    expect(node.data).toMatchObject({ title: 'New', runs: 3 })
  })

  it('writes an edit whose editor opened on a copy of the row before the edit before it was saved', async () => {
    const { node, open, edit, waitForOutcomes, outcomes } = await openRow(1)
    for (const [at, runs] of [3, 0, 3].entries()) {
      edit('runs', runs)
      node.setData({ ...node.data })
      const close = open('title')
      await waitForOutcomes(2 * at + 1)
      node.setData({ ...node.data })
      close(`Title ${at}`)
      await waitForOutcomes(2 * at + 2)
    }
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 6 }, () => 'saved'))
    expect(node.data).toMatchObject({ title: 'Title 2', runs: 3 })
  })

  it('writes edits of a row that has returned to an earlier version', async () => {
    const { node, edit, waitForOutcomes, outcomes } = await openRow(1)
    for (const [at, runs] of [3, 0, 3, 0].entries()) {
      edit('runs', runs)
      await waitForOutcomes(at + 1)
    }
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['saved', 'saved', 'saved', 'saved'])
    expect(node.data.runs).toBe(0)
  })

  it('writes edits after one that has changed nothing', async () => {
    const { node, edit, waitForOutcomes } = await openRow(1)
    for (const [at, runs] of ['0 ', 3].entries()) {
      edit('runs', runs)
      await waitForOutcomes(at + 1)
    }
    expect(node.data.runs).toBe(3)
  })

  it('writes edits that were typed one after the other each for itself, although they waited together', async () => {
    const { node, edit, waitForOutcomes, outcomes } = await openRow(1)
    for (const [field, value] of Object.entries({ runs: 3, title: 'ORDER 2', amount: 9.5 })) {
      edit(field, value)
      await Promise.resolve()
    }
    await waitForOutcomes(3)
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['saved', 'refused', 'saved'])
    expect(node.data).toMatchObject({ title: 'Order 1', runs: 3, amount: 9.5 })
  })

  it('shows a row that is saved in the node that the grid has made for it meanwhile', async () => {
    const { node, nodes, edit, waitForOutcomes, outcomes } = await openRow(1)
    const before = node.data
    edit('runs', 3)
    const made = {
      ...node,
      setData: (data: GridRequest) => {
        made.data = data
      },
    }
    nodes.push(made)
    await waitForOutcomes(1)
    expect([node.data, made.data.runs]).toEqual([before, 3])
    nodes.push({ ...node, data: await readRow(2) })
    edit('title', 'Left')
    await waitForOutcomes(2)
    expect([outcomes[1]?.outcome, node.data.title, nodes.at(-1)?.data.title]).toEqual(['saved', 'Left', 'Order 2'])
  })

  it.each(['saved', 'conflict'])('shows no row older than one that has come before its edit was %s', async (result) => {
    const held: typeof changes = {
      ...changes,
      updateCells: async (...asked) => {
        if (result === 'conflict') await others.updateCells('orders', 1, { runs: 5 })
        const outcome = await changes.updateCells(...asked)
        await others.updateCells('orders', 1, { runs: 6 })
        row.node.setData(await readRow(1))
        return outcome
      },
    }
    const row = await openRow(1, 'serverSide', held)
    row.edit('title', 'New')
    await row.waitForOutcomes(1)
    expect(row.outcomes).toMatchObject([{ outcome: result }])
    expect(row.node.data.runs).toBe(6)
  })

  it('writes no edit that waited for one that ended in a conflict', async () => {
    const { node, edit, waitForOutcomes, outcomes } = await openRow(1)
    await others.updateCells('orders', 1, { runs: 5 })
    edit('title', 'Late')
    await Promise.resolve()
    await Promise.resolve()
    edit('runs', 4)
    await waitForOutcomes(2)
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['conflict', 'conflict'])
    expect(node.data).toMatchObject({ title: 'Order 1', runs: 5 })
    edit('runs', 6)
    await waitForOutcomes(3)
    expect(node.data.runs).toBe(6)
  })

  it('hands what the user has entered to the page if it was not saved', async () => {
    const { node, edit, waitForOutcomes, edits } = await openRow(1)
    const seen = node.data
    await others.updateCells('orders', 1, { runs: 5 })
    edit('title', 'Late')
    edit('amount', 9.5)
    await waitForOutcomes(1)
    edit('id', 5)
    await waitForOutcomes(2)
    expect(edits).toEqual([
      { row: seen, cells: { title: 'Late', amount: '9.5' } },
      { row: node.data, cells: { id: 5 } },
    ])
  })

  it('hands what the user has entered to the page if the connection was lost', async () => {
    const loseConnection = async () => Promise.reject(new TableError('unreachable', 'No response'))
    const { node, edit, waitForOutcomes, edits, errors } = await openRow(1, 'serverSide', {
      ...changes,
      updateCells: loseConnection,
    })
    edit('title', 'New')
    await waitForOutcomes(1)
    expect(errors).toMatchObject([{ code: 'unreachable' }])
    expect(edits).toEqual([{ row: node.data, cells: { title: 'New' } }])
    const { row, cells } = Object(edits[0])
    expect(await changes.updateCells('orders', row, cells)).toMatchObject({ outcome: 'saved', row: { title: 'New' } })
  })

  it('removes a row that has left the table, and refuses columns that cannot be edited', async () => {
    const server = await openRow(1)
    server.edit('state', 'archived')
    await server.waitForOutcomes(1)
    expect(server.calls).toEqual([{ purge: false }])
    const page = await openRow(2, 'clientSide')
    page.edit('state', 'archived')
    await page.waitForOutcomes(1)
    expect(page.calls).toMatchObject([{ remove: [{ id: 2 }] }])
    const replaced = await openRow(3, 'clientSide')
    const close = replaced.open('state')
    replaced.node.setData({ ...replaced.node.data })
    close('archived')
    await replaced.waitForOutcomes(1)
    // Without `getRowId`, the grid finds a row by its object.
    expect(Object(replaced.calls[0]).remove[0]).toBe(replaced.node.data)
    page.edit('id', 5)
    await page.waitForOutcomes(2)
    expect(page.errors).toMatchObject([{ code: 'unsupported' }])
    const { editable } = page.editing.defaultColDef
    if (typeof editable !== 'function') expect.unreachable('every column is editable')
    const isEditable = (field: string, group = false) => editable({ node: { group }, colDef: { field } } as GridRequest)
    expect([isEditable('title'), isEditable('id'), isEditable('title', true)]).toEqual([true, false, false])
  })
})
