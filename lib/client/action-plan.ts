import type { RowId } from './wire.ts'

/** A plan of an action, which has changed nothing. Its `id` as `plan_id` runs it until `expires_at`, once. */
export interface ActionPlan {
  readonly id: string
  readonly rows: number
  readonly applicable: number
  readonly refused: readonly {
    readonly code: string
    readonly text: string
    readonly count: number
    readonly sample_ids: readonly RowId[]
  }[]
  /** The first rows as they are and as the action would leave them; empty if the action cannot be tried. */
  readonly sample: readonly {
    readonly id: RowId
    readonly before: object | null
    readonly after: object | null
    /** The sensitive columns whose cells differ; their values are left out. */
    readonly redacted?: readonly string[]
  }[]
  readonly sample_omitted?: string
  readonly expires_at: string
}
