import type { Bilingual } from '../i18n/language.ts'
import { type FaultDetails, fillFault } from './field-fault.ts'
import { RequestError } from './request-error.ts'

/** The ways in which an import fails. Functions that read no file do not load them. */
export const importFailures = {
  import_not_found: {
    status: 404,
    en: 'The import was not found; it may have expired',
    ar: 'لم يُعثر على الاستيراد؛ ربما انتهت صلاحيته',
  },
  import_not_planned: {
    status: 422,
    en: 'The import is not planned: request it again until its state is planned; if its state is failed, correct the file and send it again',
    ar: 'الاستيراد ليس جاهزًا: كرّر طلبه إلى أن تصبح حالته planned؛ وإذا كانت failed فصحّح الملف وأعد إرساله',
  },
  import_unreadable: {
    status: 422,
    en: 'The file is neither a workbook (.xlsx) nor a CSV file, or it is damaged; save it as .xlsx and send it again',
    ar: 'الملف ليس ملف Excel (‎.xlsx) ولا ملف CSV، أو أنه تالف؛ احفظه بصيغة ‎.xlsx وأعد إرساله',
  },
  import_too_large: {
    status: 422,
    en: 'The file is larger than an import may be: {en}; export fewer rows and send those',
    ar: 'الملف أكبر مما يُسمح باستيراده: {ar}؛ صدّر صفوفًا أقل وأرسلها',
  },
  import_refused: {
    status: 422,
    en: 'The file cannot be imported: {en}',
    ar: 'لا يمكن استيراد الملف: {ar}',
  },
  too_many_imports: {
    status: 429,
    en: 'You may have {limit} imports at once; apply one of them or wait until one expires',
    ar: 'يمكنك الاحتفاظ بـ {limit} عملية استيراد في الوقت نفسه؛ نفّذ إحداها أو انتظر انتهاء صلاحية إحداها',
  },
} as const

export type ImportErrorCode = keyof typeof importFailures

/** Creates the error of an import. `details` that are words have the keys `en` and `ar`. */
export function importError(
  code: ImportErrorCode,
  details: FaultDetails | Bilingual = {},
  cause?: unknown,
  headers: RequestError['headers'] = {},
): RequestError {
  const { status, ...text } = importFailures[code]
  return new RequestError('action_failed', {}, { code, status, text: fillFault(text, { ...details }), cause, headers })
}

