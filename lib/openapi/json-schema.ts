/** A schema of the document, in JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>

export type Schemas = Readonly<Record<string, JsonSchema>>

/** A schema of the document by its name. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** One of several schemas; what is left where there is but one, and anything where there is none. */
export const oneOfMany = (schemas: readonly JsonSchema[]): JsonSchema =>
  schemas.length === 0 ? {} : schemas.length === 1 && schemas[0] !== undefined ? schemas[0] : { anyOf: schemas }

export const textOneOf = (values: Iterable<string>): JsonSchema => {
  const known = [...values]
  // An empty `enum` is no schema.
  return known.length === 0 ? { type: 'string' } : { type: 'string', enum: known }
}
