import { fieldFault } from '../errors/field-fault.ts'
import { isReadableText } from '../errors/readable-text.ts'
import { validationFailed } from '../errors/request-error.ts'
import { uuid } from '../query/read-value.ts'
import type { Source } from '../table/source.ts'
import { integerRange } from '../table/value-kind.ts'

/** An id that must not stand in a URL's path as it is: API Gateway decodes paths and cuts them at a decoded `?`. */
const unsafeInPath = /[/?#%\\]|^~|^\.{1,2}$|^$/

/** An id as one segment of a URL: percent-encoded, or `~` and base64url where that would not survive. */
export const encodePathId = (id: string): string =>
  unsafeInPath.test(id) ? `~${Buffer.from(id).toString('base64url')}` : encodeURIComponent(id)

/** The id in a path that the gateway has already decoded once; it is never decoded twice. */
export const readPathId = (segment: string): string =>
  segment.startsWith('~') ? Buffer.from(segment.slice(1), 'base64url').toString() : segment

/** The id of an item, which is a number wherever a JavaScript number holds every key, out of a key's text. */
export const toRowId = (key: Source, text: string): string | number => (hasNumberIds(key) ? Number(text) : text)

/** Whether items of a table with this key have numbers as ids. */
export const hasNumberIds = ({ kind, sqlType }: Source): boolean => kind === 'integer' && !sqlType.startsWith('big')

/** The text of a JSON id as Postgres compares it, or `undefined` for what cannot be the key of any row of this table. */
export function keyText(key: Source, id: unknown): string | undefined {
  if (typeof id !== 'string' && typeof id !== 'number') return undefined
  const text = String(id)
  if (text.length > 1_000 || !isReadableText(text)) return undefined
  if (key.kind === 'integer') return integerText(key, text)
  if (key.kind === 'decimal') return /^-?\d{1,100}(\.\d{1,100})?$/.test(text) ? text : undefined
  if (key.kind === 'enum') return key.enumValues?.includes(text) ? text : undefined
  if (key.kind === 'uuid') return uuid.test(text) ? text.toLowerCase() : undefined
  return text
}

function integerText(key: Source, text: string): string | undefined {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return undefined
  const [least, most] = integerRange(key.sqlType)
  const value = BigInt(text)
  return value >= least && value <= most ? text : undefined
}

/** JSON.parse may already have changed the digits of such a number, so it could name another row. */
const isUnsafe = (id: unknown): boolean => typeof id === 'number' && !Number.isSafeInteger(id)

/** The maximum number of `selected_ids` of an action on several rows. */
export const maxSelectedRows = 1_000

/**
 * A list of row ids, duplicates dropped, in its order. Throws `validation_failed` naming the list or the entry that cannot be
 * an id: neither text nor number, or a number whose digits JSON cannot hold.
 */
export function readIds(value: unknown, field: string, least: number, most: number): readonly (string | number)[] {
  if (value === undefined) throw validationFailed({ [field]: [fieldFault('required')] })
  if (!Array.isArray(value)) throw validationFailed({ [field]: [fieldFault('not_a_list')] })
  if (value.length < least) throw validationFailed({ [field]: [fieldFault('empty')] })
  if (value.length > most) throw validationFailed({ [field]: [fieldFault('too_many', { most })] })
  const wrong = value.findIndex((id) => (typeof id !== 'string' && typeof id !== 'number') || isUnsafe(id))
  if (wrong >= 0) throw validationFailed({ [`${field}.${wrong}`]: [fieldFault('not_an_id')] })
  const seen = new Map(value.map((id: string | number) => [String(id), id]))
  return [...seen.values()]
}
