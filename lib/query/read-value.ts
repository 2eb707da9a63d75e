import { fieldFault } from '../errors/field-fault.ts'
import { isReadableText } from '../errors/readable-text.ts'
import { validationFailed, valueFault } from '../errors/request-error.ts'

/** The most characters of a text that a filter takes. */
export const maxTextLength = 1_000

/** The most characters of a number that a filter takes. */
export const maxNumberLength = 100

const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i

/** A text of at most 1,000 characters that Postgres can hold; numbers are taken as their digits. */
export function readText(value: unknown): string {
  const text = typeof value === 'number' && Number.isFinite(value) ? String(value) : value
  if (typeof text !== 'string') throw valueFault('not_a_text')
  if (text.length > maxTextLength) throw valueFault('too_long', { max: maxTextLength })
  if (!isReadableText(text)) throw valueFault('unreadable_text')
  return text
}

/** A finite number as exact decimal digits, whether it came as JSON number or as text. */
export function readDecimal(value: unknown): string {
  if (typeof value !== 'number' && typeof value !== 'string') throw valueFault('not_a_number')
  const text = String(value).trim()
  const readable = text.length <= maxNumberLength && decimal.test(text) && Number.isFinite(Number(text))
  if (!readable) throw valueFault('not_a_number')
  return text
}

/** The spellings of truth values. */
export const truths: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [1, true],
  ['1', true],
  ['true', true],
  [false, false],
  [0, false],
  ['0', false],
  ['false', false],
])

/** A truth value, also as 1, 0, "1", "0", "true" or "false". */
export function readBoolean(value: unknown): boolean {
  const truth = truths.get(value)
  if (truth === undefined) throw valueFault('not_a_boolean')
  return truth
}

/** A UUID of any version. */
export const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A text with the form of a UUID. */
export function readUuid(value: unknown): string {
  const text = readText(value).trim()
  if (!uuid.test(text)) throw valueFault('not_a_uuid')
  return text
}

const maxListLength = 1_000

/** A list of values, also as one text with commas. */
export function readList(value: unknown): readonly unknown[] {
  const list = typeof value === 'string' ? value.split(',', maxListLength + 1).map((part) => part.trim()) : value
  const entries = typeof list === 'number' || typeof list === 'boolean' ? [list] : list
  if (!Array.isArray(entries)) throw valueFault('not_a_list')
  if (entries.length > maxListLength) throw valueFault('too_many', { max: maxListLength })
  return entries
}

/** Both ends of a range: a list of two, or `"A - B"`. */
export function readRange(value: unknown): readonly [unknown, unknown] {
  const ends = typeof value === 'string' ? value.split(' - ', 3) : value
  if (!Array.isArray(ends) || ends.length !== 2) throw valueFault('not_a_range')
  return [ends[0], ends[1]]
}

/** A whole number between two bounds, also as digits in a text; an error names `field`. */
export function readWhole(value: unknown, min: number, max: number, field: string): number {
  const whole = typeof value === 'string' && /^\s*\d{1,16}\s*$/.test(value) ? Number(value) : value
  if (typeof whole !== 'number' || !Number.isInteger(whole) || whole < min || whole > max) {
    throw validationFailed({ [field]: [fieldFault('not_whole', { min, max })] })
  }
  return whole
}

/** Returns how many rows stand before a page. Throws `validation_failed` if these are more than `max`. */
export function pageOffset(page: number, limit: number, max = Number.POSITIVE_INFINITY): number {
  const offset = (page - 1) * limit
  if (offset > max) throw validationFailed({ page: [fieldFault('page_too_deep', { max })] })
  return offset
}
