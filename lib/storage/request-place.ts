/** The caller and the table of a request, for which alone an undo, an import or a plan is found again. */
export interface RequestPlace {
  readonly subject: string
  readonly guard: string
  readonly tableName: string
  /** The `params` of the request as JSON. */
  readonly params: string
}
