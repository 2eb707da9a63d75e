import type { RowId } from '../wire.ts'
import { type GridClient, type GridItem, unsupported } from './grid-client.ts'

/** What data providers are told of a change beside the row and its data: the action to run, and the table's context. */
interface ChangeMeta {
  readonly action?: unknown
  readonly params?: unknown
}

/** How data providers change rows: by the action that their caller names, where its `params` select the row. */
export function actionProvider(grid: GridClient) {
  const actionOf = ({ action }: ChangeMeta): string => {
    if (typeof action === 'string') return action
    throw unsupported('a change without an action; name one as meta.action')
  }
  return {
    /** The row as it is afterwards, or as it was before an action that takes it out of the table. */
    change: async (table: string, id: RowId, meta: ChangeMeta = {}, input?: unknown): Promise<GridItem> => {
      const item = await grid.refetchRow(table, id, { params: meta.params })
      const { data } = await grid.rowAction(item, actionOf(meta), input)
      return data?.row ?? item
    },
    /** The rows that were changed and can still be seen. A row that fails does not keep the others from being changed. */
    changeMany: async (
      table: string,
      ids: readonly RowId[],
      meta: ChangeMeta = {},
      input?: unknown,
    ): Promise<GridItem[]> => {
      const structure = await grid.loadTable(table, { params: meta.params })
      return [...(await grid.rowBulkAction(structure, actionOf(meta), ids, input)).items]
    },
  }
}
