import { bind, type Statement } from '../db/statement.ts'
import type { Language } from '../i18n/language.ts'
import { decimalText } from '../query/compare.ts'
import type { GroupKey } from '../query/group-keys.ts'
import { fieldText } from '../query/page-statement.ts'
import { hasPattern, isDate } from '../table/raw-column.ts'
import type { CellValue, GroupUnit } from '../wire/vocabulary.ts'
import { groupedText, isoText, readNumber, roundedText } from './aggregates.ts'
import { createCellFormat, isLink, safeLinkCell } from './cell.ts'
import { cellText } from './cell-text.ts'

/** The value that the rows of a group have in common; `text` is what a person reads. */
export interface KeyCell {
  readonly value: CellValue
  readonly text: string
}

/** How many texts `keyTexts` selects for a key. */
export const textsPerKey = 3

/** Returns the SQL of a key's value as text, which `matchKey` reads, and of two texts to show it by. */
export function keyTexts(
  statement: Statement,
  { column, bucket, form }: GroupKey,
  name: string,
  timeZone: string,
): readonly string[] {
  const { datePattern } = column
  const source = { ...column.source, expression: () => name }
  if (form === 'moment') {
    // A part of a moment is local, so that its days are those of cells.
    const expression = () => (hasPattern(column) && source.isInstant ? `(${name} at time zone '${timeZone}')` : name)
    const moment = { ...source, expression }
    const shown = fieldText(statement, { source: moment, datePattern }, timeZone)
    const value = isoText(statement, column, moment, timeZone) ?? shown
    return [`${name}::text`, ...[value, shown].map((text) => `${text} || ${eraText(name)}`)]
  }
  if (form === 'unit') return [`${name}::text`, dayText(name), dayText(`${name} + interval '6 days'`)]
  if (form !== 'number') return [`${name}::text`, 'null', 'null']
  if (typeof bucket === 'object')
    return [
      `${name}::text`,
      `trim_scale(${name})::text`,
      `trim_scale(${name} + ${bind(statement, bucket.width)}::numeric)::text`,
    ]
  return [`${name}::text`, `(${roundedText(decimalText(column.source, name), column)})::text`, 'null']
}

const dayText = (date: string): string => `to_char(${date}, 'YYYY-MM-DD') || ${eraText(date)}`

/**
 * Returns the SQL of ` BC` for a date before the year 1, which `to_char` writes as one after it, and else of nothing.
 */
const eraText = (date: string): string => `case to_char(${date}, 'BC') when 'BC' then ' BC' else '' end`

const missing = '-'

/** Writes a key from the texts that `keyTexts` has selected. */
export async function formatKey(
  { column, bucket, form }: GroupKey,
  [value, first, second]: readonly (string | null)[],
  language: Language,
): Promise<KeyCell> {
  if (value === null || value === undefined) return { value: null, text: missing }
  if (form === 'unit') return unitCell(bucket as GroupUnit, [first ?? '', second ?? ''], language)
  if (form === 'moment') return { value: first ?? null, text: second ?? missing }
  if (form === 'number') {
    const [start, end] = [first, second].map((digits) => groupedText(digits ?? '', column))
    return { value: readNumber(value), text: second === null ? `${start}` : `${start} – ${end}` }
  }
  const cell = readCell(column, value)
  return { value: cell, text: String(await cellText(column, cell, language)) }
}

/** Reads a value from its text, as the cells of its column have it. */
function readCell(column: GroupKey['column'], text: string): CellValue {
  const { type, source } = column
  if (isLink(column)) return safeLinkCell(text)
  if (type === 'boolean') return text === 'true'
  if (isDate(column)) return text
  const isNumberInJson = type !== 'number' && /^(small|integer|serial|real|double)/.test(source.sqlType)
  return createCellFormat(type)(isNumberInJson ? Number(text) : text)
}

const arabicOrdinals = ['الأول', 'الثاني', 'الثالث', 'الرابع']

/** Writes a unit by its first day: its value, and `2026-01`, `2026-Q1` or the days of a week as text. */
function unitCell(unit: GroupUnit, [day, sixth]: readonly [string, string], language: Language): KeyCell {
  const [date = '', era] = day.split(/(?= BC$)/)
  const [year = '', month = ''] = date.split('-')
  const quarter = Math.ceil(Number(month) / 3)
  const texts: Readonly<Record<GroupUnit, () => string>> = {
    day: () => day,
    week: () => `${day} – ${sixth}`,
    month: () => `${year}-${month}`,
    quarter: () => (language === 'ar' ? `الربع ${arabicOrdinals[quarter - 1]} ${year}` : `${year}-Q${quarter}`),
    year: () => year,
  }
  // The text of a day or a week has it already.
  const isWhole = era === undefined || unit === 'day' || unit === 'week'
  return { value: day, text: isWhole ? texts[unit]() : `${texts[unit]()}${era}` }
}
