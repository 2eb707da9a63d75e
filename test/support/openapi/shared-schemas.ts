import type { SchemaValidateFunction } from 'ajv'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { OpenApiDocument } from '../../../lib/index.ts'

/** Compiles the schemas of one document. */
export interface DocumentSchemas {
  /** The validator of the schema at this place of the document. */
  readonly compile: (pointer: string) => ValidateFunction
}

/** Bounds what a process keeps: tests of random tables make thousands of documents. */
const maxSchemas = 5_000

/**
 * Schemas by their text: those that several documents have in common are compiled once, which is most of checking a
 * response.
 */
let shared = emptyShelf()

function emptyShelf() {
  const ajv = new Ajv2020({
    strict: false,
    // Forms of authors have others, which are not checked.
    formats: {
      'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
      uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
    },
    logger: false,
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
  })
  // A reference is compiled when a value gets there: most requests have few of the keys that they may have.
  const validate: SchemaValidateFunction = (name: string, data: unknown, _, context) => {
    const shared = ajv.getSchema(name) as ValidateFunction
    const isValid = shared(data, context)
    validate.errors = shared.errors ?? []
    return isValid
  }
  ajv.addKeyword({ keyword: 'reference', schemaType: 'string', validate })
  return { ajv, names: new Map<string, string>() }
}

/** Compiles the schemas of a document, each when it is first asked for. */
export function documentSchemas(document: OpenApiDocument): DocumentSchemas {
  const compiled = new Map<string, ValidateFunction>()
  let shelf = shared
  let share = createSharing(document)
  return {
    compile: (pointer) => {
      const known = compiled.get(pointer)
      if (known !== undefined) return known
      if (shared.names.size > maxSchemas) shared = emptyShelf()
      if (shelf !== shared) [shelf, share] = [shared, createSharing(document)]
      const name = share(pointer)
      const validate = shared.ajv.getSchema(name)
      if (validate === undefined) throw new Error(`${name} cannot be compiled`)
      compiled.set(pointer, validate)
      return validate
    },
  }
}

/** Creates the function that returns the name under which the schema at a place of the document is shared. */
function createSharing(document: OpenApiDocument): (pointer: string) => string {
  /** Those of the document, `null` while they are made. */
  const names = new Map<string, string | null>()
  const making: string[] = []
  let whole: string | undefined
  return function share(pointer) {
    if (making.at(-1) === pointer) return '#'
    const own = names.get(pointer)
    if (own === null) {
      // A schema that refers to itself has no text of its own: it stays in its document.
      whole ??= addSchema(document, 'document')
      return `${whole}${pointer}`
    }
    if (own !== undefined) return own
    names.set(pointer, null)
    making.push(pointer)
    const keys = readKeys(pointer)
    const schema = resolveKeys(document, keys)
    if (schema === undefined) throw new Error(`the document has no schema at ${pointer}`)
    const name = addSchema(withSharedReferences(schema, share), keys.at(-1) ?? '')
    names.set(pointer, name)
    making.pop()
    return name
  }
}

function addSchema(schema: unknown, title: string): string {
  const text = JSON.stringify(schema)
  const known = shared.names.get(text)
  if (known !== undefined) return known
  const name = `${title.replace(/\W+/g, '-')}-${shared.names.size}`
  shared.ajv.addSchema(Object(schema), name)
  shared.names.set(text, name)
  return name
}

function withSharedReferences(node: unknown, share: (pointer: string) => string): unknown {
  if (Array.isArray(node)) return node.map((part) => withSharedReferences(part, share))
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, part]) => {
      if (key !== '$ref' || typeof part !== 'string') return [key, withSharedReferences(part, share)]
      const name = share(part)
      return name.includes('#') ? ['$ref', name] : ['reference', name]
    }),
  )
}

const readKeys = (pointer: string): readonly string[] =>
  pointer
    .slice(2)
    .split('/')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))

const resolveKeys = (document: OpenApiDocument, keys: readonly string[]): unknown =>
  keys.reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], document)
