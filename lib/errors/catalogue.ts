/** Every way in which a request can fail: its HTTP status and its text in both languages. `{name}` stands for a detail. */
export const catalogue = {
  unauthenticated: {
    status: 401,
    en: 'A valid access token is required',
    ar: 'يلزم رمز دخول صالح',
  },
  forbidden: {
    status: 403,
    en: 'You are not allowed to use this table',
    ar: 'غير مسموح لك باستخدام هذا الجدول',
  },
  table_not_found: {
    status: 404,
    en: 'Required {table} Table Not Exists',
    ar: 'الجدول المطلوب {table} غير موجود',
  },
  route_not_found: {
    status: 404,
    en: 'There is no such route: {method} {path}',
    ar: 'لا يوجد مسار بهذا العنوان: {method} {path}',
  },
  method_not_allowed: {
    status: 405,
    en: '{method} is not allowed here; use {allowed}',
    ar: 'الطريقة {method} غير مسموحة هنا؛ استخدم {allowed}',
  },
  invalid_body: {
    status: 400,
    en: 'The request body must be a JSON object: {reason}',
    ar: 'يجب أن يكون محتوى الطلب كائن JSON: {reason}',
  },
  body_too_large: {
    status: 413,
    en: 'The request body is larger than {limit} bytes',
    ar: 'محتوى الطلب أكبر من {limit} بايت',
  },
  validation_failed: {
    status: 422,
    en: 'The request is not valid: {field}',
    ar: 'الطلب غير صالح: {field}',
  },
  action_not_defined: {
    status: 422,
    en: 'Action is not defined',
    ar: 'الإجراء غير معرّف',
  },
  action_not_applicable: {
    status: 422,
    en: 'This action does not apply to this row',
    ar: 'لا ينطبق هذا الإجراء على هذا الصف',
  },
  row_not_found: {
    status: 404,
    en: 'The row was not found',
    ar: 'لم يُعثر على الصف',
  },
  response_too_large: {
    status: 422,
    en: 'The answer would be larger than {limit} bytes; ask for fewer rows at a time',
    ar: 'الإجابة أكبر من {limit} بايت؛ اطلب عددًا أقل من الصفوف',
  },
  timed_out: {
    status: 504,
    en: 'The request took too long; narrow the filters and try again',
    ar: 'استغرق الطلب وقتًا طويلًا؛ ضيّق عوامل التصفية ثم أعد المحاولة',
  },
  unavailable: {
    status: 503,
    en: 'The service is briefly unavailable; try again',
    ar: 'الخدمة غير متاحة مؤقتًا؛ أعد المحاولة',
  },
  internal_error: {
    status: 500,
    en: 'Something went wrong on the server',
    ar: 'حدث خطأ في الخادم',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>

interface CatalogueEntry {
  readonly status: number
  readonly en: string
  readonly ar: string
}

export type ErrorCode = keyof typeof catalogue
