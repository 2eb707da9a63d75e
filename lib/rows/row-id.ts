import { fieldFault } from '../errors/field-fault.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import type { Source } from '../table/source.ts'

/** An id that must not stand in a URL's path as it is: API Gateway decodes paths and cuts them at a decoded `?`. */
const unsafeInPath = /[/?#%\\]|^~|^\.{1,2}$|^$/

/** An id as one segment of a URL: percent-encoded, or `~` and base64url where that would not survive. */
export const encodePathId = (id: string): string =>
  unsafeInPath.test(id) ? `~${toBase64Url(id)}` : encodeURIComponent(id)

const toBase64Url = (id: string): string => Buffer.from(id).toString('base64url')

/**
 * The id in a path that the gateway has already decoded once; it is never decoded twice. Throws `row_not_found` for
 * what stands behind `~` and is no base64url of a text.
 */
export function readPathId(segment: string): string {
  if (!segment.startsWith('~')) return segment
  const encoded = segment.slice(1).replace(/=+$/, '')
  const id = Buffer.from(encoded, 'base64url').toString()
  if (toBase64Url(id) !== encoded) throw new RequestError('row_not_found')
  return id
}

/**
 * Converts the text of a key to the id of an item: a number if a JavaScript number can hold every key of the table,
 * else the text. So is a key that was kept before keys became numbers.
 */
export function toRowId(key: Source, text: string): string | number {
  const id = hasNumberIds(key) ? Number(text) : Number.NaN
  return Number.isNaN(id) ? text : id
}

/** Whether items of a table with this key have numbers as ids. */
export const hasNumberIds = ({ kind, sqlType }: Source): boolean => kind === 'integer' && !sqlType.startsWith('big')

/** JSON.parse may already have changed the digits of such a number, so it could name another row. */
const isUnsafe = (id: unknown): boolean => typeof id === 'number' && !Number.isSafeInteger(id)

/** The maximum number of `selected_ids` of an action on several rows. */
export const maxSelectedRows = 1_000

/**
 * A list of row ids, duplicates dropped, in its order. Throws `validation_failed` naming the list or the entry that
 * cannot be an id: neither text nor number, or a number whose digits JSON cannot hold.
 */
export function readIds(value: unknown, field: string, min: number, max: number): readonly (string | number)[] {
  if (value === undefined) throw validationFailed({ [field]: [fieldFault('required')] })
  if (!Array.isArray(value)) throw validationFailed({ [field]: [fieldFault('not_a_list')] })
  if (value.length < min) throw validationFailed({ [field]: [fieldFault('empty')] })
  if (value.length > max) throw validationFailed({ [field]: [fieldFault('too_many', { max })] })
  const wrong = value.findIndex((id) => (typeof id !== 'string' && typeof id !== 'number') || isUnsafe(id))
  if (wrong >= 0) throw validationFailed({ [`${field}.${wrong}`]: [fieldFault('not_an_id')] })
  const seen = new Map(value.map((id: string | number) => [String(id), id]))
  return [...seen.values()]
}
