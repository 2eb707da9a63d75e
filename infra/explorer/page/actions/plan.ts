import type { Item, JsonSchema } from '../service/wire.ts'

/** An action that is about to run, with all that must be asked before. */
export interface Plan {
  readonly title: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  /** The keys that ask for its effects on the open page. */
  readonly page?: Readonly<Record<string, unknown>> | undefined
  /**
   * The question to confirm; empty if the title asks it. An action without question, form and recipients runs at once.
   */
  readonly question?: string
  readonly form?: JsonSchema
  readonly values?: Readonly<Record<string, unknown>>
  readonly asksEmails?: boolean
  /** How many rows it concerns. */
  readonly concerns?: number
  /** The rows that the service must count first, where the page does not know their number. */
  readonly counts?: CountedRows | undefined
  readonly row?: Item
  /** The name of the row in questions and messages. */
  readonly rowName?: string
  /** Whether the service can say first what would happen. */
  readonly canForesee?: boolean
  /** Whether rows leave the table by it. */
  readonly isRemoval?: boolean
  /** Whether rows may come into the page by it. */
  readonly canAddRows?: boolean
  /** Whether it takes back the action that `of` names. */
  readonly isUndo?: boolean
  readonly of?: string
  /** Whether the response is a form, whose submission is the second step. */
  readonly opensForm?: boolean
}

/** The rows of a query but those that are left out. */
interface CountedRows {
  readonly table: string
  readonly query: object
  readonly without: number
}

export const hasQuestions = ({ question, form, asksEmails, counts }: Plan): boolean =>
  question !== undefined || form !== undefined || asksEmails === true || counts !== undefined
