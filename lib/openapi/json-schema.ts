/** A schema of the document, in JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>

export type Schemas = Readonly<Record<string, JsonSchema>>

const schemaPath = '#/components/schemas/'

/** A schema of the document by its name. */
export const ref = (name: string): JsonSchema => ({ $ref: schemaPath + name })

/** Returns a schema of all that any of `schemas` allows. Without schemas, it allows everything. */
export function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const [first, ...others] = schemas
  if (first === undefined) return {}
  return others.length === 0 ? first : { anyOf: schemas }
}

export const enumSchema = (values: Iterable<string>): JsonSchema => {
  const known = [...values]
  // An empty `enum` is no schema.
  return known.length === 0 ? { type: 'string' } : { type: 'string', enum: known }
}

/** Returns the names of the schemas to which `roots` lead, directly or through `schemas`; others are not followed. */
export function listReferences(schemas: Schemas, roots: readonly unknown[]): ReadonlySet<string> {
  const found = new Set<string>()
  const add = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    follow(schemas[name])
  }
  // Walking the objects takes a third of the time of searching their JSON, which has millions of characters for many
  // tables.
  const follow = (value: unknown): void => {
    if (typeof value === 'string') {
      if (value.startsWith(schemaPath)) add(value.slice(schemaPath.length).split('/', 1)[0] ?? '')
    } else if (Array.isArray(value)) {
      for (const inner of value) follow(inner)
    } else if (typeof value === 'object' && value !== null) {
      // A list of the values would be one object more for each that is walked.
      for (const key in value) follow((value as JsonSchema)[key])
    }
  }
  follow(roots)
  return found
}

/** Returns the schemas of these names, in the order of `schemas`. */
export const pickSchemas = (schemas: Schemas, names: ReadonlySet<string>): Schemas =>
  Object.fromEntries(Object.entries(schemas).filter(([name]) => names.has(name)))
