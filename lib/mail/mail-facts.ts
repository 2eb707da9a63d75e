import { groupDigits } from '../i18n/count-noun.ts'
import type { Language } from '../i18n/language.ts'
import { reportWords } from '../reports/report-words.ts'
import { safeFileName, singleLine } from '../storage/file-name.ts'
import { momentWords } from './mail-moment.ts'
import { mailTexts } from './mail-texts.ts'
import type { ReportMessage } from './report-message.ts'

/** One line of what a mail is about; more than one value where it lists something. */
export interface Fact {
  readonly name: string
  readonly values: readonly string[]
}

/** Of a label, and of a sentence about a filter. */
export const longestLabel = 200
const mostFilters = 10

/** What a mail is about, each value on one line, however long and strange what it is made of. */
export function mailFacts(message: ReportMessage): readonly Fact[] {
  const { language, table, action, rows, selected, filters, requestedAt, requestedBy, timeZone, content } = message
  const texts = mailTexts[language]
  const words = reportWords(language)
  const one = (name: string, value: string | undefined): readonly Fact[] =>
    value === undefined ? [] : [{ name, values: [singleLine(value, longestLabel)] }]
  return [
    ...one(texts.table, table),
    ...one(texts.action, action),
    ...(filters === undefined ? [] : [{ name: words.filters, values: filterLines(filters, words.noFilters) }]),
    ...one(words.selected, selected === undefined ? undefined : groupDigits(selected)),
    ...one(texts.rows, rows === undefined ? undefined : groupDigits(rows)),
    ...one(words.requestedBy, requestedBy.name),
    ...one(words.requestedAt, momentWords(requestedAt, language, timeZone)),
    ...one(texts.attached, content.kind === 'file' ? safeFileName(content.fileName) : undefined),
    ...one(texts.size, content.kind === 'link' ? sizeWords(content.bytes, language) : undefined),
    ...one(texts.reference, content.kind === 'failure' ? content.reference : undefined),
  ]
}

function filterLines(filters: readonly string[], none: string): readonly string[] {
  if (filters.length === 0) return [none]
  const lines = filters.slice(0, mostFilters).map((filter) => singleLine(filter, longestLabel))
  return filters.length > mostFilters ? [...lines, `… (+${filters.length - mostFilters})`] : lines
}

const megabyte = 1_000_000

/** A file size in megabytes, as people read it: 9.4 MB. */
const sizeWords = (bytes: number, language: Language): string => {
  const size = Math.max(bytes / megabyte, 0.1).toLocaleString('en', { maximumFractionDigits: 1 })
  return language === 'ar' ? `${size} ميغابايت` : `${size} MB`
}
