import { type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'

/** What postgres.js takes as a parameter of a prepared statement: text for every type but boolean. */
export type Parameter = string | number | boolean | null

/** The parameters of a statement under construction. One may be referred to many times by its number. */
export interface Statement {
  readonly parameters: Parameter[]
}

export const newStatement = (): Statement => ({ parameters: [] })

/** Adds a parameter and returns its name in the text, such as `$3`. */
export const bind = (statement: Statement, value: Parameter): string => `$${statement.parameters.push(value)}`

const identifier = new PgDialect()

/** An identifier, quoted. */
export const quoted = (name: string): string => identifier.escapeName(name)

/** The text of a drizzle expression; its parameters join those of the statement. */
export function renderSql(statement: Statement, expression: SQL): string {
  const offset = statement.parameters.length
  const { sql: text, params } = identifier.sqlToQuery(expression)
  if (params.length === 0) return text
  statement.parameters.push(...(params as Parameter[]))
  return offset === 0 ? text : renumbered(expression, offset)
}

/** A second rendering, because a `$1` inside a string literal must stay what it is. */
function renumbered(expression: SQL, offset: number): string {
  const shifted = new PgDialect()
  shifted.escapeParam = (index) => `$${index + 1 + offset}`
  return shifted.sqlToQuery(sql`${expression}`).sql
}
