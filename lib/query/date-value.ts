import { bind, type Statement } from '../db/statement.ts'
import { valueFault } from '../errors/request-error.ts'
import type { Ordering } from '../table/filter-operators.ts'
import type { Source } from '../table/source.ts'

/** A date of a request: a whole day, a clock time in the table's time zone, or an instant. */
export interface DateValue {
  readonly form: 'day' | 'clock' | 'instant'
  readonly text: string
}

/** A comparison with a date of a request. */
export type DateBound = readonly [operator: Ordering, date: DateValue]

const isoDate =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i
const dayFirst = /^(\d{2})-(\d{2})-(\d{4})$/
const digits = /^-?\d{6,16}$/

/** Reads every form of a date: ISO date or date-time, dd-MM-yyyy, epoch milliseconds. Years 1 to 9999. */
export function readDate(value: unknown): DateValue {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text.length > 64) throw valueFault('not_a_date')
  const trimmed = text.trim()
  if (typeof value === 'number' ? Number.isInteger(value) : digits.test(trimmed)) return toInstant(Number(trimmed))
  const reversed = dayFirst.exec(trimmed)
  const parts = isoDate.exec(reversed === null ? trimmed : `${reversed[3]}-${reversed[2]}-${reversed[1]}`)
  if (parts === null) throw valueFault('not_a_date')
  const [whole, year = '', month = '', day = '', hour, minute, second, offset] = parts
  if (!isDay(year, month, day) || Number(hour ?? 0) > 23 || Number(minute ?? 0) > 59 || Number(second ?? 0) > 59) {
    throw valueFault('not_a_date')
  }
  if (hour === undefined) return { form: 'day', text: `${year}-${month}-${day}` }
  if (offset === undefined) return { form: 'clock', text: whole.replace(/t/i, ' ') }
  return parseInstant(whole.toUpperCase(), offset.toUpperCase())
}

function isDay(year: string, month: string, day: string): boolean {
  const y = Number(year)
  const m = Number(month)
  const d = Number(day)
  const leap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0
  const longest = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][m - 1] ?? 0
  return y >= 1 && d >= 1 && d <= longest
}

const earliest = Date.parse('0001-01-01T00:00:00Z')
const latest = Date.parse('9999-12-31T23:59:59.999Z')

function toInstant(milliseconds: number): DateValue {
  if (!(milliseconds >= earliest && milliseconds <= latest)) throw valueFault('not_a_date')
  return { form: 'instant', text: new Date(milliseconds).toISOString() }
}

/** Keeps the digits of the second as they came: a double of milliseconds would cut them. */
function parseInstant(whole: string, offset: string): DateValue {
  const clock = whole.slice(0, -offset.length).trim().replace(' ', 'T')
  const zone = offset === 'Z' ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`
  // Postgres knows no offset of 16 hours and more.
  if (zone !== 'Z' && Number(zone.slice(1, 3)) > 15) throw valueFault('not_a_date')
  toInstant(Date.parse(clock + zone))
  return { form: 'instant', text: clock + zone }
}

/** The first moment of a date value, in the type that its source compares with. */
export const startText = (statement: Statement, source: Source, value: DateValue, timeZone: string): string =>
  moment(source, bind(statement, value.text), value.form, timeZone)

/** The first moment after a whole day; only a day has one. */
export const endText = (statement: Statement, source: Source, value: DateValue, timeZone: string): string =>
  moment(source, `(${bind(statement, value.text)}::date + 1)`, value.form, timeZone)

/** Time zones and form names come from checked settings, never from a request, so they may stand in the text. */
function moment(source: Source, text: string, form: DateValue['form'], timeZone: string): string {
  if (source.isInstant) {
    if (form === 'instant') return `${text}::timestamptz`
    const at = (local: string) => `(${local} at time zone '${timeZone}')`
    const clock = `${text}::timestamp`
    if (form === 'clock') return at(clock)
    // Postgres takes the second of two midnights, and the day begins at the first: after the last moment of the day
    // before.
    return `least(${at(clock)}, ${at(`(${clock} - interval '1 us')`)} + interval '1 us')`
  }
  if (form === 'instant') return `(${text}::timestamptz at time zone '${timeZone}')`
  return form === 'day' && source.kind === 'date' ? `${text}::date` : `${text}::timestamp`
}
