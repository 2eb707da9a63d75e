import type { Column, SQL } from 'drizzle-orm'
import type { CasingCache } from 'drizzle-orm/casing'

/** A parameter of a statement under construction. `parameterTexts` writes it as text. */
export type Parameter = string | number | boolean | null

/** The parameters of a statement under construction. One may be referred to many times by its number. */
export interface Statement {
  readonly parameters: Parameter[]
}

export const createStatement = (): Statement => ({ parameters: [] })

/** Adds a parameter and returns its name in the text, such as `$3`. */
export const bind = (statement: Statement, value: Parameter): string => `$${statement.parameters.push(value)}`

/** An identifier, quoted. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * The names of columns as their tables declare them. Drizzle's own cache knows tables by their names, so that columns
 * of a second definition of a table would have none.
 */
export const declaredNames = { getColumnCasing: ({ name }: Column) => name } as CasingCache

// As drizzle's own dialect renders, without the builders of statements that come with it.
const rendering = {
  casing: declaredNames,
  escapeName: quoteName,
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

/** A parameter of a statement. The server infers its type from its place in the text. */
export type ParameterValue = string | number | bigint | boolean | null | Date | Uint8Array | readonly ParameterValue[]

const maxParameters = 65_000

/**
 * Parameters in the server's text format. Objects become JSON. Throws a TypeError for `undefined`, a function or a
 * symbol, and for more than 65,000: the driver would lose its place in the protocol.
 */
export function parameterTexts(parameters: readonly unknown[]): (string | null)[] {
  if (parameters.length > maxParameters) throw new TypeError(`a statement has ${parameters.length} parameters`)
  return parameters.map(parameterText)
}

function parameterText(value: unknown): string | null {
  if (typeof value === 'string' || value === null) return value
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value !== 'object') throw new TypeError(`a parameter of a statement is ${typeof value}`)
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
  return Array.isArray(value) ? arrayText(value) : JSON.stringify(value)
}

function arrayText(values: readonly unknown[]): string {
  return `{${values.map((value) => (Array.isArray(value) ? arrayText(value) : elementText(value))).join(',')}}`
}

function elementText(value: unknown): string {
  const text = parameterText(value)
  return text === null ? 'NULL' : `"${text.replace(/["\\]/g, '\\$&')}"`
}
