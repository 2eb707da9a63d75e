/** The HTTP status of a failure that names no other. */
export const defaultStatus = 422

/**
 * Every way in which a request can fail: its HTTP status and its text in both languages. `{name}` stands for a detail.
 */
export const catalogue = {
  unauthenticated: {
    status: 401,
    en: 'A valid access token is required',
    ar: 'يلزم رمز وصول صالح',
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
    ar: 'الطريقة {method} غير مسموح بها هنا؛ استخدم {allowed}',
  },
  invalid_body: {
    status: 400,
    en: 'The request body must be a JSON object: {reason}',
    ar: 'يجب أن يكون محتوى الطلب كائن JSON: {reason}',
  },
  body_too_large: {
    status: 413,
    en: 'The request body is larger than {limit} bytes; send fewer rows or shorter texts',
    ar: 'محتوى الطلب أكبر من {limit} بايت؛ أرسل صفوفًا أقل أو نصوصًا أقصر',
  },
  validation_failed: {
    en: 'The request is not valid: {field}',
    ar: 'الطلب غير صالح: {field}',
  },
  action_not_defined: {
    en: 'Action is not defined',
    ar: 'الإجراء غير معرّف',
  },
  action_not_applicable: {
    en: 'This action does not apply to this row',
    ar: 'لا ينطبق هذا الإجراء على هذا الصف',
  },
  row_version_conflict: {
    en: 'The row has changed since it was read; nothing was changed; load it again',
    ar: 'تغيّر الصف بعد قراءته؛ لم يُعدَّل شيء؛ أعد تحميله',
  },
  action_failed: {
    en: 'The action was refused',
    ar: 'رُفض الإجراء',
  },
  unexpected_count: {
    en: 'The action would run on {count}, not on the expected {expected}; nothing was changed; load the page again',
    ar: 'سيُنفَّذ الإجراء على {count}، لا على {expected} كما كان متوقعًا؛ لم يُعدَّل شيء؛ أعد تحميل الصفحة',
  },
  selection_mismatch: {
    en: 'The selection_token belongs to other rows than the request selects; load the page again',
    ar: 'يخص selection_token صفوفًا غير التي يحددها الطلب؛ حمّل الصفحة من جديد',
  },
  selection_moved: {
    en: 'The selected rows have changed since the page was loaded; nothing was changed; load it again',
    ar: 'تغيّرت الصفوف المحددة منذ تحميل الصفحة؛ لم يُعدَّل شيء؛ أعد تحميل الصفحة',
  },
  selection_too_large: {
    en: 'The action runs on at most {limit} at once, and more are selected; nothing was changed',
    ar: 'يُنفَّذ الإجراء على {limit} كحد أقصى في المرة الواحدة، وعدد الصفوف المحددة أكبر؛ لم يُعدَّل شيء',
  },
  export_too_large: {
    en: 'At most {limit} can be exported at once, and {count} are selected; narrow the filters or use {alternative}',
    ar: 'يمكن تصدير {limit} كحد أقصى في المرة الواحدة، وعدد الصفوف المحددة {count}؛ ضيّق التصفية أو استخدم {alternative}',
  },
  report_too_large: {
    en: 'The report is too large to be delivered; narrow the filters',
    ar: 'حجم التقرير أكبر مما يمكن تسليمه؛ ضيّق التصفية',
  },
  recipient_not_allowed: {
    en: 'Reports must not be sent to {address}; use your own address or one that the service allows',
    ar: 'لا يُسمح بإرسال التقارير إلى {address}؛ استخدم عنوانك أو عنوانًا تسمح به الخدمة',
  },
  mail_off: {
    en: 'This service sends no e-mail; use another action',
    ar: 'لا ترسل هذه الخدمة بريدًا إلكترونيًا؛ استخدم إجراءً آخر',
  },
  mail_failed: {
    en: 'The mail service did not accept the report for {address}; check the address',
    ar: 'لم تقبل خدمة البريد إرسال التقرير إلى {address}؛ تحقق من العنوان',
  },
  idempotency_key_reused: {
    en: 'This Idempotency-Key was used for another request; use a new one',
    ar: 'سبق استخدام Idempotency-Key هذا لطلب آخر؛ استخدم قيمة جديدة',
  },
  idempotency_in_progress: {
    status: 409,
    en: 'The first request with this Idempotency-Key is still under way; try again',
    ar: 'ما زال الطلب الأول الذي يحمل Idempotency-Key هذا قيد التنفيذ؛ أعد المحاولة',
  },
  conflicting_data: {
    en: 'The change conflicts with other data; load the row again and correct the values',
    ar: 'يتعارض التغيير مع بيانات أخرى؛ أعد تحميل الصف وصحّح القيم',
  },
  row_busy: {
    status: 409,
    en: 'Another request is changing the same data; try again',
    ar: 'يعدّل طلب آخر البيانات نفسها الآن؛ أعد المحاولة',
  },
  too_many_requests: {
    status: 429,
    en: 'You have reached your limit of {units} ({max} {span}); try again in {wait} s',
    ar: 'بلغت الحد المسموح به من {units} ({max} {span})؛ أعد المحاولة بعد {wait} ث',
  },
  too_many_jobs: {
    status: 429,
    en: 'No more than {limit} of your jobs may be unfinished at once; wait for one of them or cancel it',
    ar: 'لا يمكن أن يتجاوز عدد مهامك غير المنتهية {limit} في الوقت نفسه؛ انتظر انتهاء إحداها أو ألغِها',
  },
  job_not_found: {
    status: 404,
    en: 'The job was not found',
    ar: 'لم يُعثر على المهمة',
  },
  download_not_found: {
    status: 404,
    en: 'This link leads to no file; it may have expired or been revoked',
    ar: 'لا يؤدي هذا الرابط إلى ملف؛ ربما انتهت صلاحيته أو أُلغي',
  },
  row_not_found: {
    status: 404,
    en: 'The row was not found',
    ar: 'لم يُعثر على الصف',
  },
  view_not_found: {
    status: 404,
    en: 'The view was not found',
    ar: 'لم يُعثر على طريقة العرض',
  },
  undo_not_found: {
    status: 404,
    en: 'The change was not found',
    ar: 'لم يُعثر على التغيير',
  },
  undo_expired: {
    en: 'The time to undo this change is over',
    ar: 'انتهت مهلة التراجع عن هذا التغيير',
  },
  already_undone: {
    en: 'This change was undone already',
    ar: 'سبق التراجع عن هذا التغيير',
  },
  undo_conflict: {
    en: 'The row was changed again after this change; nothing was undone',
    ar: 'عُدّل الصف مرة أخرى بعد هذا التغيير؛ ولم يُتراجع عن شيء',
  },
  plan_not_found: {
    status: 404,
    en: 'The plan was not found',
    ar: 'لم يُعثر على الخطة',
  },
  plan_expired: {
    en: 'The plan has expired; nothing was changed, so make a new one',
    ar: 'انتهت صلاحية الخطة؛ لم يُعدَّل شيء، فأنشئ خطة جديدة',
  },
  plan_outdated: {
    en: 'The row has changed since it was planned; nothing was changed; make a new plan',
    ar: 'تغيّر الصف بعد وضع الخطة؛ لم يُعدَّل شيء؛ أنشئ خطة جديدة',
  },
  too_many_plans: {
    en: 'You may have {limit} plans at once; apply one of them or wait until they expire',
    ar: 'يمكنك الاحتفاظ بـ {limit} خطة في الوقت نفسه؛ نفّذ إحداها أو انتظر انتهاء صلاحيتها',
  },
  view_changed: {
    en: 'The view was changed meanwhile; load it again',
    ar: 'تغيرت طريقة العرض في هذه الأثناء؛ حمّلها من جديد',
  },
  too_many_views: {
    en: 'You may save {limit} views of a table; remove one of them',
    ar: 'يمكنك حفظ {limit} طريقة عرض لكل جدول؛ احذف إحداها',
  },
  response_too_large: {
    en: 'The response would be larger than {limit} bytes; accept compression or ask for fewer rows at a time',
    ar: 'حجم الرد أكبر من {limit} بايت؛ اقبل الضغط في طلبك أو اطلب صفوفًا أقل',
  },
  page_too_costly: {
    en: 'This page takes the database more than {budget} ms; use fewer sorts, narrower filters or pagination.next_cursor',
    ar: 'تستغرق هذه الصفحة في قاعدة البيانات أكثر من {budget} مللي ثانية؛ قلّل أعمدة الترتيب أو ضيّق التصفية أو استخدم pagination.next_cursor',
  },
  timed_out: {
    status: 504,
    en: 'The request took too long; narrow the filters and try again',
    ar: 'استغرق الطلب وقتًا أطول من اللازم؛ ضيّق التصفية ثم أعد المحاولة',
  },
  unavailable: {
    status: 503,
    en: 'The service is briefly unavailable; try again',
    ar: 'الخدمة غير متاحة مؤقتًا؛ أعد المحاولة',
  },
  outcome_unknown: {
    status: 503,
    en: 'The connection was lost during the commit, so the change may have been saved; repeat the request with the same Idempotency-Key; if it had none, check first whether the change was saved',
    ar: 'انقطع الاتصال أثناء حفظ التغيير، وربما حُفظ؛ أعد إرسال الطلب بقيمة Idempotency-Key نفسها، وإن لم يحملها فتحقق أولًا هل حُفظ',
  },
  internal_error: {
    status: 500,
    en: 'Something went wrong on the server; try again later, or report it',
    ar: 'حدث خطأ في الخادم؛ حاول لاحقًا أو أبلغ عنه',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>

/** A way to fail. */
export interface CatalogueEntry {
  readonly status?: number
  readonly en: string
  readonly ar: string
}

export type ErrorCode = keyof typeof catalogue
