import type { ActionPlan } from './action-plan.ts'
import type { RowActionResponse, Undo } from './action-responses.ts'
import {
  type CellsOf,
  type CellsOutcome,
  type PlanOutcome,
  type PlanReference,
  type RowsOutcome,
  type RowsResponse,
  readId,
  replaceItems,
  requireRefusal,
  toChangedRows,
  toRefusal,
  toRowRefusal,
  toRowsRefusal,
} from './change-outcomes.ts'
import type { Query } from './queries.ts'
import { rowSegment } from './read-tables.ts'
import type { AnyTables, KeyOf, TablesOf, TableTypes } from './table-types.ts'
import {
  type ActionOptions,
  type CallOptions,
  type ClientOptions,
  createKey,
  createTransport,
  toSearch,
} from './transport.ts'
import type { RowId } from './wire.ts'

export type { Undo } from './action-responses.ts'
export type {
  CellsOf,
  CellsOutcome,
  ChangedCell,
  ChangedRows,
  ChangePlan,
  PlanOutcome,
  PlanReference,
  RefusalCode,
  RefusedChange,
  RefusedRows,
  RowConflict,
  RowOutcome,
  RowsOutcome,
  SavedRow,
} from './change-outcomes.ts'
export type { KeyOf } from './table-types.ts'

/** An id, or an item: its `_version` is then the one that the row must still have. */
export type ChangedRow = RowId | { readonly id: RowId; readonly _version?: string | undefined }

/** The keys of a query that describe the page on which rows are shown. */
export type ShownPage<T extends TableTypes> = Pick<
  Query<T>,
  'filters' | 'filter_groups' | 'search' | 'group' | 'time_zone' | 'view' | 'columns'
>

/** How changed rows are returned. */
export interface ReturnOptions<T extends TableTypes, Page = ShownPage<T>> extends ActionOptions {
  /** Further members of the rows. Default: `_version` if it was given. */
  readonly include?: NonNullable<Query<T>['include']>
  /** The outcome has `effects`: what has become of the rows of this page. */
  readonly page?: Page
}

export interface ChangeOptions<T extends TableTypes> extends ReturnOptions<T> {
  readonly params?: T['params']
}

type PlanOptions<T extends TableTypes> = Omit<ChangeOptions<T>, 'include' | 'page' | 'idempotencyKey'>

export interface HistoryQuery<T extends TableTypes> extends CallOptions {
  readonly params?: T['params']
  /** The `next` of the page before. */
  readonly before?: string
  /** 1 to 100; default 50. */
  readonly limit?: number
}

interface ShownValue {
  readonly value: string | number | boolean | null
  readonly text: string
}

/** A change of cells of a row by an edit or an undo. */
export interface HistoryEntry<T extends TableTypes> {
  readonly id: string
  readonly at: string
  /** The subject of the caller who made it. */
  readonly by: string
  readonly own: boolean
  /** The `id` of the change that this one has undone. */
  readonly undoes?: string
  /** A `redacted` cell has no values. */
  readonly cells: readonly {
    readonly field: KeyOf<T['item']>
    readonly label: string
    readonly before?: ShownValue
    readonly after?: ShownValue
    readonly redacted?: true
  }[]
}

export interface HistoryPage<T extends TableTypes> {
  /** The latest change first. */
  readonly changes: readonly HistoryEntry<T>[]
  readonly next: string | null
}

/** The names of the tables that have editable columns. */
type EditableName<Tables> = {
  readonly [N in KeyOf<Tables>]: Tables[N] extends { readonly cells: infer C }
    ? [keyof C] extends [never]
      ? never
      : N
    : N
}[KeyOf<Tables>]

export type ChangeClient<Source = AnyTables> = ReturnType<typeof createChangeClient<Source>>

const updateCellsKey = 'update_cells'

/**
 * Creates a client that edits cells, plans and undoes changes, and reads their history. A file of its own: few pages
 * change rows. What the service refuses is an outcome; any other failure rejects with a `TableError`.
 */
