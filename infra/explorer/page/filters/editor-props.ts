import type { Bindings, Rows } from '../service/wire.ts'
import type { Applied, View } from '../state/view.ts'
import type { FilterField } from './filter-field.ts'

/** The properties that all filter editors share. */
export interface EditorProps {
  readonly field: FilterField
  readonly view: View
  readonly applied: readonly Applied[]
  readonly bindings: Bindings | undefined
  /** The days of the applied period, as soon as its rows are there. */
  readonly resolved?: NonNullable<Rows['resolved']>[number] | undefined
  /** No filters take it away. */
  readonly apply: (filters: readonly Applied[]) => void
  readonly close: () => void
}
