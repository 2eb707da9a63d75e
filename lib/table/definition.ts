import type { SQL } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type * as z from 'zod/v4/core'
import type { Middleware } from '../auth/middleware.ts'
import type { Label } from '../i18n/language.ts'
import type { Weekday } from '../i18n/period.ts'
import type { TableShape } from '../wire/table-shape.ts'
import type { FilterType } from '../wire/vocabulary.ts'
import type { BulkActionDefinition, DefaultActionKey, RowActionDefinition } from './action-definition.ts'
import type {
  ColumnDefinition,
  NoSourceIsCalled as NoColumnSource,
  VirtualColumnDefinition,
} from './column-definition.ts'
import type { AnyContext, AnyRow, BindingFunction, RequestContext } from './context.ts'
import type { OperatorsByType } from './filter-operators.ts'
import type { Formerly } from './formerly.ts'
import type { CheckedRelations, ComputedSources, Relations, RowOf, SourceKey, SourceValue } from './sources.ts'

export type SortDirection = 'asc' | 'desc'

/**
 * How `pagination.total` is found. `exact` counts; `capped` stops counting at `cap` rows; `estimated` asks the planner;
 * `auto` counts what a budget allows; `none` counts nothing. Whenever the page itself tells the total, that exact
 * number is used instead.
 */
export type CountPolicy =
  | 'exact'
  | 'estimated'
  | 'capped'
  | { readonly capped: number }
  | 'auto'
  | { readonly auto: AutoCount }
  | 'none'

/** The limits of the policy `auto`. */
export interface AutoCount {
  /** The most milliseconds that a page waits for its exact total, 1 to 5,000. Default: 150. */
  readonly budgetMs?: number
  /** The number of rows at which counting stops if the exact total does not fit into the budget. Default: 10,000. */
  readonly cap?: number
  /** For how many seconds a total that did not fit is remembered, up to 3,600. Default: 10; 0 remembers none. */
  readonly rememberSeconds?: number
}

/** The settings of a table that depend on none of its types. */
interface TableSettings {
  /** `false` switches a default action off; nothing else does. */
  readonly defaultActions?: Readonly<Partial<Record<DefaultActionKey, false>>>

  readonly count?: CountPolicy
  /**
   * The maximum number of rows that a page number may skip; beyond it, clients must use `next_cursor`. Default: no
   * limit.
   */
  readonly maxOffset?: number
  /**
   * The most milliseconds for the statement of a page that skips 500 rows or more, or sorts by a relation's or a
   * computed column: 100 to 20,000. Default: as long as any statement.
   */
  readonly pageBudgetMs?: number
  /** 100 to 1,000. Default: 200. */
  readonly maxPerPage?: number
  /** `shared`: callers may share the views that they save with those of the same `tenant`, which the registry names. */
  readonly views?: { readonly shared: boolean }
  /**
   * The IANA time zone of this table's dates, such as `Asia/Riyadh`; no abbreviation or offset. Default: the service's.
   */
  readonly timeZone?: string
  /** The day on which weeks begin: of `within`, of groups and of facets. Default: `monday`. */
  readonly firstWeekday?: Weekday
  /** The place of the actions of an item: `row.actions`, `actions`, or both. Default: the setting `ITEM_ACTIONS`. */
  readonly itemActions?: 'both' | 'row' | 'actions'
  /** Live rows also show what other programs write. The table needs the trigger that `npm run table:lint` prints. */
  readonly live?: true
}

/** One table, written by its author as one plain object. `Claims` is the shape of the installation's token claims. */
export interface TableDefinition<
  Claims,
  T extends PgTable,
  R extends Relations,
  C extends ComputedSources,
  K extends string,
  F extends string,
  A extends string,
  P extends z.$ZodType,
  RI extends Readonly<Record<string, unknown>>,
  BI extends Readonly<Record<string, unknown>>,
  N extends string = string,
  S extends string = string,
  Q extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>,
  E extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>,
