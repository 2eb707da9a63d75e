import type { Bindings } from '../service/wire.ts'
import type { Applied } from '../state/view.ts'
import type { FilterField } from './filter-field.ts'

/** The properties that all filter editors share. */
export interface EditorProps {
  readonly field: FilterField
  readonly applied: readonly Applied[]
  readonly bindings: Bindings | undefined
  /** No filters take it away. */
  readonly apply: (filters: readonly Applied[]) => void
  readonly close: () => void
}
