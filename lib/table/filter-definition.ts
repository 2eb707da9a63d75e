import type { Label } from '../i18n/language.ts'
import type { Operator } from '../wire/vocabulary.ts'

/** Choices of a select: plain values, values with labels, or `bindings` for the table's binding of the same name. */
export type SelectOptions = readonly string[] | Readonly<Record<string, Label>> | 'bindings'

interface BooleanOptions {
  readonly labels?: { readonly true: Label; readonly false: Label }
  readonly selected?: boolean
}

interface DateOptions {
  /** An ISO date, as is `max`. */
  readonly min?: string
  readonly max?: string
}

/** The types of a filter. A date is sent as a pair of entries, `<name>_from` and `<name>_to`. */
type FilterOptions<Select> =
  | { readonly type: 'text' | 'number' }
  | ({ readonly type: 'select' | 'multi_select' } & Select)
  | ({ readonly type: 'boolean' } & BooleanOptions)
  | { readonly type: 'null'; readonly labels?: { readonly set: Label; readonly notSet: Label } }
  | ({ readonly type: 'date' } & DateOptions)

/** A filter that leaves its type to the column of its name: the registry refuses options that do not belong to that type. */
interface InheritedOptions extends BooleanOptions, DateOptions {
  readonly type?: never
  readonly options?: SelectOptions
}

/** The compiler's error for a misspelt filter speaks of this type. */
interface NoSourceIsCalled<Name extends string> {
  /** What the filter compares, where that is not called like the filter. */
  readonly source: Name | unknown
}

/**
 * A filter field of the form. Its name is its source, unless `source` names another key. A filter that is called like a column
 * takes the label, the type and the options that it does not declare from that column.
 */
export type FilterDefinition<
  Name extends string,
  Key extends string,
  Scope,
  Column extends string,
> = (Name extends Column
  ? { readonly label?: Label } & (FilterOptions<{ readonly options?: SelectOptions }> | InheritedOptions)
  : { readonly label: Label } & FilterOptions<{ readonly options: SelectOptions }>) & {
  /** Overrides the operators that its type allows; the first is the default. */
  readonly operators?: readonly [Operator, ...Operator[]]
  /** Where it is false, the filter does not exist for this request. */
  readonly loadIf?: (context: Scope) => boolean
} & (Name extends Key ? { readonly source?: Key } : NoSourceIsCalled<Name> & { readonly source: Key })

/** A filter with its label, type and options, declared or inherited. */
export type CompleteFilter<Scope> = FilterDefinition<string, string, Scope, never>