> extends TableSettings {
  /** The registered name, matched exactly; it appears in URLs. */
  readonly name: N
  readonly label?: Label
  readonly from: T
  /** The attribute that identifies a row: a primary key or a unique, non-null column. */
  readonly key: NoInfer<keyof T['$inferSelect'] & string>
  /**
   * The attribute that every change of a row changes, such as a counter or a time. Default: what Postgres itself
   * counts.
   */
  readonly version?: NoInfer<keyof T['$inferSelect'] & string>
  /**
   * The unique column by whose values rows of a CSV file are found when it is sent back. Default: such files are
   * refused.
   */
  readonly matchImportsBy?: NoInfer<K>
  readonly relations?: R & CheckedRelations<T, R>
  /**
   * SQL expressions that columns, filters and sorts can use like attributes. Their dates are shown and compared as they
   * are: an instant needs its `at time zone` here. Their columns name a `type` or have a `format`; `mapWith` decodes
   * them for functions.
   */
  readonly computed?: C

  /** Run in order after the service's own middlewares; one that throws rejects the request. */
  readonly middlewares?: readonly Middleware<Claims>[]
  /** Context from the client. The schema drops unknown keys: pages warn of them, actions on many rows refuse them. */
  readonly params?: P
  /** The rows that exist for this caller. Mandatory: write `everyRow` on purpose where there is no restriction. */
  readonly scope: (context: RequestContext<Claims, z.output<NoInfer<P>>>) => SQL

  readonly columns: {
    readonly [Key in K]: Key extends SourceKey<T, R, C>
      ? ColumnDefinition<
          SourceValue<T, R, C, Key>,
          RowOf<T, R, C, NoInfer<K>>,
          RequestContext<Claims, z.output<NoInfer<P>>>
        >
      : VirtualColumnDefinition<
          RowOf<T, R, C, NoInfer<K>>,
          RequestContext<Claims, z.output<NoInfer<P>>>,
          NoColumnSource<Key>
        >
  } & { readonly [Key in keyof Q]: { readonly sortable?: Q[Key] } } & {
    readonly [Key in keyof E]: { readonly editable?: E[Key] & (true | object) }
  }
  /**
   * `false` leaves out the column of the row's buttons, which a table with row actions has at its end where none is
   * declared.
   */
  readonly actionsColumn?: false
  /** The columns a client may sort by, beside those that are `sortable`. */
  readonly sortables?: readonly S[]
  /** Used when a request sends no sorts. Default: the key, ascending. */
  readonly defaultSort?: readonly [NoInfer<SourceKey<T, R, C>>, SortDirection]
  readonly filters?: {
    readonly [Name in F]: FilterDefinition<
      Name,
      NoInfer<SourceKey<T, R, C>>,
      RequestContext<Claims, z.output<NoInfer<P>>>,
      NoInfer<K>
    >
  }
  readonly advancedFilters?: {
    readonly [Name in A]: FilterDefinition<
      Name,
      NoInfer<SourceKey<T, R, C>>,
      RequestContext<Claims, z.output<NoInfer<P>>>,
      NoInfer<K>
    >
  }
  /** Options that can change with each query, such as those of a dropdown that depends on another filter. */
  readonly bindings?: Readonly<Record<string, BindingFunction<RequestContext<Claims, z.output<NoInfer<P>>>>>>

  readonly rowActions?: {
    readonly [N in keyof RI]: RowActionDefinition<
      RowOf<T, R, C, NoInfer<K>>,
      RequestContext<Claims, z.output<NoInfer<P>>>,
      RI[N]
    >
  }
  readonly bulkActions?: {
    readonly [N in keyof BI]: BulkActionDefinition<
      RowOf<T, R, C, NoInfer<K>>,
      RequestContext<Claims, z.output<NoInfer<P>>>,
      BI[N]
    >
  }
}

/** A table as the registry takes it: the same object with its type parameters erased. */
export interface Table<Claims, Shape extends TableShape = TableShape> {
  readonly definition: AnyTableDefinition
  /** Never present at run time: what clients in the same repository are typed by. */
  readonly shape?: Shape
  /** Never present at run time: it keeps tables of another installation's claims out of a registry. */
  readonly claims?: (claims: Claims) => void
}

/** Takes a mistake of a table's author. Registration lists all of them in one error. */
export type ReportFault = (fault: string) => void