export function createChangeClient<Source = AnyTables>(options: ClientOptions) {
  type Tables = TablesOf<Source>
  type Name = KeyOf<Tables>
  const calls = createCalls(options)
  return {
    /** Writes cells of one row: all of them or none. */
    updateCells: async <N extends EditableName<Tables>>(
      table: N,
      row: ChangedRow,
      cells: CellsOf<Tables[N]>,
      options: ChangeOptions<Tables[N]> = {},
    ): Promise<CellsOutcome<Tables[N]>> => {
      const { id, _version: expected_version } = toRow(row)
      const target = `${toPath(['row-table-action', table, updateCellsKey])}/${rowSegment(id)}`
      const again = withInclude([row], options)
      try {
        const response = await calls.change<RowActionResponse<Tables[N]>>(target, { cells, expected_version }, again)
        const { message, data, undo, effects } = response
        const [read] = await calls.readAgain(table, [effects?.rows[0] ?? data?.row], again)
        return { outcome: 'saved', message, row: read, effects, ...(undo && { undo }) }
      } catch (error) {
        const refusal = toRowRefusal<Tables[N]>(requireRefusal(error))
        if (refusal.outcome === 'refused') return refusal
        const [current = refusal.current] = await calls.readAgain(table, [refusal.current], again)
        return { ...refusal, current }
      }
    },
    /** Writes the same cells into up to 1,000 rows. A row that is refused does not stop the others. */
    updateRows: <N extends EditableName<Tables>>(
      table: N,
      rows: readonly ChangedRow[],
      cells: CellsOf<Tables[N]>,
      options: ChangeOptions<Tables[N]> = {},
    ) => calls.changeRows<Tables[N]>(table, rows, { cells }, options),
    /** Plans the same cells for up to 1,000 rows; the plan has a sample of rows as they are and as they would be. */
    planCells: <N extends EditableName<Tables>>(
      table: N,
      rows: readonly ChangedRow[],
      cells: CellsOf<Tables[N]>,
      options: PlanOptions<Tables[N]> = {},
    ) => calls.plan<Tables[N]>(table, updateCellsKey, rows, { row_actions: 'keys', cells }, options),
    /**
     * Plans an action on up to 1,000 rows. `bulkAction` of the client plans those of the toolbar, with `plan: true`.
     */
    planAction: <N extends Name, Key extends KeyOf<Tables[N]['rowActions']>>(
      table: N,
      key: Key,
      rows: readonly ChangedRow[],
      input?: Tables[N]['rowActions'][Key],
      options: PlanOptions<Tables[N]> = {},
    ) => calls.plan<Tables[N]>(table, key, rows, input as object | undefined, options),
    /** Runs a plan, once, on the rows that have not changed since. */
    apply: <T extends TableTypes>(
      { id, table, action, params }: PlanReference<T>,
      call: ReturnOptions<T, Pick<ShownPage<T>, 'columns'>> = {},
    ) => calls.runRows<T>(bulkPath(table, action), { plan_id: id }, { params, ...call }),
    /** Takes a change back, row by row: a row that was changed again is an `undo_conflict`. */
    undo: <T extends TableTypes>({ url }: Undo<T>, call: ReturnOptions<T> = {}) => calls.runRows<T>(url, {}, call),
    /**
     * Reads who has changed which cells of a row by edits and undos. Rejects with `row_not_found` for a row outside the
     * caller's scope.
     */
    readHistory: <N extends Name>(
      table: N,
      id: RowId,
      { signal, ...query }: HistoryQuery<Tables[N]> = {},
    ): Promise<HistoryPage<Tables[N]>> =>
      calls.read<HistoryPage<Tables[N]>>(`${toPath(['history', table])}/${rowSegment(id)}`, query, signal),
  }
}

/** The options of a change of any table. */
interface AnyChange extends ActionOptions {
  readonly params?: unknown
  readonly include?: readonly string[]
  readonly page?: object
}

const withInclude = (
  rows: readonly ChangedRow[],
  { include = toVersions(rows) ? ['version'] : [], ...call }: AnyChange,
) => ({ ...call, include })

