import fc from 'fast-check'
import type { OpenApiDocument } from '../../../lib/index.ts'
import type { JsonSchema } from '../../../lib/openapi/json-schema.ts'
import { resolveReference } from './operation-place.ts'

interface Schema extends JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly [limit: string]: unknown
}

const anyText = fc.oneof(
  fc.constantFrom('', 'all', '2026-01-01', '7', 'today', 'Asia/Riyadh'),
  fc.string({ unit: 'grapheme-ascii', maxLength: 8 }),
)

const anyJson = fc.oneof(anyText, fc.integer(), fc.boolean(), fc.constant(null))

/** Optional keys of an object at once: more would seldom be accepted together. */
const maxOptionalKeys = 3

/** Creates values that a schema of a document allows; groups within groups at most `depth` deep. */
export function anyDescribed(document: OpenApiDocument, schema: JsonSchema, depth = 6): fc.Arbitrary<unknown> {
  const inner = (part: JsonSchema) => anyDescribed(document, part, depth - 1)
  const { $ref, anyOf, allOf, ...own } = schema as Schema
  if ($ref !== undefined) return anyDescribed(document, resolveReference(document, $ref) as JsonSchema, depth)
  if (allOf !== undefined) return fc.tuple(...allOf.map(inner)).map((parts) => Object.assign({}, ...parts))
  if (anyOf !== undefined) {
    // The last one of a group is a filter.
    const parts = depth > 0 ? anyOf : anyOf.slice(-1)
    return fc.oneof(...parts.map((part) => inner(own.type === 'object' ? { ...own, ...part } : part)))
  }
  if ('const' in own) return fc.constant(own['const'])
  if (own.enum !== undefined) return fc.constantFrom(...own.enum)
  const types = [own.type ?? (own.properties ? 'object' : 'any')].flat()
  return fc.oneof(...types.map((type) => anyOfType(type, own, inner)))
}

function anyOfType(type: string, schema: Schema, inner: (part: JsonSchema) => fc.Arbitrary<unknown>) {
  const {
    minimum = -5,
    maximum = 50,
    minLength = 0,
    maxLength = 50,
    minItems = 0,
    maxItems = 3,
  } = schema as Record<string, number>
  if (type === 'null') return fc.constant(null)
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer' || type === 'number') return fc.integer({ min: minimum, max: Math.max(minimum, maximum) })
  if (type === 'array') {
    const max = Math.min(maxItems, Math.max(3, minItems))
    return fc.array(inner(schema.items ?? {}), { minLength: minItems, maxLength: max })
  }
  if (type === 'object') return anyObject(schema, inner)
  if (type !== 'string') return anyJson
  if (schema['format'] === 'uuid') return fc.uuid()
  if (schema['format'] === 'email') return fc.constant('name@example.test')
  if (schema['format'] === 'date-time') return fc.constant('2026-01-02T03:04:05.000Z')
  if (schema['pattern'] === '^\\d+$') return fc.integer({ min: Math.max(minimum, 0), max: maximum }).map(String)
  return anyText.filter(({ length }) => length >= minLength && length <= maxLength)
}

function anyObject(
  { properties = {}, required = [] }: Schema,
  inner: (part: JsonSchema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const optional = Object.keys(properties).filter((key) => !required.includes(key))
  return fc.subarray(optional, { maxLength: Math.min(maxOptionalKeys, optional.length) }).chain((kept) => {
    const keys = [...required, ...kept]
    return fc.record(Object.fromEntries(keys.map((key) => [key, inner(properties[key] ?? {})])))
  })
}
