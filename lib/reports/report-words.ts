import { type Language, translate } from '../i18n/language.ts'
import { momentText } from '../i18n/period.ts'
import type { DateBound } from '../query/date-value.ts'
import type { ReadFilter } from '../query/filter-condition.ts'
import type { AppliedGroup, AppliedSearch } from '../query/plan-extensions.ts'
import { labelFromKey } from '../table/action-key.ts'
import type { CompiledFilter, CompiledSort } from '../table/compiled-table.ts'
import type { AppliedFilter, FilterScalar } from '../table/context.ts'
import { choices } from '../table/filter-entry.ts'
import { takesAll } from '../table/filter-operators.ts'
import type { TableView } from '../table/view.ts'
import type { Operator } from '../wire/vocabulary.ts'
import type { ReportPlan } from './report-plan.ts'

const words = {
  en: {
    cut: '… [cut: too long for a cell]',
    summary: 'Summary',
    table: 'Table',
    filters: 'Filters',
    noFilters: 'None',
    sorts: 'Order',
    ascending: 'ascending',
    descending: 'descending',
    emptyFirst: 'empty values first',
    requestedAt: 'Requested at',
    requestedBy: 'Requested by',
    rows: 'Rows',
    selected: 'Selected rows',
    excluded: 'Excluded rows',
    sheets: 'Sheets',
    cutCells: 'Cells cut because they were too long',
    and: ' and ',
    or: ' or ',
    none: 'none of',
    all: 'all',
    hasWord: 'has a word that begins with',
    contains: 'contains',
  },
  ar: {
    cut: '… [اقتُطع: أطول مما تتسع له الخلية]',
    summary: 'ملخص',
    table: 'الجدول',
    filters: 'عوامل التصفية',
    noFilters: 'لا توجد',
    sorts: 'الترتيب',
    ascending: 'تصاعديًا',
    descending: 'تنازليًا',
    emptyFirst: 'القيم الفارغة أولًا',
    requestedAt: 'وقت الطلب',
    requestedBy: 'مقدّم الطلب',
    rows: 'عدد الصفوف',
    selected: 'الصفوف المحددة',
    excluded: 'الصفوف المستثناة',
    sheets: 'أوراق العمل',
    cutCells: 'الخلايا المقتطعة لطولها',
    and: ' و',
    or: ' أو ',
    none: 'لا شيء من',
    all: 'الكل',
    hasWord: 'كلمة تبدأ بـ',
    contains: 'يحتوي على',
  },
} as const satisfies Readonly<Record<Language, Readonly<Record<string, string>>>>

/** Returns the words of a report file. */
export const reportWords = (language: Language): (typeof words)[Language] => words[language]

const operators: Readonly<Record<Language, Readonly<Record<Operator, string>>>> = {
  en: {
    '=': 'is',
    '!=': 'is not',
    '<': 'is less than',
    '<=': 'is at most',
    '>': 'is more than',
    '>=': 'is at least',
    like: 'contains',
    'not like': 'does not contain',
    in: 'is one of',
    'not in': 'is none of',
    between: 'is between',
    'not between': 'is not between',
    'starts with': 'starts with',
    'ends with': 'ends with',
    'is null': 'has no value',
    'is not null': 'has a value',
    within: 'is within',
  },
  ar: {
    '=': '',
    '!=': 'ما عدا',
    '<': 'أقل من',
    '<=': 'بحد أقصى',
    '>': 'أكبر من',
    '>=': 'بحد أدنى',
    like: 'يحتوي على',
    'not like': 'لا يحتوي على',
    in: 'إحدى القيم',
    'not in': 'ما عدا القيم',
    between: 'بين',
    'not between': 'خارج ما بين',
    'starts with': 'يبدأ بـ',
    'ends with': 'ينتهي بـ',
    'is null': 'لا توجد قيمة',
    'is not null': 'توجد قيمة',
    within: 'ضمن',
  },
}

const dateOperators: Readonly<Record<Language, Readonly<Partial<Record<Operator, string>>>>> = {
  en: { '<': 'is before', '<=': 'is up to', '>': 'is after', '>=': 'is from' },
  ar: { '<': 'قبل', '<=': 'حتى', '>': 'بعد', '>=': 'ابتداءً من' },
}

