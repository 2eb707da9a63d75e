import type { Language } from '../i18n/language.ts'
import type { Operator } from '../wire/vocabulary.ts'

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
    requestedAt: 'Requested at',
    requestedBy: 'Requested by',
    rows: 'Rows',
    selected: 'Selected rows',
    sheets: 'Sheets',
    cutCells: 'Cells cut because they were too long',
    and: ' and ',
    all: 'all',
  },
  ar: {
    cut: '… [اقتُطع: أطول مما تتسع له الخلية]',
    summary: 'ملخص',
    table: 'الجدول',
    filters: 'عوامل التصفية',
    noFilters: 'لا يوجد',
    sorts: 'الترتيب',
    ascending: 'تصاعديًا',
    descending: 'تنازليًا',
    requestedAt: 'وقت الطلب',
    requestedBy: 'مقدّم الطلب',
    rows: 'عدد الصفوف',
    selected: 'الصفوف المحددة',
    sheets: 'أوراق العمل',
    cutCells: 'الخلايا المقتطعة لطولها',
    and: ' و',
    all: 'الكل',
  },
} as const satisfies Readonly<Record<Language, Readonly<Record<string, string>>>>

/** What a report says in its own words. */
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
  },
  ar: {
    '=': 'يساوي',
    '!=': 'لا يساوي',
    '<': 'أقل من',
    '<=': 'لا يزيد على',
    '>': 'أكبر من',
    '>=': 'لا يقل عن',
    like: 'يحتوي على',
    'not like': 'لا يحتوي على',
    in: 'إحدى القيم',
    'not in': 'ليس أيًّا من القيم',
    between: 'بين',
  },
}

const dateOperators: Readonly<Record<Language, Readonly<Partial<Record<Operator, string>>>>> = {
  en: { '<': 'is before', '<=': 'is up to', '>': 'is after', '>=': 'is from' },
  ar: { '<': 'قبل', '<=': 'حتى', '>': 'بعد', '>=': 'ابتداءً من' },
}

/** An operator as people say it, of dates or of anything else. */
export function operatorWords(operator: string, ofDate: boolean, language: Language): string {
  const known = operator as Operator
  return (ofDate ? dateOperators[language][known] : undefined) ?? operators[language][known] ?? operator
}