/** The reasons for which a cell or a row of a file is refused. */
const refusals = {
  added_row: {
    en: 'the row is new; an import changes rows and adds none',
    ar: 'الصف جديد؛ الاستيراد يعدّل الصفوف ولا يضيفها',
  },
  forged_token: {
    en: 'the hidden cell of the row was altered; export the rows again',
    ar: 'عُدّلت الخلية المخفية للصف؛ صدّر الصفوف من جديد',
  },
  foreign_token: {
    en: 'the row was copied from another file; import each file by itself',
    ar: 'نُسخ الصف من ملف آخر؛ استورد كل ملف على حدة',
  },
  other_row: {
    en: 'the key that the row shows is not that of its hidden cell; export the rows again, and sort and copy whole rows',
    ar: 'المفتاح الظاهر في الصف ليس مفتاح خليته المخفية؛ صدّر الصفوف من جديد، ولا تفرز أو تنسخ إلا صفوفًا كاملة',
  },
  duplicate_row: {
    en: 'the row is in the file more than once; keep one of them',
    ar: 'الصف مكرر في الملف؛ أبقِ واحدًا منها',
  },
  row_not_found: { en: 'the row was not found; remove it from the file', ar: 'لم يُعثر على الصف؛ احذفه من الملف' },
  several_rows: {
    en: 'several rows have this value; export the rows and edit that file',
    ar: 'هذه القيمة موجودة في عدة صفوف؛ صدّر الصفوف وعدّل ذلك الملف',
  },
  lost_zeros: {
    en: 'a row has this value with zeros in front, which some programs remove; write that value if you mean its row, or else edit and send an Excel file',
    ar: 'يوجد صف له هذه القيمة مسبوقة بأصفار، وبعض البرامج تحذفها؛ اكتب تلك القيمة إن كنت تقصد صفها، وإلا فعدّل ملف Excel وأرسله',
  },
  extra_cells: {
    en: 'the row has more cells than the header; put texts with separators in quotes, or give each column a header',
    ar: 'في الصف خلايا أكثر من العناوين؛ ضع النصوص التي فيها فواصل بين علامات اقتباس، أو أعطِ كل عمود عنوانًا',
  },
  rewritten: {
    en: 'may be the present value as a spreadsheet program writes it, such as 123 for 00123 or ??? for Arabic; if you mean it, write it in the table, or as a text in an Excel file for editing',
    ar: 'قد تكون القيمة الحالية كما يكتبها برنامج الجداول، مثل 123 بدلًا من 00123 أو ??? بدلًا من نص عربي؛ إن كنت تقصدها فاكتبها في الجدول، أو نصًا في ملف Excel مخصص للتعديل',
  },
  not_editable: {
    en: 'you cannot edit this column; put the exported value back',
    ar: 'لا يمكنك تعديل هذا العمود؛ أعد القيمة المصدّرة',
  },
  closed: { en: 'cannot be edited in this row', ar: 'لا يمكن تعديله في هذا الصف' },
  not_from_file: {
    en: 'cannot be edited in a file; edit it in the table',
    ar: 'لا يمكن تعديله في ملف؛ عدّله في الجدول',
  },
  formula: { en: 'is a formula; replace it by its value', ar: 'صيغة حسابية؛ استبدلها بقيمتها' },
  merged: { en: 'is part of merged cells; split them', ar: 'جزء من خلايا مدمجة؛ افصلها' },
  hidden_row: { en: 'is in a hidden row; show the row', ar: 'في صف مخفي؛ أظهر الصف' },
  cut: {
    en: 'was too long for the file; edit it in the table',
    ar: 'أطول مما يتسع له الملف؛ عدّله في الجدول',
  },
  ambiguous_label: {
    en: '"{text}" is the label of several values; edit it in the table',
    ar: '«{text}» تسمية لأكثر من قيمة؛ عدّله في الجدول',
  },
  not_a_yes_or_no: { en: 'must be {yes} or {no}', ar: 'يجب أن يكون {yes} أو {no}' },
  not_a_number: {
    en: 'must be a number such as 1234.5, without separators of thousands or an exponent, and not a date',
    ar: 'يجب أن يكون عددًا مثل 1234.5 دون فواصل للآلاف أو صيغة أسّية، وليس تاريخًا',
  },
  percentage: {
    en: 'is shown as a percentage, whose value is a hundredth of what is seen; format the cell as a number and write it again',
    ar: 'معروض كنسبة مئوية، وقيمته جزء من مئة مما يظهر؛ اجعل تنسيق الخلية رقمًا وأعد كتابته',
  },
  too_many_digits: {
    en: 'has more than 15 digits, which spreadsheet programs round; format the cell as text and write the number again',
    ar: 'فيه أكثر من 15 رقمًا، وبرامج الجداول تقرّبه؛ اجعل تنسيق الخلية نصًا وأعد كتابة العدد',
  },
  not_a_text: {
    en: 'is a date of the spreadsheet; format the cell as text and write the text again',
    ar: 'تاريخ في جدول البيانات؛ اجعل تنسيق الخلية نصًا وأعد كتابة النص',
  },
  not_a_date: {
    en: 'must be a date of the spreadsheet or a text such as {pattern}',
    ar: 'يجب أن يكون تاريخًا في جدول البيانات أو نصًا مثل {pattern}',
  },
  other_calendar: {
    en: 'has a year from 1300 to 1499, as the Hijri calendar has; write the Gregorian date, or edit it in the table',
    ar: 'فيه سنة بين 1300 و1499 كما في التقويم الهجري؛ اكتب التاريخ الميلادي، أو عدّله في الجدول',
  },
  skipped_time: {
    en: 'is a time that the clocks of the time zone {zone} skip; choose another time',
    ar: 'وقت تتخطاه الساعة في المنطقة الزمنية {zone}؛ اختر وقتًا آخر',
  },
  changed_since_planned: {
    en: 'has changed since it was planned; send the file again',
    ar: 'تغيّر بعد قراءة الملف؛ أعد إرسال الملف',
  },
} as const satisfies Readonly<Record<string, Bilingual>>

export type ImportRefusalCode = keyof typeof refusals

/** Why a cell or a row of a file was not changed. */
export interface ImportRefusal {
  readonly code: string
  readonly text: Bilingual
}

/** Creates the refusal of a cell or a row. */
export const importRefusal = (code: ImportRefusalCode, details: FaultDetails = {}): ImportRefusal => ({
  code,
  text: fillFault(refusals[code], details),
})
