import type { FaultDetails } from '../errors/field-fault.ts'
import { type ImportRefusal, type ImportRefusalCode, importRefusal } from '../errors/import-error.ts'
import type { Language } from '../i18n/language.ts'
import { isSkipped } from '../i18n/skipped-time.ts'
import { isFloat } from '../query/compare.ts'
import { booleanLabels, textLabels } from '../table/column-entry.ts'
import { findDatePattern } from '../table/compile-columns.ts'
import type { RawColumn } from '../table/raw-column.ts'
import type { Source } from '../table/source.ts'
import { isTemporal } from '../table/value-kind.ts'
import type { FileCell } from './file-rows.ts'
import { reportWords } from './report-words.ts'
import { daysTo1904, endOfSerials, epochSerial, firstInexact, firstSerial } from './spreadsheet-values.ts'

/** How the file writes values. */
export interface FileForm {
  /** The language of its labels. */
  readonly language: Language
  /** The zone of its local times. */
  readonly timeZone: string
  readonly isFrom1904: boolean
}

/** The value that a cell means, as a client writes it into a cell, or why it means none. */
export type ReadCell = { readonly value: unknown } | { readonly refusal: ImportRefusal }

const refuseCell = (code: ImportRefusalCode, details?: FaultDetails): ReadCell => ({
  refusal: importRefusal(code, details),
})

/** Reads an edited cell as a value of its column. An empty cell is null. */
export function readFileCell(
  { value, isFormula, isDate = false, isPercent = false }: FileCell,
  column: RawColumn,
  form: FileForm,
): ReadCell {
  if (isFormula) return refuseCell('formula')
  if (value === null || value === '') return { value: null }
  const { source, type } = column
  if (type === 'html' || type === 'datalist' || source.kind === 'array' || source.kind === 'json')
    return refuseCell('not_from_file')
  if (typeof value === 'string' && value.endsWith(reportWords(form.language).cut)) return refuseCell('cut')
  const labelled = type === 'text' ? findLabel(column, value, form.language) : undefined
  if (labelled !== undefined) return labelled
  if (typeof value === 'number' && Math.abs(value) >= firstInexact && !isFloat(source) && !isTemporal(source.kind))
    return refuseCell('too_many_digits')
  if (isPercent) return refuseCell('percentage')
  switch (source.kind) {
    case 'boolean':
      return readBoolean(column, value, form.language)
    case 'integer':
    case 'decimal':
      return isDate ? refuseCell('not_a_number') : readNumber(column, value)
    case 'date':
    case 'timestamp':
    case 'instant':
      return readMoment(column, value, isDate, form)
    default:
      if (isTime(source)) return readTime(value, isDate)
      return isDate ? refuseCell('not_a_text') : { value: toText(value) }
  }
}

const toText = (value: unknown): string => (typeof value === 'number' ? plainNumber(value) : String(value))

const isTime = ({ kind, sqlType }: Source): boolean => kind === 'other' && sqlType.startsWith('time')

const millisecondsPerDay = 86_400_000

/** A time of a spreadsheet is a part of a day, to the millisecond. */
function readTime(value: FileCell['value'], isDate: boolean): ReadCell {
  if (!isDate) return { value: timeText(String(value)) }
  const milliseconds = Math.round(Number(value) * millisecondsPerDay)
  if (milliseconds < 0 || milliseconds >= millisecondsPerDay) return refuseCell('not_a_text')
  const clock = new Date(milliseconds).toISOString().slice(11, 23)
  return { value: clock.replace(/\.?0*$/, '') }
}

/** Writes a time as Postgres does. A text that is none stays as it is. */
export function timeText(text: string): string {
  const form = /^(\d\d?)(:\d\d)(:\d\d[.\d]*)?(?:\s?([AP]M|[صم]))?$/i
  const [whole, hour = '', minute, second = ':00', half] = form.exec(latinDigits(withoutMarks(text))) ?? []
  if (whole === undefined || (half !== undefined && Number(hour) > 12)) return text
  const hours = half === undefined ? hour : String((Number(hour) % 12) + (/^(?:pm|م)$/i.test(half) ? 12 : 0))
  return hours.padStart(2, '0') + minute + second
}

/** Finds the value that a label stands for; `undefined` for a text that is no label. */
function findLabel({ definition, source }: RawColumn, value: unknown, language: Language): ReadCell | undefined {
  const text = withoutMarks(String(value))
  const [first, second] = [...textLabels(definition, language)].filter(([, label]) => withoutMarks(label) === text)
  if (first === undefined) return undefined
  if (second !== undefined) return refuseCell('ambiguous_label', { text: String(value) })
  return source.kind === 'integer' ? { value: Number(first[0]) } : { value: first[0] }
}

