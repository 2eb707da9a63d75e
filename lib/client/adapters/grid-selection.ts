import type { Selection } from '../action-responses.ts'
import type { AnyTable } from '../table-types.ts'
import type { RowId } from '../wire.ts'
import { completeQuery, createUnsupported, type GridQuery, type QueryParts } from './grid-client.ts'

/** Parts that name filters and columns. The table whose names they are is known to the caller alone. */
type NamedParts = { readonly [Part in 'filters' | 'filter_groups' | 'search' | 'params']?: never }

/** The rows of a bulk action, without the fields of its form. */
export type GridSelection = NamedParts &
  Pick<
    Selection<AnyTable>,
    'selected_ids' | 'select_all' | 'excluded_ids' | 'time_zone' | 'group' | 'view' | 'view_revision'
  >

/** The rows that a user has selected: those of `ids`, or all but these. */
interface SelectedRows {
  readonly isAll: boolean
  readonly ids: readonly RowId[]
}

export interface SelectionOptions {
  readonly params?: unknown
  /** The `query` of the grid's adapter. With a `view`, actions also need its `view_revision`. */
  readonly query?: QueryParts
}

/** The parts of a query that select rows. */
const parts = ['filters', 'filter_groups', 'search', 'time_zone', 'group', 'params', 'view', 'view_revision']

/**
 * Creates the selection of a bulk action by what a grid shows. Throws `createUnsupported` for groups and for no rows:
 * the service would take the ids of groups for rows that do not exist, and an empty list for all rows.
 */
export function createSelection(
  { isAll, ids }: SelectedRows,
  shown: GridQuery,
  options: SelectionOptions,
): GridSelection {
  if (ids.some((id) => String(id).startsWith('group:'))) throw createUnsupported('a selection of groups')
  if (!isAll && ids.length === 0) throw createUnsupported('a selection of no rows')
  const completed = completeQuery(options, shown)
  const isPart = ([name]: readonly [string, unknown]) => (isAll ? parts.includes(name) : name === 'params')
  return {
    ...(isAll ? { select_all: true, excluded_ids: ids } : { selected_ids: ids }),
    ...Object.fromEntries(Object.entries(completed).filter(isPart)),
  }
}
