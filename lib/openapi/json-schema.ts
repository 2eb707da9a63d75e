/** A schema of the document, in JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>

export type Schemas = Readonly<Record<string, JsonSchema>>

/** A schema of the document by its name. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** One of several schemas; what is left where there is but one, and anything where there is none. */
export const oneOfMany = (schemas: readonly JsonSchema[]): JsonSchema =>
  schemas.length === 0 ? {} : schemas.length === 1 && schemas[0] !== undefined ? schemas[0] : { anyOf: schemas }

export const enumSchema = (values: Iterable<string>): JsonSchema => {
  const known = [...values]
  // An empty `enum` is no schema.
  return known.length === 0 ? { type: 'string' } : { type: 'string', enum: known }
}

/** Returns the schemas to which `roots` lead, directly or through one another. */
export function referencedSchemas(schemas: Schemas, roots: readonly unknown[]): Schemas {
  const found = new Set<string>()
  const follow = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"/]+)/g)) {
      if (found.has(name)) continue
      found.add(name)
      follow(schemas[name] ?? {})
    }
  }
  follow(roots)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)))
}
