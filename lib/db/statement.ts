import type { SQL } from 'drizzle-orm'
import { CasingCache } from 'drizzle-orm/casing'

/** What postgres.js takes as a parameter of a prepared statement: text for every type but boolean. */
export type Parameter = string | number | boolean | null

/** The parameters of a statement under construction. One may be referred to many times by its number. */
export interface Statement {
  readonly parameters: Parameter[]
}

export const newStatement = (): Statement => ({ parameters: [] })

/** Adds a parameter and returns its name in the text, such as `$3`. */
export const bind = (statement: Statement, value: Parameter): string => `$${statement.parameters.push(value)}`

/** An identifier, quoted. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

// As drizzle's own dialect renders, without the builders of statements that come with it.
const rendering = {
  casing: new CasingCache(),
  escapeName: quoted,
  escapeParam: (index: number) => `$${index + 1}`,
  escapeString: (text: string) => `'${text.replaceAll("'", "''")}'`,
}

/** The text of a drizzle expression; its parameters join those of the statement. */
export function renderSql({ parameters }: Statement, expression: SQL): string {
  const known = renderings.get(expression)
  const { text, values } = known?.offset === parameters.length ? known : render(expression, parameters.length)
  for (const value of values) parameters.push(value)
  return text
}

interface Rendering {
  /** How many parameters stand before those of the expression. */
  readonly offset: number
  readonly text: string
  readonly values: readonly Parameter[]
}

/** Several statements of one request hold the same scope, and a computed source is one object for all requests. */
const renderings = new WeakMap<SQL, Rendering>()

function render(expression: SQL, offset: number): Rendering {
  const { sql: text, params } = expression.toQuery({ ...rendering, paramStartIndex: { value: offset } })
  const made = { offset, text, values: params as Parameter[] }
  renderings.set(expression, made)
  return made
}
