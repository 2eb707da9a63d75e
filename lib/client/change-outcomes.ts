import type { ActionPlan } from './action-plan.ts'
import type { Effects, Undo } from './action-responses.ts'
import type { Item } from './queries.ts'
import { TableError } from './table-error.ts'
import type { KeyOf, TableTypes } from './table-types.ts'
import type { Counts, RowId, RowResult } from './wire.ts'

/** Cells to write, by column: only those that the table declares editable. */
export type CellsOf<T extends TableTypes> = T extends { readonly cells: infer Cells extends object }
  ? Partial<Cells>
  : Readonly<Record<string, unknown>>

/** A cell that another user has changed since the row was read. */
export interface ChangedCell<T extends TableTypes> {
  readonly field: KeyOf<T['item']>
  readonly label: string
  readonly now: unknown
}

/** The codes of changes that are refused; actions of a table may have others. */
export type RefusalCode =
  | 'validation_failed'
  | 'row_version_conflict'
  | 'row_not_found'
  | 'action_not_applicable'
  | 'action_not_defined'
  | 'conflicting_data'
  | 'undo_conflict'
  | 'undo_expired'
  | 'undo_not_found'
  | 'already_undone'
  | 'plan_outdated'
  | 'plan_expired'
  | 'plan_not_found'
  | (string & {})

/** The change of a row that was made. */
export interface SavedRow<T extends TableTypes> {
  readonly outcome: 'saved'
  readonly message: string
  /** The row as it is now; `undefined` if the change has taken it out of the caller's scope. */
  readonly row: Item<T> | undefined
  /** Absent if nothing has changed. */
  readonly undo?: Undo<T>
  /** Absent without `page` and `include`. */
  readonly effects?: Effects<T> | undefined
}

/** The row has changed since it was read, and was left alone. */
export interface RowConflict<T extends TableTypes> {
  readonly outcome: 'conflict'
  /** The row as it is now, with its `_version`. */
  readonly current: Item<T>
  readonly changed: readonly ChangedCell<T>[]
  readonly error: TableError
}

/** A change that was not made. */
export interface RefusedChange<T extends TableTypes> {
  readonly outcome: 'refused'
  readonly code: RefusalCode
  /** The faults of the values, by column. */
  readonly fields: { readonly [Field in KeyOf<T['item']>]?: readonly string[] }
  readonly error: TableError
}

export type CellsOutcome<T extends TableTypes> = SavedRow<T> | RowConflict<T> | RefusedChange<T>

/** The outcome of one of several rows. */
export type RowOutcome<T extends TableTypes> =
  | { readonly id: RowId; readonly success: true }
  | {
      readonly id: RowId
      readonly success: false
      readonly code: RefusalCode
      readonly errors: readonly string[]
      /** The row as it is now, with `row_version_conflict`; the first 100 such rows of a response have it. */
      readonly current?: Item<T>
      readonly changed?: readonly ChangedCell<T>[]
    }

/** A change of several rows: of all, or `partly`, of some. */
export interface ChangedRows<T extends TableTypes> {
  readonly outcome: 'done' | 'partly'
  readonly message: string
  /** The rows as they are now. */
  readonly items: readonly Item<T>[]
  /** The ids of changed rows that have left the caller's scope. */
  readonly removed: readonly RowId[]
  readonly results: readonly RowOutcome<T>[]
  readonly counts: Counts
  readonly undo?: Undo<T>
  /** Absent without `page` and `include`. */
  readonly effects?: Effects<T> | undefined
  /** The plan was applied before: this is its first response. */
  readonly replayed?: true
}

/** No row was changed. `results` is empty if the request was refused as a whole. */
export interface RefusedRows<T extends TableTypes> extends RefusedChange<T> {
  readonly results: readonly RowOutcome<T>[]
}

export type RowsOutcome<T extends TableTypes> = ChangedRows<T> | RefusedRows<T>

/** The part of a plan that `apply` needs. */
export interface PlanReference<T extends TableTypes> {
  readonly id: string
  readonly table: string
  readonly action: string
  readonly params?: T['params'] | undefined
  /** Never present: it carries the table's types to the rows of the plan. */
  readonly types?: T
}

export interface ChangePlan<T extends TableTypes> extends ActionPlan, PlanReference<T> {}

export type PlanOutcome<T extends TableTypes> =
  | { readonly outcome: 'planned'; readonly plan: ChangePlan<T> }
  | RefusedChange<T>

/** Returns a refusal of the service. Throws any other error, such as that of a lost connection. */
export function requireRefusal(error: unknown): TableError {
  if (error instanceof TableError && (error.status === 422 || /^(row|undo|plan)_not_found$/.test(error.code)))
    return error
  throw error
}

/** Lists the faults of an error, those of cells by their columns. */
export const listFaults = ({ fields }: TableError): readonly (readonly [field: string, texts: readonly string[]])[] =>
  Object.entries(fields).map(([path, texts]) => [path.replace(/^cells\./, ''), texts])

/** Describes a refusal. */
export function toRefusal<T extends TableTypes>(error: TableError): RefusedChange<T> {
  // The service names the columns of the table.
  const fields = Object.fromEntries(listFaults(error)) as RefusedChange<T>['fields']
  return { outcome: 'refused', code: error.code, fields, error }
}

/** Describes the refusal of a change of one row. */
export function toRowRefusal<T extends TableTypes>(error: TableError): RowConflict<T> | RefusedChange<T> {
  const { current, changed = [] } = error.response as Partial<RowConflict<T>>
  return error.code === 'row_version_conflict' && current !== undefined
    ? { outcome: 'conflict', current, changed, error }
    : toRefusal(error)
}

/** The response of a change of several rows. */
export interface RowsResponse<T extends TableTypes> {
  readonly message: string
  readonly items?: readonly Item<T>[]
  readonly removed?: readonly RowId[]
  readonly results?: readonly RowResult[]
  readonly counts?: Counts
  readonly undo?: Undo<T>
  readonly replayed?: true
  readonly effects?: Effects<T>
}

export const readId = (item: object | undefined): RowId | undefined => (item as { readonly id?: RowId } | undefined)?.id

/** Replaces items by those of `found` with the same ids. */
export const replaceItems = <I extends object | undefined>(
  items: readonly I[],
  found: readonly NonNullable<I>[] = [],
): readonly I[] => items.map((item) => found.find((one) => readId(one) === readId(item)) ?? item)

/** Describes the change of several rows. */
export function toChangedRows<T extends TableTypes>(response: RowsResponse<T>): ChangedRows<T> {
  const { message, items = [], removed = [], counts = {}, undo, replayed, effects } = response
  const results = toRowOutcomes<T>(response.results)
  return {
    outcome: results.every(({ success }) => success) ? 'done' : 'partly',
    message,
    items: replaceItems(items, effects?.rows),
    removed,
    results,
    counts,
    effects,
    ...(undo && { undo }),
    ...(replayed && { replayed }),
  }
}

/** Describes the refusal of a change of several rows. */
export const toRowsRefusal = <T extends TableTypes>(error: TableError): RefusedRows<T> => ({
  ...toRefusal<T>(error),
  results: toRowOutcomes(error.response['results'] as readonly RowResult[] | undefined),
})

// A row that failed has a code and its texts.
const toRowOutcomes = <T extends TableTypes>(results: readonly RowResult[] = []): readonly RowOutcome<T>[] =>
  results as readonly RowOutcome<T>[]
