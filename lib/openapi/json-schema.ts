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

/** Returns a schema that also allows null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, anyOf: schemas } = schema
  if (Array.isArray(schemas)) return { ...schema, anyOf: [...schemas, { type: 'null' }] }
  if (type === undefined || 'const' in schema) return { anyOf: [schema, { type: 'null' }] }
  return { ...schema, type: [type, 'null'].flat(), ...(Array.isArray(values) && { enum: [...values, null] }) }
}

/** Returns the properties of an object, each of which may also be null. */
export const orNulls = (properties: Schemas): Schemas =>
  Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, orNull(schema)]))

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
