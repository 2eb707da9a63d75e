import { expect } from 'vitest'
import { editSheet, findCell, type ImportApi } from '../support/fixtures/import-api.ts'

/** A request that changes the orders 2, 3 and 5, to be sent until it succeeds. */
export interface EditRequest {
  readonly path: string
  readonly body: object
  readonly headers: Readonly<Record<string, string>>
}

/** Each prepares the request of an operation and sends nothing of it. */
export type EditOperations = Readonly<Record<'edit' | 'apply' | 'undo' | 'import', () => Promise<EditRequest>>>

const severalPath = 'row-bulk-table-action/orders/update_cells'
const cells = { title: 'Changed', amount: '77.25' }

/** The orders that each request changes. */
export const editedIds: readonly number[] = [2, 3, 5]

const withKey = (path: string, body: object): EditRequest => ({ path, body, headers: { 'idempotency-key': 'once' } })

/** Uploads a workbook with the changes and asks for its import, whose worker has not begun. */
export async function createEditedImport(work: ImportApi): Promise<string> {
  const file = await editSheet(await work.exportRows(), (sheet) => {
    for (const id of editedIds) {
      findCell(sheet, 'Title', id + 1).value = cells.title
      findCell(sheet, 'Amount', id + 1).value = Number(cells.amount)
    }
  })
  const id = await work.upload(file)
  await work.show(id)
  return id
}

/** Prepares the request that applies an import which the worker has read. */
export async function prepareImport(work: ImportApi, id: string): Promise<EditRequest> {
  const { json } = await work.show(id)
  expect(json.plan.counts).toEqual({ change: 6, conflict: 0, refused: 0 })
  return { path: `imports/orders/${id}`, body: { plan_id: json.plan.id }, headers: {} }
}

export const createOperations = (work: ImportApi): EditOperations => ({
  edit: async () => withKey(severalPath, { selected_ids: editedIds, cells }),
  apply: async () => {
    const { json } = await work.post(severalPath, { selected_ids: editedIds, cells, plan: true })
    return withKey(severalPath, { plan_id: json.plan.id })
  },
  undo: async () => {
    const { json } = await work.post(severalPath, { selected_ids: editedIds, cells })
    return withKey(json.undo.url.replace(/^.*control-tables\//, ''), {})
  },
  import: async () => {
    const id = await createEditedImport(work)
    await work.work()
    return prepareImport(work, id)
  },
})
