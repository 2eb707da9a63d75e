import type { RowId } from '../wire.ts'
import { requireSuccess } from './grid-changes.ts'
import { createUnsupported, type GridClient, type GridItem, type QueryParts } from './grid-client.ts'

/**
 * The `meta` of a change: the action to run, the `params` of the table, the parts that the changed rows must have, and
 * the `_version` of the row that the user has seen.
 */
interface ChangeMeta {
  readonly action?: unknown
  readonly params?: unknown
  readonly include?: QueryParts['include'] | undefined
  readonly expectedVersion?: unknown
}

/** Creates the calls with which data providers change rows: they run the action that `meta.action` names. */
export function createActionProvider(grid: GridClient) {
  const requireAction = ({ action }: ChangeMeta): string => {
    if (typeof action === 'string') return action
    throw createUnsupported('a change without an action; name one as meta.action')
  }
  return {
    /** Returns the row as it is after the action, or the row before it if it left the table. */
    change: async (table: string, id: RowId, meta: ChangeMeta = {}, input?: unknown): Promise<GridItem> => {
      const { params, include = [] } = meta
      const item = await grid.refetchRow(table, id, { params })
      const version = meta.expectedVersion
      const expectedVersion = typeof version === 'string' ? version : undefined
      const { data, items = [], effects } = await grid.rowAction(item, requireAction(meta), input, { expectedVersion })
      const changed = effects?.rows[0] ?? data?.row ?? items[0]
      if (changed !== undefined && include.length === 0) return changed
      // The action has run, whether the row can be read or not.
      return grid.refetchRow(table, id, { params, include }).catch(() => changed ?? item)
    },
    /**
     * Returns the changed rows that the caller can still see. Throws an error if one of the rows was not changed,
     * although the others were.
     */
    changeMany: async (
      table: string,
      ids: readonly RowId[],
      meta: ChangeMeta = {},
      input?: unknown,
    ): Promise<readonly GridItem[]> => {
      const { params, include = [] } = meta
      const structure = await grid.loadTable(table, { params })
      const response = await grid.rowBulkAction(structure, requireAction(meta), ids, input)
      requireSuccess(response)
      const { items, effects } = response
      if (include.length === 0 || items.length === 0) return effects?.rows[0] ? effects.rows : items
      const changed = items.map(({ id }) => id)
      return (await grid.refetchRows(table, changed, { params, include }).catch(() => ({ items }))).items
    },
  }
}