const toPath = (segments: readonly string[]): string => `./${segments.map(encodeURIComponent).join('/')}`

const bulkPath = (table: string, action: string): string => toPath(['row-bulk-table-action', table, action])

const toRow = (row: ChangedRow): Exclude<ChangedRow, RowId> => (typeof row === 'object' ? row : { id: row })

const toQuery = ({ params, ...query }: HistoryQuery<TableTypes>): string => {
  const search = toSearch({ ...query, params: JSON.stringify(params) })
  return search && `?${search}`
}

/** The versions of items by their ids; `undefined` if none has one. */
function toVersions(rows: readonly ChangedRow[]): Readonly<Record<string, string>> | undefined {
  const versions = rows.map(toRow).flatMap(({ id, _version }) => (_version ? [[id, _version]] : []))
  return versions[0] && Object.fromEntries(versions)
}

/** Creates the calls of which a client of changes is made. */
function createCalls(options: ClientOptions) {
  const send = createTransport(options)
  /** Without a key, the request must change nothing. */
  const post = <A extends object>(
    path: string,
    body: object,
    params: unknown,
    { signal, idempotencyKey }: ActionOptions,
  ): Promise<A> => send(path + toQuery({ params }), { body, signal, idempotencyKey, isRepeatable: true })
  const change = <A extends object>(
    path: string,
    body: object,
    { params, include = [], page, signal, idempotencyKey = createKey() }: AnyChange,
  ) =>
    post<A>(path, { ...body, ...((page || include[0]) && { ...page, include: ['effects', ...include] }) }, params, {
      signal,
      idempotencyKey,
    })
  /** Returns rows with what `include` asks for, or as they are if they cannot be read: the change was made. */
  const readAgain = async <I extends object | undefined>(
    table: string,
    items: readonly I[],
    { params, signal, include }: ReturnType<typeof withInclude>,
  ): Promise<readonly I[]> => {
    if (items.every((item) => !item || include.every((part) => `_${part}` in item))) return items
    const body = { include, row_ids: items.map(readId) }
    const path = toPath(['multi-row-refetch', table])
    return post<{ readonly items: readonly NonNullable<I>[] }>(path, body, params, { signal }).then(
      ({ items: found }) => replaceItems(items, found),
      () => items,
    )
  }
  const runRows = <T extends TableTypes>(path: string, body: object, call: AnyChange): Promise<RowsOutcome<T>> =>
    change<RowsResponse<T>>(path, body, call).then(toChangedRows<T>, (error: unknown) =>
      toRowsRefusal<T>(requireRefusal(error)),
    )
  return {
    change,
    readAgain,
    runRows,
    read: <A extends object>(path: string, query: HistoryQuery<TableTypes>, signal: AbortSignal | undefined) =>
      send<A>(path + toQuery(query), { signal }),
    changeRows: async <T extends TableTypes>(
      table: string,
      rows: readonly ChangedRow[],
      input: object,
      call: ChangeOptions<T>,
    ): Promise<RowsOutcome<T>> => {
      const again = withInclude(rows, call)
      const body = { ...toRowsBody(rows), ...input }
      const outcome = await runRows<T>(bulkPath(table, updateCellsKey), body, again)
      if (outcome.outcome === 'refused') return outcome
      return { ...outcome, items: await readAgain(table, outcome.items, again) }
    },
    plan: async <T extends TableTypes>(
      table: string,
      action: string,
      rows: readonly ChangedRow[],
      input: object | undefined,
      { params, ...call }: PlanOptions<T>,
    ): Promise<PlanOutcome<T>> => {
      const body = { ...toRowsBody(rows), ...input, plan: true }
      try {
        const { plan } = await post<{ readonly plan: ActionPlan }>(bulkPath(table, action), body, params, call)
        return { outcome: 'planned', plan: { ...plan, table, action, params } }
      } catch (error) {
        return toRefusal(requireRefusal(error))
      }
    },
  }
}

const toRowsBody = (rows: readonly ChangedRow[]) => ({
  selected_ids: rows.map(toRow).map(readId),
  versions: toVersions(rows),
})
