/** What types know of a table. Nothing is of this type at run time: clients of the same repository are typed by it. */
export interface TableShape {
  readonly name: string
  /** The keys under which items have their cells. */
  readonly column: string
  readonly filter: string
  readonly sort: string
  readonly params: unknown
  /** What each action's form asks for, by the action's key; `unknown` for an action without a form. */
  readonly rowActions: object
  readonly bulkActions: object
}
