import { isFloat } from '../query/compare.ts'
import { countDigits } from '../rows/decimal-text.ts'
import type { CompiledColumn } from '../table/compiled-table.ts'
import type { Source } from '../table/source.ts'

/** 1 January 1970. */
export const epochSerial = 25_569
const secondsPerDay = 86_400

/** 1 March 1900: spreadsheets believe in a 29 February before it, so earlier serials are days off. */
export const firstSerial = 61
/** From 30 December 1899 to 1 January 1904. */
export const daysTo1904 = 1_462
/** 1 January 10000. */
export const endOfSerials = 2_958_466

/** The serial number of a moment given in seconds since 1970, or `undefined` for one that a spreadsheet cannot show. */
export function excelSerial(seconds: number): number | undefined {
  const serial = Math.floor(seconds) / secondsPerDay + epochSerial
  return serial >= firstSerial && serial < endOfSerials ? serial : undefined
}

const literals = /[/.,]/g

/** A month next to hours or seconds, or minutes next to neither, would be taken for the other one. */
const ambiguous = /(HH|ss)[^\w]*MM|MM[^\w]*ss/
const minutesInPlace = /HH[^\w]*mm|mm[^\w]*ss/

/**
 * The number format of a date pattern; `undefined` for a pattern in which a spreadsheet would mix up months and
 * minutes.
 */
export function excelDateFormat(pattern: string): string | undefined {
  if (ambiguous.test(pattern)) return undefined
  if (pattern.replace(minutesInPlace, '').includes('mm')) return undefined
  // Unescaped, they stand for the separators of the reader's locale.
  return pattern.toLowerCase().replace(literals, '\\$&')
}

/** Writes a moment, in seconds since 1970, by a pattern of yyyy MM dd HH mm ss, as `to_char` of the server does. */
export function patternText(seconds: number, pattern: string): string {
  const days = Math.floor(seconds / secondsPerDay)
  const rest = Math.floor(seconds) - days * secondsPerDay
  const { year, month, day } = civilDate(days)
  const parts: Readonly<Record<string, string>> = {
    // The year before 1 is 1 BC, of which `to_char` writes the 1.
    yyyy: digits(year > 0 ? year : 1 - year, 4),
    MM: digits(month, 2),
    dd: digits(day, 2),
    HH: digits(Math.floor(rest / 3_600), 2),
    mm: digits(Math.floor(rest / 60) % 60, 2),
    ss: digits(rest % 60, 2),
  }
  return pattern.replace(/yyyy|MM|dd|HH|mm|ss/g, (token) => parts[token] ?? token)
}

const digits = (value: number, length: number): string => String(value).padStart(length, '0')

const daysPerEra = 146_097

/** The Gregorian date of a day counted from 1970: JavaScript's own dates end before those of Postgres do. */
function civilDate(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const shifted = days + 719_468
  const era = Math.floor(shifted / daysPerEra)
  const dayOfEra = shifted - era * daysPerEra
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day }
}

/** Spreadsheets keep 15 digits of a number and show zeros for the others. */
export const maxDigits = 15
export const firstInexact = 10 ** maxDigits

/**
 * Returns a number that a spreadsheet keeps with every digit, or its text. `value` is what the server sent, `cell` what
 * was read of it. A float has no more digits than a spreadsheet keeps, so it stays a number.
 */
export function exactNumber<Cell>(value: unknown, cell: Cell, source: Source | undefined): Cell | string {
  if (typeof cell !== 'number' || (source !== undefined && isFloat(source))) return cell
  if (typeof value === 'string') return countDigits(value) > maxDigits ? value : cell
  return Number.isSafeInteger(cell) && Math.abs(cell) >= firstInexact ? String(cell) : cell
}

const ungrouped = '0'
const grouped = '#,##0'
/** The most places for which the narrowest column of such numbers has room. */
const anyPlaces = `.0${'#'.repeat(17)}`

/** Returns how a spreadsheet shows the numbers of a column: with thousands separators where a number is an amount. */
export function numberFormat({ definition, source }: CompiledColumn, isKey: boolean): string {
  const isNumber = definition.type === 'number'
  const whole = isKey || (isNumber && definition.grouping === false) ? ungrouped : grouped
  const decimals = (isNumber ? definition.decimals : undefined) ?? declaredScale(source)
  if (decimals !== undefined) return decimals === 0 ? whole : `${whole}.${'0'.repeat(Math.min(decimals, maxDigits))}`
  if (source?.kind === 'integer') return whole
  // A float can be too small or too large for a fixed number of places.
  return source?.kind === 'decimal' && !isFloat(source) ? whole + anyPlaces : 'General'
}

/** The places of a column such as `numeric(10, 2)`. */
function declaredScale(source: Source | undefined): number | undefined {
  const scale = /^(?:numeric|decimal)\(\d+,\s*(\d+)\)/.exec(source?.sqlType ?? '')?.[1]
  return scale === undefined ? undefined : Number(scale)
}

/** A text that leads somewhere; only a cell of a spreadsheet can be one. */
export interface ReportLink {
  readonly text: string
  readonly address: string
}

/** Spreadsheets refuse longer ones. */
const maxAddressLength = 2_079
const clickable = /^(?:https?|mailto|tel):/i

/**
 * Returns the link that a cell of the wire is: a text that is its own address, or `{ value, label }`. `undefined` for a
 * relative or unsafe address, and for one that no spreadsheet takes.
 */
export function spreadsheetLink(value: unknown): ReportLink | undefined {
  const { value: target, label } = typeof value === 'string' ? { value, label: value } : Object(value)
  const address = parseAddress(target)
  if (address === undefined) return undefined
  return { address, text: typeof label === 'string' && label.trim() !== '' ? label : String(target) }
}

function parseAddress(target: unknown): string | undefined {
  if (typeof target !== 'string' || !clickable.test(target) || !URL.canParse(target)) return undefined
  const address = toUri(new URL(target).href)
  return address.length <= maxAddressLength ? address : undefined
}

/** The scheme and the host of a URL, then what precedes a fragment, then the fragment. */
const urlParts = /^([^:]+:(?:\/\/[^/?#]*)?)([^#]*)#?(.*)$/
/** Characters that RFC 3986 does not allow, and percent signs that begin no encoded one. */
const unencoded = /%(?![\da-f]{2})|[^\w\-.~:/?@!$&'()*+,;=%]/giu

/** Encodes what browsers leave in a URL: one address that is no URI makes the whole file unreadable. */
function toUri(href: string): string {
  const [, host = '', path = '', fragment = ''] = urlParts.exec(href) ?? []
  // Brackets may stand around the address of a host only.
  const server = host.replace(unencoded, (part) => (/[[\]]/.test(part) ? part : encodeURIComponent(part)))
  const [before, after] = [path, fragment].map((part) => part.replace(unencoded, encodeURIComponent))
  return `${server}${before}${fragment === '' ? '' : `#${after}`}`
}
