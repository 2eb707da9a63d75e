import type * as z from 'zod/v4/core'
import type { Label } from '../i18n/language.ts'
import type { CellValue, ValueStyle } from '../wire/vocabulary.ts'
import type { Formerly } from './formerly.ts'

/** The types that an author declares. */
export const columnTypes = [
  'text',
  'text_truncate',
  'number',
  'date',
  'link',
  'boolean',
  'html',
  'datalist',
  'image',
  'barcode',
  'actions',
] as const

export type ColumnType = (typeof columnTypes)[number]

type FirstLetters = 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm'
type Letter = FirstLetters | 'n' | 'o' | 'p' | 'q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z'

/** A language by its two letters, or one of those that have three. */
type LanguageTag = `${Letter}${Letter}` | 'ckb' | 'fil' | 'haw' | 'kok' | 'yue'

/** The order of a column's texts: `natural`, or a locale such as `ar` or `de-AT`. */
type Collation = 'natural' | LanguageTag | `${LanguageTag}-${string}`

interface ColumnBase<Scope> {
  /** Requests, views and links with the former name go on working, with the headers `Deprecation` and `Sunset`. */
  readonly formerly?: Formerly
  readonly label: Label
  /** The client's own name for the column. Default: the key. */
  readonly name?: string | null
  /** `false` starts the column hidden; its values are still sent. */
  readonly showable?: boolean
  /** A CSS length. */
  readonly minWidth?: string
  readonly showInMobileApp?: boolean
  /**
   * A column for which this is false does not exist for the request: not in structure, rows, filters, sorts or errors.
   */
  readonly loadIf?: (context: Scope) => boolean
}

/** How a link looks; an image is a link to clients that cannot show it. */
export interface LinkOptions {
  readonly linkStyle?: 'text' | 'button'
  readonly linkText?: Label
  readonly linkColor?: string
  readonly showCopyButton?: boolean
}

/** How a column shows one of its values: its label alone, or with a style. */
export type ValueLabel = Label | { readonly label: Label; readonly style?: ValueStyle }

/** Returns the label of a value with or without a style. */
export const valueLabel = (value: ValueLabel): Label =>
  typeof value === 'object' && 'label' in value ? value.label : value

/** Returns the style of a value, where it has one. */
export const valueStyle = (value: ValueLabel | undefined): ValueStyle | undefined =>
  typeof value === 'object' && 'label' in value ? value.style : undefined

/** Returns whether a function of the author writes the cells of a column over a value of the database. */
export const isFormatted = (definition: object): boolean => 'format' in definition && definition.format !== undefined

/** The settings of a type of column for the look of its cells. */
export type CellOptions =
  | { readonly type?: 'text'; readonly values?: Readonly<Record<string, ValueLabel>> }
  | { readonly type: 'text_truncate' | 'html' | 'barcode' }
  /**
   * `grouping: false` writes no thousands separators in spreadsheets, totals and ranges, as for years and numbers that
   * are names.
   */
  | { readonly type: 'number'; readonly decimals?: number; readonly grouping?: boolean }
  /** `pattern` is built of yyyy MM dd HH mm ss; its cells are written in the table's time zone. */
  | { readonly type: 'date'; readonly pattern?: string }
  | ({ readonly type: 'link' | 'image' } & LinkOptions)
  /** Default styles: `success` for true, `danger` for false. */
  | { readonly type: 'boolean'; readonly values?: { readonly true: ValueLabel; readonly false: ValueLabel } }
  | { readonly type: 'datalist'; readonly linkText?: Label }

/** How clients may change the cells of a column. */
export interface Editing<Value, Row, Scope> {
  /**
   * The values that a cell takes, and what is written for them. Default: those of the column's type in the database.
   */
  readonly schema?: z.$ZodType<Value>
  /** A row for which this is not true keeps its cell as it is. */
  readonly when?: (row: Row, context: Scope) => boolean
}

/** A column over a value of the database. `format` returns the cell for a value as drizzle types it. */
export type ColumnDefinition<Value, Row, Scope> = ColumnBase<Scope> &
  CellOptions & {
    readonly format?: (value: Value, row: Row, context: Scope) => CellValue
    /** Clients may sort by it. Sortable columns follow those that `sortables` of the table lists. */
    readonly sortable?: true
    /**
     * The order of its texts: of a locale such as `ar` or `de-AT`, or `natural`, in which `A2` comes before `A10`.
     * Default: that of the database. `natural` is a collation that a migration of the installation creates;
     * `table:lint` tells how.
     */
    readonly collation?: unknown extends Value ? Collation : [Value] extends [string | null] ? Collation : never
    /**
     * `search` of a request looks for words in it. Only texts can be searched: those of the database, not of `values`,
     * and none with a `format`.
     */
    readonly search?: unknown extends Value ? true : [Value] extends [string | null] ? true : never
    /**
     * Clients may change its cells. Only an attribute of the table itself can be edited, and none of JSON or with a
     * `format`.
     */
    readonly editable?: true | Editing<Value, Row, Scope>
    /** The audit of edits keeps that a cell was changed, but none of its values. */
    readonly sensitive?: true
  }

/**
 * A column without a source of its own: computed from the row, loaded for the whole page at once, or holding the row's
 * actions.
 */
export type VirtualColumnDefinition<Row, Scope, Fault = never> = ColumnBase<Scope> & {
  readonly sortable?: never
  readonly collation?: never
  readonly search?: never
  readonly editable?: never
  readonly sensitive?: never
} & (
    | (CellOptions & { readonly value: (row: Row, context: Scope) => CellValue })
    | (CellOptions & { readonly load: (rows: readonly Row[], context: Scope) => Promise<readonly CellValue[]> })
    | { readonly type: 'actions' }
    | Fault
  )

/**
 * The type that the compiler names in its error for a misspelt column. It has every key that such a column may have,
 * and no value is of this type.
 */
export type NoSourceIsCalled<Key extends string> = {
  readonly [Fault in `no source is called "${Key}"; a column without one has value, load or type: 'actions'`]: never
} & {
  readonly [Name in
    | keyof ColumnBase<never>
    | 'sortable'
    | 'collation'
    | 'search'
    | 'editable'
    | 'sensitive'
    | 'pattern'
    | 'decimals'
    | 'values'
    | 'grouping'
    | 'linkStyle'
    | 'linkText'
    | 'linkColor'
    | 'showCopyButton']?: unknown
} & {
  readonly type?: ColumnType
  readonly format?: (value: unknown, row: unknown, context: unknown) => unknown
}
