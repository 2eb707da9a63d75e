import type { Label } from '../i18n/language.ts'
import type { Operator } from '../wire/vocabulary.ts'

/** Choices of a select: plain values, values with labels, or `bindings` for the table's binding of the same name. */
export type SelectOptions = readonly string[] | Readonly<Record<string, Label>> | 'bindings'

type FilterOptions =
  | { readonly type: 'text' | 'number' }
  | { readonly type: 'select' | 'multi_select'; readonly options: SelectOptions }
  | {
      readonly type: 'boolean'
      readonly labels?: { readonly true: Label; readonly false: Label }
      readonly selected?: boolean
    }
  | { readonly type: 'null'; readonly labels?: { readonly set: Label; readonly notSet: Label } }
  /** Sent as a pair of entries, `<name>_from` and `<name>_to`; `min` and `max` are ISO dates. */
  | { readonly type: 'date'; readonly min?: string; readonly max?: string }

/** The compiler's error for a misspelt filter speaks of this type. */
interface NoSourceIsCalled<Name extends string> {
  /** What the filter compares, where that is not called like the filter. */
  readonly source: Name | unknown
}

/** A filter field of the form. Its name is its source, unless `source` names another key. */
export type FilterDefinition<Name extends string, Key extends string, Scope> = FilterOptions & {
  readonly label: Label
  /** Overrides the operators that its type allows; the first is the default. */
  readonly operators?: readonly [Operator, ...Operator[]]
  /** Where it is false, the filter does not exist for this request. */
  readonly loadIf?: (context: Scope) => boolean
} & (Name extends Key ? { readonly source?: Key } : NoSourceIsCalled<Name> & { readonly source: Key })
