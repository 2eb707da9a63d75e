/** The shape of a table for types. No value has it at run time: it types clients of the same repository. */
export interface TableShape {
  readonly name: string
  /** The keys under which items have their cells. */
  readonly column: string
  readonly filter: string
  readonly sort: string
  readonly params: unknown
  /** The values that clients may write, by the key of each editable column. */
  readonly cells: object
  /** The input of each action's form, by the action's key; `unknown` for an action without a form. */
  readonly rowActions: object
  readonly bulkActions: object
}