/** A definition with its type parameters erased: keys are strings and rows are records. */
export interface AnyTableDefinition extends TableSettings {
  readonly name: string
  readonly label?: Label
  readonly from: PgTable
  readonly key: string
  readonly version?: string
  readonly matchImportsBy?: string
  readonly relations?: Relations
  readonly computed?: ComputedSources
  readonly middlewares?: readonly Middleware<Record<string, unknown>>[]
  readonly params?: z.$ZodType
  readonly scope: (context: AnyContext) => SQL
  readonly columns: Readonly<
    Record<string, ColumnDefinition<unknown, AnyRow, AnyContext> | VirtualColumnDefinition<AnyRow, AnyContext>>
  >
  readonly actionsColumn?: false
  readonly sortables?: readonly string[]
  readonly defaultSort?: readonly [string, SortDirection]
  readonly filters?: Readonly<Record<string, FilterDefinition<string, string, AnyContext, string>>>
  readonly advancedFilters?: Readonly<Record<string, FilterDefinition<string, string, AnyContext, string>>>
  readonly bindings?: Readonly<Record<string, BindingFunction<AnyContext>>>
  readonly rowActions?: Readonly<Record<string, RowActionDefinition<AnyRow, AnyContext, unknown>>>
  readonly bulkActions?: Readonly<Record<string, BulkActionDefinition<AnyRow, AnyContext, unknown>>>
}

/** A value of a select, with its label if that is another text. */
export type SelectOption = string | { readonly value: string; readonly label: Label }

/**
 * Choices of a select: a list in its order, labels by value, or `bindings` for the table's binding of the same name.
 */
type SelectOptions<Key> = readonly SelectOption[] | Readonly<Record<string, Label>> | 'bindings' | SearchedOptions<Key>

/** The values that the rows of the caller have, which clients search and page through instead of getting a list. */
export interface SearchedOptions<Key = string> {
  readonly search: true
  /** The source of the labels, such as the name of a relation. Default: the values themselves. */
  readonly label?: Key
}

interface BooleanOptions {
  readonly labels?: { readonly true: Label; readonly false: Label }
  readonly selected?: boolean
}

interface DateOptions {
  /** An ISO date, as is `max`. */
  readonly min?: string
  readonly max?: string
}

interface TextOptions {
  /**
   * Both sides are compared as searches do: without case, diacritics and tashkeel, with one letter for the forms of
   * alef.
   */
  readonly fold?: true
}

interface Operators<Type extends FilterType> {
  /** Overrides the operators that its type allows; the first is the default. */
  readonly operators?: readonly [OperatorsByType[Type], ...OperatorsByType[Type][]]
}

/** The types of a filter. A date is sent as a pair of entries, `<name>_from` and `<name>_to`. */
type FilterOptions<Select> =
  | ({ readonly type: 'text' } & Operators<'text'> & TextOptions)
  | ({ readonly type: 'number' } & Operators<'number'>)
  | ({ readonly type: 'select' } & Operators<'select'> & Select)
  | ({ readonly type: 'multi_select' } & Operators<'multi_select'> & Select)
  | ({ readonly type: 'boolean' } & Operators<'boolean'> & BooleanOptions)
  | ({ readonly type: 'null'; readonly labels?: { readonly set: Label; readonly notSet: Label } } & Operators<'null'>)
  | ({ readonly type: 'date' } & Operators<'date'> & DateOptions)

/**
 * A filter that leaves its type to the column of its name: the registry refuses options that do not belong to that
 * type.
 */
interface InheritedOptions<Key> extends BooleanOptions, DateOptions, TextOptions, Operators<FilterType> {
  readonly type?: never
  readonly options?: SelectOptions<Key>
}

/** The compiler's error for a misspelt filter speaks of this type. */
interface NoSourceIsCalled<Name extends string> {
  /** The source of the filter. Default: the source of the same name. */
  readonly source: Name | unknown
}

/**
 * A filter field of the form. Its name is its source, unless `source` names another key. A filter that is called like a
 * column takes the label, the type and the options that it does not declare from that column.
 */
type FilterDefinition<Name extends string, Key extends string, Scope, Column extends string> = (Name extends Column
  ? { readonly label?: Label } & (FilterOptions<{ readonly options?: SelectOptions<Key> }> | InheritedOptions<Key>)
  : { readonly label: Label } & FilterOptions<{ readonly options: SelectOptions<Key> }>) & {
  /** Requests, views and links with the former name go on working, with the headers `Deprecation` and `Sunset`. */
  readonly formerly?: Formerly
  /** The filter does not exist for a request for which this is false. */
  readonly loadIf?: (context: Scope) => boolean
} & (Name extends Key ? { readonly source?: Key } : NoSourceIsCalled<Name> & { readonly source: Key })

/** A filter with its label, type and options, declared or inherited. */
export type CompleteFilter<Scope> = FilterDefinition<string, string, Scope, never>
