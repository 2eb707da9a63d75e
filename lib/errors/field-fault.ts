import { keepNumbers } from '../i18n/keep-numbers.ts'
import type { Bilingual } from '../i18n/language.ts'

/** Replacements for the placeholders of a fault's text. A list is joined by the comma of the language. */
export type FaultDetails = Readonly<Partial<Record<FaultDetail, string | number | readonly string[]>>>

/** The names that a fault's text may have in braces. */
type FaultDetail =
  | ('en' | 'ar' | 'limit' | 'max' | 'meant' | 'min' | 'no' | 'of')
  | ('operators' | 'options' | 'part' | 'pattern' | 'text' | 'yes' | 'zone')

/** The faults that one field of a request can have, in both languages. `{name}` stands for a detail. */
const faults = {
  required: { en: 'is required', ar: 'مطلوب' },
  not_an_object: { en: 'must be an object', ar: 'يجب أن يكون كائنًا' },
  not_a_list: { en: 'must be a list', ar: 'يجب أن يكون قائمة' },
  not_a_list_or_object: { en: 'must be a list or an object', ar: 'يجب أن يكون قائمة أو كائنًا' },
  not_a_text: { en: 'must be a text', ar: 'يجب أن يكون نصًا' },
  too_long: { en: 'must not be longer than {max} characters', ar: 'يجب ألا يزيد عدد الأحرف على {max}' },
  too_long_for_url: {
    en: 'must not be longer than {max} bytes in a URL, because every action URL carries them',
    ar: 'يجب ألا يزيد حجمها في عنوان URL على {max} بايت، لأن كل روابط الإجراءات تحملها',
  },
  too_many: { en: 'must not hold more than {max} entries', ar: 'يجب ألا يزيد عدد العناصر على {max}' },
  too_many_conditions: {
    en: 'must not be given more than {max} different conditions',
    ar: 'يجب ألا يزيد عدد الشروط المختلفة على {max}',
  },
  unreadable_text: {
    en: 'must not hold a null character or half of a character',
    ar: 'يجب ألا يتضمن محرفًا فارغًا أو محرفًا مبتورًا',
  },
  not_a_number: { en: 'must be a number', ar: 'يجب أن يكون عددًا' },
  not_a_date: {
    en: 'must be a date such as 2026-01-31, 31-01-2026 or 2026-01-31T08:00:00Z',
    ar: 'يجب أن يكون تاريخًا مثل 2026-01-31 أو 31-01-2026 أو 2026-01-31T08:00:00Z',
  },
  not_a_boolean: { en: 'must be true or false', ar: 'يجب أن يكون true أو false' },
  not_an_email: {
    en: 'must be a single e-mail address such as name@example.com',
    ar: 'يجب أن يكون عنوان بريد إلكتروني واحدًا مثل name@example.com',
  },
  not_a_uuid: { en: 'must be a UUID', ar: 'يجب أن يكون معرّف UUID' },
  not_an_option: { en: 'is not one of the options', ar: 'ليس من الخيارات المتاحة' },
  not_one_of: { en: 'must be one of: {options}', ar: 'يجب أن يكون واحدًا مما يلي: {options}' },
  not_a_range: {
    en: 'must be a range: a list of two values, or "A - B"',
    ar: 'يجب أن يكون نطاقًا: قائمة من قيمتين أو "A - B"',
  },
  not_whole: {
    en: 'must be a whole number from {min} to {max}',
    ar: 'يجب أن يكون عددًا صحيحًا من {min} إلى {max}',
  },
  operator_not_allowed: {
    en: 'must use one of the operators {operators}',
    ar: 'يجب أن يستخدم أحد عوامل المقارنة \u200e{operators}\u200e',
  },
  not_a_direction: { en: 'must be asc or desc', ar: 'يجب أن يكون asc أو desc' },
  not_with_data: { en: 'must be true, 1, false or 0', ar: 'يجب أن يكون true أو 1 أو false أو 0' },
  not_an_id: {
    en: 'must be a row id: a text, or a number of at most 15 digits',
    ar: 'يجب أن يكون معرّف صف: نصًا، أو عددًا من 15 رقمًا على الأكثر',
  },
  not_keys: { en: 'must be "keys" or absent', ar: 'يجب أن يكون "keys" أو لا يُرسل' },
  page_too_deep: {
    en: 'reaches beyond row {max}; go on with pagination.next_cursor of the page before',
    ar: 'يتجاوز الصف رقم {max}؛ تابع باستخدام pagination.next_cursor من الصفحة السابقة',
  },
  not_a_cursor: {
    en: 'must be an unchanged next_cursor of the same query',
    ar: 'يجب أن يكون next_cursor من الاستعلام نفسه دون تغيير',
  },
  empty: { en: 'must not be empty', ar: 'يجب ألا يكون فارغًا' },
  too_short: { en: 'must not be shorter than {min} characters', ar: 'يجب ألا يقل عدد الأحرف عن {min}' },
  not_of_length: { en: 'must have {max} characters', ar: 'يجب أن يكون عدد الأحرف {max}' },
  too_few: { en: 'must not hold fewer than {min} entries', ar: 'يجب ألا يقل عدد العناصر عن {min}' },
  not_of_size: { en: 'must hold {max} entries', ar: 'يجب أن يكون عدد العناصر {max}' },
  too_small: { en: 'must be {min} or more', ar: 'يجب أن يكون {min} أو أكثر' },
  not_more: { en: 'must be more than {min}', ar: 'يجب أن يكون أكبر من {min}' },
  too_big: { en: 'must be {max} or less', ar: 'يجب أن يكون {max} أو أقل' },
  not_less: { en: 'must be less than {max}', ar: 'يجب أن يكون أقل من {max}' },
  not_a_whole_number: { en: 'must be a whole number', ar: 'يجب أن يكون عددًا صحيحًا' },
  not_a_multiple: { en: 'must be a multiple of {of}', ar: 'يجب أن يكون من مضاعفات {of}' },
  not_a_day: { en: 'must be a date such as 2026-01-31', ar: 'يجب أن يكون تاريخًا مثل 2026-01-31' },
  not_a_moment: {
    en: 'must be a date and time such as 2026-01-31T08:00:00Z',
    ar: 'يجب أن يكون تاريخًا ووقتًا مثل 2026-01-31T08:00:00Z',
  },
  not_a_time: { en: 'must be a time such as 08:00:00', ar: 'يجب أن يكون وقتًا مثل 08:00:00' },
  not_a_url: {
    en: 'must be a URL such as https://example.com',
    ar: 'يجب أن يكون عنوان URL مثل https://example.com',
  },
  not_beginning: { en: 'must begin with "{part}"', ar: 'يجب أن يبدأ بـ «{part}»' },
  not_ending: { en: 'must end with "{part}"', ar: 'يجب أن ينتهي بـ «{part}»' },
  not_holding: { en: 'must contain "{part}"', ar: 'يجب أن يحتوي على «{part}»' },
  not_of_form: { en: 'does not have the right form', ar: 'ليس بالصيغة الصحيحة' },
  not_known: { en: 'is not known here', ar: 'غير معروف هنا' },
  not_valid: { en: 'is not valid', ar: 'غير صالح' },
} as const satisfies Readonly<Record<string, Bilingual>>

export type FaultCode = keyof typeof faults

const maxOptions = 20
const maxOptionLength = 200

/** Says that a value is none of the options, and names the first of them. */
export function listOptions(options: Iterable<unknown>): Bilingual {
  const [...all] = options
  const names = all.slice(0, maxOptions).map((option) => String(option).slice(0, maxOptionLength))
  return fieldFault('not_one_of', { options: [...names, ...(all.length > maxOptions ? ['…'] : [])] })
}

/** One fault as a bilingual text. */
export function fieldFault(code: FaultCode, details: FaultDetails = {}): Bilingual {
  return fillFault(faults[code], details)
}

/** Puts details into a fault's text. */
export function fillFault({ en, ar }: Bilingual, details: FaultDetails): Bilingual {
  const fill = (template: string, comma: string) =>
    template.replace(/\{(\w+)\}/g, (_, name: FaultDetail) => [details[name] ?? ''].flat().join(comma))
  return { en: fill(en, ', '), ar: keepNumbers(fill(ar, '، ')) }
}
