import { isReadableText } from '../errors/readable-text.ts'
import { uuid } from '../query/read-value.ts'
import type { Source } from '../table/source.ts'
import { integerRange, type ValueKind } from '../table/value-kind.ts'

/** The most bytes of an entry of a Postgres index, by which every key is unique. */
const maxKeyLength = 2_704

/**
 * The text of a JSON id as Postgres compares it, or `undefined` for what cannot be the key of any row of this table.
 */
export function keyText(key: Source, id: unknown): string | undefined {
  if (typeof id !== 'string' && typeof id !== 'number') return undefined
  const text = String(id)
  if (text.length > maxKeyLength || !isReadableText(text)) return undefined
  if (key.kind === 'integer') return integerText(key, text)
  if (key.kind === 'decimal') return decimal.test(text) ? text : undefined
  if (key.kind === 'enum') return key.enumValues?.includes(text) ? text : undefined
  if (key.kind === 'uuid') return uuid.test(text) ? text.toLowerCase() : undefined
  if (key.kind === 'date' || key.kind === 'timestamp' || key.kind === 'instant')
    return isMoment(key.kind, text) ? text : undefined
  return text
}

/** The kinds that take only certain texts, whatever rows there are. */
const strictKinds: ReadonlySet<ValueKind> = new Set(['integer', 'decimal', 'uuid', 'date', 'timestamp', 'instant'])

/**
 * Whether a key that was read from the database can be one now: not after its type has changed. A text may be longer
 * than `keyText` takes, and an enum may have more values than the table file lists.
 */
export const fitsKey = (key: Source, text: string): boolean =>
  !strictKinds.has(key.kind) || keyText(key, text) !== undefined

const decimal = /^(-?\d{1,100}(\.\d{1,100})?|NaN|-?Infinity)$/

const clock = '([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,6})?'
const moments = {
  date: { clock: /^$/, maxYear: 5_874_897 },
  timestamp: { clock: new RegExp(`^ ${clock}$`), maxYear: 294_276 },
  instant: { clock: new RegExp(`^ ${clock}\\+00$`), maxYear: 294_276 },
}

/**
 * Whether a text is a day or a moment as Postgres writes it, in UTC. Postgres would refuse a statement with one that
 * does not exist.
 */
function isMoment(kind: keyof typeof moments, text: string): boolean {
  if (text === 'infinity' || text === '-infinity') return true
  const [, years = '', month, day, rest = '', era] = /^(\d{4}|[1-9]\d{4,6})-(\d\d)-(\d\d)(.*?)( BC)?$/.exec(text) ?? []
  const year = era === undefined ? Number(years) : 1 - Number(years)
  if (!moments[kind].clock.test(rest) || Number(years) === 0 || year < minYear || year > moments[kind].maxYear)
    return false
  // The calendar repeats after 400 years, and Date does not know years beyond 275760.
  const date = new Date(Date.UTC(2000 + (((year % 400) + 400) % 400), Number(month) - 1, Number(day)))
  return date.getUTCMonth() + 1 === Number(month)
}

/** The first whole year of Postgres, 4713 BC. */
const minYear = -4_712

function integerText(key: Source, text: string): string | undefined {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return undefined
  const [min, max] = integerRange(key.sqlType)
  const value = BigInt(text)
  return value >= min && value <= max ? text : undefined
}
