import type { RowId } from '../wire.ts'
import { type GridClient, type GridItem, unsupported } from './grid-client.ts'

/** How data providers change rows: by the action that their caller names. */
export function actionProvider(grid: GridClient) {
  const named = (action: unknown): string => {
    if (typeof action === 'string') return action
    throw unsupported('a change without an action; name one as meta.action')
  }
  return {
    /** The row as it is afterwards, or as it was before an action that takes it out of the table. */
    change: async (table: string, id: RowId, action: unknown, input: unknown): Promise<GridItem> => {
      const item = await grid.refetchRow(table, id)
      const { data } = await grid.rowAction(item, named(action), input)
      return data?.row ?? item
    },
    /** The rows that were changed and can still be seen. A row that fails does not keep the others from being changed. */
    changeMany: async (table: string, ids: readonly RowId[], action: unknown, input: unknown): Promise<GridItem[]> => {
      const structure = await grid.loadTable(table)
      return [...(await grid.rowBulkAction(structure, named(action), ids, input)).items]
    },
  }
}
