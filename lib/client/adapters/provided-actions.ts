import type { RowId } from '../wire.ts'
import { createUnsupported, type GridClient, type GridItem } from './grid-client.ts'

/** The `meta` of a change: the action to run, the `params` of the table, and the `_version` of the row that the user has seen. */
interface ChangeMeta {
  readonly action?: unknown
  readonly params?: unknown
  readonly expectedVersion?: unknown
}

/** Creates the calls with which data providers change rows: they run the action that `meta.action` names. */
export function createActionProvider(grid: GridClient) {
  const requireAction = ({ action }: ChangeMeta): string => {
    if (typeof action === 'string') return action
    throw createUnsupported('a change without an action; name one as meta.action')
  }
  return {
    /** Returns the changed row, or the row before the action if it left the table. */
    change: async (table: string, id: RowId, meta: ChangeMeta = {}, input?: unknown): Promise<GridItem> => {
      const item = await grid.refetchRow(table, id, { params: meta.params })
      const version = meta.expectedVersion
      const options = typeof version === 'string' ? { expectedVersion: version } : {}
      const { data } = await grid.rowAction(item, requireAction(meta), input, options)
      return data?.row ?? item
    },
    /** Returns the changed rows that the caller can still see. A failed row does not stop the others. */
    changeMany: async (
      table: string,
      ids: readonly RowId[],
      meta: ChangeMeta = {},
      input?: unknown,
    ): Promise<GridItem[]> => {
      const structure = await grid.loadTable(table, { params: meta.params })
      return [...(await grid.rowBulkAction(structure, requireAction(meta), ids, input)).items]
    },
  }
}
