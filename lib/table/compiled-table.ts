import type { FilterType, Operator } from '../wire/vocabulary.ts'
import type { BulkActionDefinition, RowActionDefinition } from './action-definition.ts'
import type { ColumnDefinition, ColumnType, VirtualColumnDefinition } from './column-definition.ts'
import type { AnyContext, AnyRow } from './context.ts'
import type { AnyTableDefinition, CompleteFilter, SortDirection } from './definition.ts'
import type { Source } from './source.ts'

export interface CompiledColumn {
  /** The key in items: the column's `data_src`. */
  readonly key: string
  readonly type: ColumnType
  readonly definition: ColumnDefinition<unknown, AnyRow, AnyContext> | VirtualColumnDefinition<AnyRow, AnyContext>
  /** Absent for a virtual column. */
  readonly source: Source | undefined
  /** The pattern of a date cell in SQL. Other cells use the source unchanged. */
  readonly datePattern: string | undefined
}

/** One entry of the filter form; a date filter makes two. */
export interface CompiledFilter {
  /** The `filter_name` that requests use. */
  readonly name: string
  readonly type: FilterType
  readonly operators: readonly [Operator, ...Operator[]]
  readonly source: Source
  /** Whether it compares both sides as searches do. */
  readonly folds: boolean
  readonly definition: CompleteFilter<AnyContext>
  /** Values that a select allows; absent where any value of the source's type will do. */
  readonly allowed: ReadonlySet<string> | undefined
  /** The source of the labels of a select whose options clients search. */
  readonly optionLabel?: Source
  readonly pair: { readonly group: string; readonly other: string; readonly isFrom: boolean } | undefined
  readonly advanced: boolean
}

export interface CompiledSort {
  readonly source: Source
  readonly direction: SortDirection
  /** The place of missing values. Default: `last`. */
  readonly nulls?: 'first' | 'last'
  /** The name of a collation in SQL. Default: that of the database. */
  readonly collation?: string
}

export interface CompiledAction<Definition> {
  readonly key: string
  /** The key as the author wrote it; requests may use either. */
  readonly name: string
  readonly definition: Definition
}

/** A change of cells, with what is sealed of each row. */
interface CellsChange {
  readonly id: string
  readonly rows: Readonly<Record<string, { readonly sealed?: string }>>
}

export type AnyRowAction = RowActionDefinition<AnyRow, AnyContext, unknown> & {
  /** Returns the change of cells that the action has made, if it has; only the service's own action has it. */
  readonly takeChange?: () => CellsChange | undefined
}
export type AnyBulkAction = BulkActionDefinition<AnyRow, AnyContext, unknown>
export type RowAction = CompiledAction<AnyRowAction>
export type BulkAction = CompiledAction<AnyBulkAction>

/** A table whose definition has been checked, with everything resolved that does not depend on a request. */
export interface CompiledTable {
  readonly name: string
  readonly definition: AnyTableDefinition
  /** The table in a FROM clause. */
  readonly text: string
  /** The table in `for update of`. */
  readonly lockName: string
  readonly key: Source
  readonly sources: ReadonlyMap<string, Source>
  /** The attributes that an author's rows have, also those of types that the service cannot show. */
  readonly attributes: readonly Source[]
  readonly columns: readonly CompiledColumn[]
  readonly filters: ReadonlyMap<string, CompiledFilter>
  readonly sortables: ReadonlySet<string>
  readonly defaultSort: CompiledSort
  readonly rowActions: readonly RowAction[]
  readonly bulkActions: readonly BulkAction[]
  /** Whether an author's function wants rows, so that every attribute of the table must be read. */
  readonly readsWholeRows: boolean
  readonly maxPerPage: number
  /** The former names of columns, filters and actions, as requests have them. */
  readonly formerNames: readonly string[]
  /** Absent where the table follows the service. */
  readonly timeZone: string | undefined
}
