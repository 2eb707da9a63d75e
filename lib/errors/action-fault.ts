import type { Bilingual } from '../i18n/language.ts'
import { type FaultDetails, fillFault } from './field-fault.ts'

/**
 * The faults of keys that actions, exports and lists of downloads read. Functions that only read rows do not load them.
 */
const faults = {
  no_param: { en: 'is not a param of this table', ar: 'لا يعرف هذا الجدول معاملًا بهذا الاسم' },
  other_key: { en: 'is not known here; use {meant}', ar: 'غير معروف هنا؛ استخدم {meant}' },
  other_filter: {
    en: 'is not a filter of this table; use {meant}',
    ar: 'ليس من عوامل تصفية هذا الجدول؛ استخدم {meant}',
  },
  one_row_only: {
    en: 'must name no row but that of the URL, because the action runs on one row at a time',
    ar: 'يجب ألا يحتوي إلا على الصف المذكور في عنوان URL، لأن هذا الإجراء يُنفَّذ على صف واحد في كل مرة',
  },
  not_with_select_all: {
    en: 'must be absent or empty beside select_all; name the rows to leave out in excluded_ids',
    ar: 'يجب ألا يُرسل مع select_all إلا فارغًا؛ حدّد الصفوف المستثناة في excluded_ids',
  },
  only_with_select_all: {
    en: 'must stand beside "select_all": true',
    ar: 'يجب أن يُرسل مع \u200e"select_all": true\u200e',
  },
  only_with_token: {
    en: 'must stand beside selection_token',
    ar: 'يجب أن يُرسل مع selection_token',
  },
  not_a_selection_token: {
    en: 'must be the unchanged selection_token of a page of this table',
    ar: 'يجب أن يكون selection_token لصفحة من هذا الجدول دون تغيير',
  },
  not_with_dry_run: { en: 'must be absent beside dry_run', ar: 'يجب ألا يُرسل مع dry_run' },
  not_with_plan_id: {
    en: 'must be absent beside plan_id, because the plan has it',
    ar: 'يجب ألا يُرسل مع plan_id، لأنه محفوظ في الخطة',
  },
  no_plan_of_one_row: {
    en: 'must be absent, because one row has no plan; send it to row-bulk-table-action with the row in selected_ids',
    ar: 'يجب ألا يُرسل، لأن الصف الواحد لا خطة له؛ أرسله إلى row-bulk-table-action مع الصف في selected_ids',
  },
  no_plan_of_row_action: {
    en: 'must be absent, because this action runs on one row only; dry_run checks it and changes nothing',
    ar: 'يجب ألا يُرسل، لأن هذا الإجراء ينفَّذ على صف واحد فقط؛ أرسل dry_run للتحقق منه دون تغيير شيء',
  },
  no_plan: {
    en: 'must be absent, because this action has nothing to plan',
    ar: 'يجب ألا يُرسل، لأن هذا الإجراء لا خطة له',
  },
  unverified_address: {
    en: 'your e-mail address is not verified; verify it with your sign-in provider and sign in again, or name other recipients',
    ar: 'عنوان بريدك الإلكتروني غير موثَّق؛ وثّقه لدى مزوّد تسجيل الدخول ثم سجّل الدخول من جديد، أو حدّد مستلمين آخرين',
  },
  no_address: {
    en: 'is required, because your access token has no e-mail address',
    ar: 'مطلوب، لأن رمز الوصول الخاص بك لا يحتوي على عنوان بريد إلكتروني',
  },
  only_for_workbooks: {
    en: 'must be absent or false, because only a workbook can be edited and sent back; export it as Excel',
    ar: 'يجب ألا يُرسل إلا بقيمة false، لأن ملف Excel وحده يمكن تعديله وإعادة إرساله؛ صدّره بصيغة Excel',
  },
  nothing_editable: {
    en: 'must be absent or false, because you can edit no column of this table',
    ar: 'يجب ألا يُرسل إلا بقيمة false، لأنه لا يوجد في هذا الجدول عمود يمكنك تعديله',
  },
  not_a_separator: { en: 'must be "," or ";"', ar: 'يجب أن يكون "," أو ";"' },
  not_a_position: {
    en: 'must be the unchanged "next" of the previous page',
    ar: 'يجب أن يكون next من الصفحة السابقة دون تغيير',
  },
  not_a_version: {
    en: 'must be the unchanged _version of an item',
    ar: 'يجب أن يكون _version الخاص بأحد العناصر دون تغيير',
  },
  not_an_entity_tag: {
    en: 'must be the _version of an item in double quotes, and nothing else',
    ar: 'يجب أن يكون _version الخاص بأحد العناصر بين علامتي اقتباس مزدوجتين فقط',
  },
} as const satisfies Readonly<Record<string, Bilingual>>

type ActionFaultCode = keyof typeof faults

/** One of these faults as a bilingual text. */
export const actionFault = (code: ActionFaultCode, details: FaultDetails = {}): Bilingual =>
  fillFault(faults[code], details)