/** An operator as people say it, of dates or of anything else. */
function operatorWords(operator: string, ofDate: boolean, language: Language): string {
  const known = operator as Operator
  return (ofDate ? dateOperators[language][known] : undefined) ?? operators[language][known] ?? operator
}

/**
 * Joins a label with what is said about it. In Arabic behind a colon, where the words need not agree with the label.
 */
function phrase(label: string, said: string, text: string, language: Language): string {
  const parts = [language === 'ar' ? `${label}:` : label, said, text]
  return parts.filter((part) => part !== '').join(' ')
}

type PlannedReport = Pick<ReportPlan, 'view' | 'plan' | 'context'>
type Words = Pick<ReportPlan['context'], 'language' | 'timeZone'>

/**
 * The filters of a plan, each as a sentence such as `Status is Open`, its filter groups as one, and the keys of an open
 * group.
 */
export function filterWords({ view, plan, context }: PlannedReport): readonly string[] {
  const { language, timeZone } = context
  const filters = plan.restrictions.flatMap(([name, read]) => {
    const filter = view.filters.get(name)
    return filter === undefined || isNoRestriction(filter, read.applied) ? [] : sentence(filter, read, context)
  })
  const opened = plan.opened.map(({ key, value, text }) => {
    const { definition, source } = key.column
    const isOfOtherZone = value !== null && key.form === 'unit' && source.isInstant && key.timeZone !== timeZone
    const said = phrase(translate(definition.label, language), operatorWords('=', false, language), text, language)
    return isOfOtherZone ? `${said} (${key.timeZone})` : said
  })
  return [
    ...filters,
    ...(plan.groups === undefined ? [] : [groupWords(plan.groups, context)]),
    ...(plan.search === undefined ? [] : searchWords(plan.search, language)),
    ...opened,
  ]
}

/** Returns a sentence for each term, such as `Airport or Species contains "gull"`. */
function searchWords({ terms, columns }: AppliedSearch, language: Language): readonly string[] {
  const { or, hasWord, contains } = reportWords(language)
  const labels = columns.map(({ definition }) => translate(definition.label, language)).join(or)
  const quote = (typed: string) => (language === 'ar' ? `«${typed}»` : `"${typed}"`)
  return terms.map(({ typed, beginsWord }) => phrase(labels, beginsWord ? hasWord : contains, quote(typed), language))
}

/** Returns a group in words, such as `Status is Open or (Amount is at least 5 and Note has no value)`. */
function groupWords({ kind, parts }: AppliedGroup, context: Words): string {
  const { and, or, none } = reportWords(context.language)
  const said = parts.map((part) => {
    if (!('kind' in part)) return sentence(part.filter, part.read, context).join(and)
    const words = groupWords(part, context)
    return part.kind === 'none' || part.parts.length === 1 ? words : `(${words})`
  })
  const joined = said.join(kind === 'all' ? and : or)
  return kind === 'none' ? `${none} (${joined})` : joined
}

const isNoRestriction = ({ type }: CompiledFilter, { value }: AppliedFilter): boolean =>
  takesAll(type) && (value === 'all' || (Array.isArray(value) && value.length === 1 && value[0] === 'all'))

function sentence(filter: CompiledFilter, { applied, bounds }: ReadFilter, context: Words): readonly string[] {
  const { operator, value, resolved } = applied
  const { language } = context
  const label = translate(filter.definition.label, language)
  if (operator === 'is null' || operator === 'is not null')
    return [phrase(label, operatorWords(operator, false, language), '', language)]
  const say = (word: string, text: string) =>
    phrase(label, operatorWords(word, filter.type === 'date', language), text, language)
  if (resolved !== undefined) {
    const bound = (text: string) => periodWords(text, context.timeZone)
    return [say('>=', bound(resolved.from)), say('<', bound(resolved.to))]
  }
  const { and } = reportWords(language)
  if (bounds !== undefined) {
    const dates = bounds.map((bound) => dateWords(filter, bound, typeof value === 'object', context.timeZone))
    if (operator !== 'not between') return dates.map(([word, text]) => say(word, text))
    if (dates.length > 1) return [say(operator, dates.map(([, text]) => text).join(and))]
    return dates.map(([word, text]) => say(opposites[word] ?? word, text))
  }
  if (!Array.isArray(value)) return [say(operator, valueWords(filter, value as FilterScalar, language))]
  const separator = operator.endsWith('between') ? and : language === 'ar' ? '، ' : ', '
  return [say(operator, value.map((entry) => valueWords(filter, entry, language)).join(separator))]
}

