import type { FilterType, Operator } from '../wire/vocabulary.ts'

/** The operators that are written into a statement as they are. */
export type Ordering = '=' | '!=' | '<' | '<=' | '>' | '>='
type Presence = 'is null' | 'is not null'

/** The operators that a cold start reads. */
export type BasicOperator = Ordering | 'like' | 'not like' | 'in' | 'not in' | 'between'

/** The operators that a filter of each type may allow. */
export interface OperatorsByType extends Readonly<Record<FilterType, Operator>> {
  readonly text: '=' | '!=' | 'like' | 'not like' | 'in' | 'not in' | 'starts with' | 'ends with' | Presence
  readonly number: Ordering | 'in' | 'not in' | 'between' | 'not between' | Presence
  readonly select: '=' | '!=' | 'in' | 'not in' | Presence
  readonly multi_select: 'in' | 'not in' | Presence
  readonly boolean: '=' | '!=' | Presence
  readonly null: '='
  readonly date: Ordering | 'between' | 'not between' | 'within' | Presence
}

/** Whether a filter of a type takes the value `all`, which restricts nothing. */
export const takesAll = (type: FilterType): boolean =>
  type === 'select' || type === 'multi_select' || type === 'boolean' || type === 'null'
