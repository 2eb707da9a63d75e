import type { JsonSchema } from '../service/wire.ts'
import { plainNumber } from '../texts/plain-number.ts'
import { readDay } from '../ui/day-field.tsx'

type FieldKind = 'text' | 'long' | 'number' | 'boolean' | 'choice' | 'list' | 'date' | 'json'

/** Whether a value may be missing. */
export const takesNull = ({ type, anyOf = [], enum: choices }: JsonSchema): boolean =>
  [type, ...anyOf.map((one) => one.type)].flat().includes('null') || choices?.includes(null) === true

/**
 * A schema that only allows "nothing" beside one other is that other one. A boolean that may be missing is a choice.
 */
export function plainSchema(schema: JsonSchema): JsonSchema {
  const something = schema.anyOf?.filter(({ type }) => type !== 'null')
  const plain = something?.length === 1 && something[0] !== undefined ? { ...schema, ...something[0] } : schema
  return takesNull(schema) && singleType(plain) === 'boolean' ? { ...plain, enum: [true, false] } : plain
}

const singleType = ({ type }: JsonSchema) => (typeof type === 'string' ? type : type?.find((one) => one !== 'null'))

const longFrom = 200

/** How a field of a form is asked for. */
export function fieldKind(schema: JsonSchema): FieldKind {
  const plain = plainSchema(schema)
  const { enum: choices, format, maxLength, items } = plain
  const single = singleType(plain)
  if (choices !== undefined) return 'choice'
  if (single === 'boolean') return 'boolean'
  if (single === 'number' || single === 'integer') return 'number'
  if (single === 'array' && (items?.type === 'string' || items?.type === 'number')) return 'list'
  if (single !== 'string') return 'json'
  if (format === 'date') return 'date'
  return maxLength !== undefined && maxLength > longFrom ? 'long' : 'text'
}

/**
 * Returns the values of a form in the types of its schema, without empty optional fields: null for one that was emptied
 * and may be missing. `present` are the values with which the form opened.
 */
export function readForm(
  schema: JsonSchema | undefined,
  present: Readonly<Record<string, unknown>>,
  form: FormData,
): Readonly<Record<string, unknown>> {
  const fields = Object.entries(schema?.properties ?? {})
  return Object.fromEntries(
    fields.flatMap(([name, field]) => {
      const isEmpty = !form.get(`field ${name}`) && fieldKind(field) !== 'boolean'
      if (!isEmpty || schema?.required?.includes(name) === true) return [[name, readField(name, field, form)]]
      return takesNull(field) && isShown(field, present[name] ?? field.default) ? [[name, null]] : []
    }),
  )
}

/** Whether the control of a field has a text for a value, which its user can then remove. */
const isShown = (field: JsonSchema, value: unknown): boolean =>
  fieldKind(field) === 'choice'
    ? plainSchema(field).enum?.some((choice) => choice !== null && String(choice) === String(value)) === true
    : String(value ?? '') !== ''

/**
 * Returns the value of one field in the type of its schema. What does not fit stays text, for the service to refuse it.
 */
export function readField(name: string, field: JsonSchema, form: FormData): unknown {
  const kind = fieldKind(field)
  const text = String(form.get(`field ${name}`) ?? '')
  if (kind === 'choice' && text === '' && takesNull(field)) return null
  return kind === 'boolean' ? text === 'on' : readEntry(kind, text, plainSchema(field))
}

function readEntry(kind: FieldKind, text: string, { enum: choices, items }: JsonSchema): unknown {
  if (kind === 'number') return parseNumber(text)
  if (kind === 'date') return readDay(text) ?? text
  if (kind === 'choice') return choices?.find((choice) => String(choice) === text) ?? text
  if (kind === 'json') return tryParseJson(text)
  if (kind !== 'list') return text
  const parts = text.split(/[,،]/).flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
  return items?.type === 'number' ? parts.map(parseNumber) : parts
}

/** Returns a number, or the text itself, so that the service reports the fault beside its field. */
function parseNumber(text: string): unknown {
  const plain = plainNumber(text)
  return plain === '' || Number.isNaN(Number(plain)) ? text : Number(plain)
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