function readBoolean({ definition }: RawColumn, value: unknown, language: Language): ReadCell {
  if (typeof value === 'boolean') return { value }
  const [yes, no] = booleanLabels(definition, language)
  // Programs write TRUE for a label such as true.
  const [text, yesText, noText] = [String(value), yes, no].map((label) => withoutMarks(label).toLowerCase())
  if (yesText === noText) return refuseCell('ambiguous_label', { text: yes })
  if (text === yesText) return { value: true }
  return text === noText ? { value: false } : refuseCell('not_a_yes_or_no', { yes, no })
}

const number = /^-?\d+(\.\d+)?$/
const float = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

function readNumber({ source }: RawColumn, value: unknown): ReadCell {
  if (isFloat(source) && typeof value === 'number') return { value }
  const text = typeof value === 'number' ? plainNumber(value) : latinDigits(withoutMarks(String(value)))
  if (typeof value === 'boolean' || !(isFloat(source) ? float : number).test(text)) return refuseCell('not_a_number')
  if (isFloat(source)) return { value: Number(text) }
  if (source.kind === 'decimal') return { value: text }
  return { value: Number.isSafeInteger(Number(text)) ? Number(text) : text }
}

/** A number as digits, without an exponent; programs keep 15 of them. Larger numbers are refused before. */
function plainNumber(value: number): string {
  const text = String(Number(value.toPrecision(15)))
  const [, sign, whole, fraction, exponent] = /^(-?)(\d)\.?(\d*)e-(\d+)$/.exec(text) ?? []
  return exponent === undefined ? text : `${sign}0.${'0'.repeat(Number(exponent) - 1)}${whole}${fraction}`
}

/** Removes spaces at the ends and invisible marks: those of direction around Arabic, and those of pages and chats. */
export const withoutMarks = (text: string): string =>
  text.replace(/[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g, '').trim()

/** Digits and signs of Arabic and Japanese keyboards as those of others. */
export const latinDigits = (text: string): string =>
  text
    .replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))
    .replace(/[０-９．／：－]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace('٫', '.')
    .replace('−', '-')

function readMoment({ definition, source }: RawColumn, value: unknown, isShown: boolean, form: FileForm): ReadCell {
  const pattern = findDatePattern(definition, source)
  const text = latinDigits(withoutMarks(String(value)))
  const local =
    typeof value === 'number'
      ? readSerial(value + (form.isFrom1904 ? daysTo1904 : 0))
      : (readPattern(text, pattern) ?? readIso(text))
  const isYear = typeof value === 'number' && !isShown && value < endOfYears
  if (local === undefined || isYear || typeof value === 'boolean') return refuseCell('not_a_date', { pattern })
  if (typeof value === 'string' && otherCalendars.test(local)) return refuseCell('other_calendar')
  if (source.kind === 'date') return local.endsWith('T00:00:00') ? { value: local.slice(0, 10) } : wholeDay(pattern)
  if (source.kind === 'instant' && isSkipped(local, form.timeZone))
    return refuseCell('skipped_time', { zone: form.timeZone })
  return { value: local }
}

/** A smaller number that no program shows as a date is a year that a user has typed: 2026 would be a day of 1905. */
const endOfYears = 10_000

/** The years of our days in the Hijri and the Persian calendar, which programs of these countries write. */
const otherCalendars = /^1[34]/

const wholeDay = (pattern: string): ReadCell => refuseCell('not_a_date', { pattern })

/** The moment of a spreadsheet's day number, to the second. */
function readSerial(serial: number): string | undefined {
  if (serial < firstSerial || serial >= endOfSerials) return undefined
  const seconds = Math.round((serial - epochSerial) * 86_400)
  return new Date(seconds * 1_000).toISOString().slice(0, 19)
}

const lengths: Readonly<Record<string, number>> = { yyyy: 4, MM: 2, dd: 2, HH: 2, mm: 2, ss: 2 }

/** Reads a text that is written by the pattern of the column, as the file shows it. */
function readPattern(text: string, pattern: string): string | undefined {
  const tokens: readonly string[] = pattern.match(/yyyy|MM|dd|HH|mm|ss/g) ?? []
  const form = pattern
    .replace(/[.]/g, '\\.')
    .replace(/yyyy|MM|dd|HH|mm|ss/g, (token) => `(\\d{${lengths[token] ?? 2}})`)
  const [, ...parts] = new RegExp(`^${form}$`).exec(text) ?? []
  if (parts.length === 0) return undefined
  const part = (token: string) => parts[tokens.indexOf(token)] ?? '00'
  return realMoment(`${part('yyyy')}-${part('MM')}-${part('dd')}T${part('HH')}:${part('mm')}:${part('ss')}`)
}

function readIso(text: string): string | undefined {
  const [, day, time = '00:00', seconds = ':00'] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?)?$/.exec(text) ?? []
  return day === undefined ? undefined : realMoment(`${day}T${time}${seconds}`)
}

/** `undefined` for a day that no calendar has, such as 30 February. */
function realMoment(text: string): string | undefined {
  const moment = new Date(`${text}Z`)
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text) ? text : undefined
}