const opposites: Readonly<Partial<Record<Operator, Operator>>> = { '>=': '<', '<': '>=', '<=': '>' }

/**
 * Returns the operator and the date of a bound in words, such as `<=` and `2026-01-31`, or `2026-01-31 08:00`. A range
 * that ends at the end of a day includes this day.
 */
function dateWords(
  { source }: CompiledFilter,
  [operator, { form, text }]: DateBound,
  isRange: boolean,
  timeZone: string,
): readonly [Operator, string] {
  if (form === 'day') return [operator, text]
  const local = (shiftMs: number) => localTime(momentText(Date.parse(text) + shiftMs, timeZone)).split(' ')
  if (isRange && operator === '<') {
    const [day = '', time = ''] = local(-1)
    if (isDayEnd(time)) return ['<=', day]
  }
  const [day = '', time = ''] = form === 'instant' ? local(0) : text.split(' ')
  const isWholeDay = /^00:00(:[0.]+)?$/.test(time)
    ? operator === '>=' || operator === '<' || source.kind === 'date'
    : isDayEnd(time) && (operator === '<=' || operator === '>')
  return [operator, isWholeDay ? day : `${day} ${time}`]
}

const isDayEnd = (time: string): boolean => time.startsWith('23:59:59')

/** Writes a moment without its offset, and without seconds that are zero: `2026-01-31 08:00`. */
const localTime = (moment: string): string =>
  moment
    .replace(/(?:\.\d+)?[+-]\d\d:\d\d$/, '')
    .replace(/(:\d\d):00$/, '$1')
    .replace('T', ' ')

/**
 * Writes a bound of a period as cells show it, whatever the zone of the request: `2026-01-31`, or `2026-01-31 08:00`.
 */
const periodWords = (bound: string, timeZone: string): string =>
  bound.includes('T') ? localTime(momentText(Date.parse(bound), timeZone)).replace(/ 00:00$/, '') : bound

/** Returns the label of a value in the filter form, or the value itself. */
function valueWords(filter: CompiledFilter, value: FilterScalar, language: Language): string {
  const labels = new Map(choices(filter.definition, [], language))
  return labels.get(choiceKey(filter, value)) ?? String(value)
}

/** Returns the name of a value among the choices of the filter form. */
function choiceKey({ type }: CompiledFilter, value: FilterScalar): string {
  if (type === 'boolean') return value ? '1' : '0'
  if (type === 'null') return value ? 'set' : 'not_set'
  return String(value)
}

/** Describes each sort of a plan in words such as `Departure, descending`, without the sorts that only break ties. */
export function sortWords({ view, plan, context: { language } }: PlannedReport): readonly string[] {
  const { ascending, descending, emptyFirst } = reportWords(language)
  const separator = language === 'ar' ? '، ' : ', '
  const said = plan.order.length > 1 ? plan.order.filter(({ source }) => source !== view.table.key) : plan.order
  return said.flatMap(({ source, direction, nulls }) => {
    const label = sortLabel(view, source, language)
    if (label === undefined) return []
    return [label, direction === 'asc' ? ascending : descending, ...(nulls === 'first' ? [emptyFirst] : [])].join(
      separator,
    )
  })
}

/** `undefined` for what the caller may not know of. */
function sortLabel(
  { columns, table }: TableView,
  source: CompiledSort['source'],
  language: Language,
): string | undefined {
  const column = columns.find(({ key }) => key === source.key)
  if (column !== undefined) return translate(column.definition.label, language)
  return table.columns.some(({ key }) => key === source.key) ? undefined : labelFromKey(source.key)
}
