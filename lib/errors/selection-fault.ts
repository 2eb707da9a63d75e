import type { Bilingual } from '../i18n/language.ts'
import { type FaultDetails, fillFault } from './field-fault.ts'
import { validationFailed } from './request-error.ts'

/**
 * The faults of filter groups, periods and groups of rows: apart from those of every request, which need not load them.
 */
const faults = {
  no_filter: { en: 'is not a filter of this table', ar: 'ليس من عوامل تصفية هذا الجدول' },
  not_a_group: {
    en: 'must be {"all": […]}, {"any": […]} or {"none": […]}, whose entries are such groups or {"field", "operator", "value"}',
    ar: 'يجب أن يكون \u200e{"all": […]}\u200e أو \u200e{"any": […]}\u200e أو \u200e{"none": […]}\u200e، وعناصره مجموعات مثله أو \u200e{"field", "operator", "value"}\u200e',
  },
  too_deep: {
    en: 'must not be nested more than {max} groups deep',
    ar: 'يجب ألا يزيد تداخل المجموعات على {max} مستويات',
  },
  not_all: {
    en: 'must not be "all" in a group; leave the condition out',
    ar: 'يجب ألا تكون القيمة "all" داخل مجموعة؛ احذف الشرط بدلًا من ذلك',
  },
  nothing_to_compare: {
    en: 'must have a letter, a digit or another character beside marks and tatweel, which are not compared',
    ar: 'يجب أن يحوي حرفًا أو رقمًا أو رمزًا آخر غير التشكيل والتطويل اللذين لا يُقارَن بهما',
  },
  not_a_period: {
    en: 'must be a period such as today, this_week, last_7_days, next_2_months or year_to_date',
    ar: 'يجب أن يكون فترة مثل today أو this_week أو last_7_days أو next_2_months أو year_to_date',
  },
  no_bucket: { en: 'must be absent for this column', ar: 'يجب ألا يُرسل لهذا العمود' },
  not_a_width: {
    en: 'must be {"width": …} with a number, such as {"width": 100}',
    ar: 'يجب أن يكون \u200e{"width": …}\u200e مع عدد، مثل \u200e{"width": 100}\u200e',
  },
  not_a_group_token: {
    en: 'must be the unchanged token of a group of the same query',
    ar: 'يجب أن يكون token لمجموعة من الاستعلام نفسه دون تغيير',
  },
  not_groups_next: {
    en: 'must be the unchanged groups_next of the same query',
    ar: 'يجب أن يكون groups_next من الاستعلام نفسه دون تغيير',
  },
  not_a_time_zone: {
    en: 'must be an IANA time zone such as Asia/Riyadh',
    ar: 'يجب أن يكون منطقة زمنية من IANA مثل Asia/Riyadh',
  },
} as const satisfies Readonly<Record<string, Bilingual>>

type SelectionFaultCode = keyof typeof faults

/** One fault of these parts of a request as a bilingual text. */
export const selectionFault = (code: SelectionFaultCode, details: FaultDetails = {}): Bilingual =>
  fillFault(faults[code], details)

/** A 422 about one value whose reader does not know its field, as `valueFault` makes one. */
export const selectionValueFault = (code: SelectionFaultCode): Error => validationFailed({ '': [selectionFault(code)] })
