import type { Bilingual, Language } from '../i18n/language.ts'

/** The words of a mail. */
export const mailTexts = {
  en: {
    greeting: 'Hello,',
    /** For the requester. */
    intro: 'The report you asked for is ready.',
    /** For other recipients. */
    askedBy: (requester: string) => `${requester} has asked for this report to be sent to you.`,
    noRows: 'No rows matched, so the report is empty.',
    table: 'Table',
    action: 'Action',
    rows: 'Rows',
    attached: 'Attached file',
    download: 'Download the file',
    /** Precedes the moment until which a link works. */
    until: 'The link works until',
    anyoneWithLink: 'Anyone with the link can open the file: share it with care.',
    why: 'This message was sent automatically because a user requested a report to this address.',
    /** For the owner of a failed job. */
    failed: 'What you requested by e-mail was not delivered, or not to every recipient.',
    whyFailed: 'This message was sent automatically because a request of yours failed.',
    /** Precedes the action in a subject. */
    notDelivered: 'Not delivered:',
    reference: 'Reference',
    size: 'Size',
  },
  ar: {
    greeting: 'مرحبًا،',
    intro: 'التقرير الذي طلبته جاهز.',
    askedBy: (requester: string) => `أُرسل إليك هذا التقرير بناءً على طلب ${requester}.`,
    noRows: 'لا توجد صفوف مطابقة، لذا فالتقرير فارغ.',
    table: 'الجدول',
    action: 'الإجراء',
    rows: 'عدد الصفوف',
    attached: 'الملف المرفق',
    download: 'تنزيل الملف',
    until: 'يعمل الرابط حتى',
    anyoneWithLink: 'يستطيع كل من لديه الرابط فتح الملف، فشاركه بحذر.',
    why: 'أُرسلت هذه الرسالة تلقائيًا لأنه طُلب إرسال تقرير إلى هذا العنوان.',
    failed: 'لم يُسلَّم ما طلبته بالبريد الإلكتروني، أو لم يصل إلى جميع المستلمين.',
    whyFailed: 'أُرسلت هذه الرسالة تلقائيًا لأن طلبًا من طلباتك تعذّر تنفيذه.',
    notDelivered: 'لم يُسلَّم:',
    reference: 'الرقم المرجعي',
    size: 'الحجم',
  },
} as const satisfies Readonly<Record<Language, object>>

const later: Bilingual = {
  en: 'Request it again in a few minutes. If it fails again, narrow the filters, or send the reference below to your administrator.',
  ar: 'اطلبه مرة أخرى بعد بضع دقائق. إذا تعذّر من جديد فضيّق نطاق التصفية، أو أرسل الرقم المرجعي أدناه إلى مسؤول النظام.',
}

const rights: Bilingual = {
  en: 'Your access or the table has changed since you requested it. Open the table again; if you still need it, ask your administrator for access.',
  ar: 'تغيّرت صلاحياتك أو تغيّر الجدول بعد طلبك. افتح الجدول من جديد، وإن كنت لا تزال بحاجة إليه فاطلب الصلاحية من مسؤول النظام.',
}

const request: Bilingual = {
  en: 'The table has changed since you requested it. Open it again, set the filters and request the report anew.',
  ar: 'تغيّر الجدول بعد طلبك. افتحه من جديد واضبط عوامل التصفية ثم أعد طلب التقرير.',
}

const advice: Readonly<Record<string, Bilingual>> = {
  report_too_large: {
    en: 'Narrow the filters, for example to a shorter period, and request it again.',
    ar: 'ضيّق نطاق التصفية، كأن تختار فترة أقصر، ثم اطلبه مرة أخرى.',
  },
  mail_failed: {
    en: 'Check the addresses with the recipients, then request it again.',
    ar: 'تحقق من العناوين مع المستلمين، ثم اطلبه مرة أخرى.',
  },
  mail_unknown: {
    en: 'Ask the recipients whether it has arrived before you request it again.',
    ar: 'اسأل المستلمين إن كان التقرير قد وصلهم قبل أن تطلبه مرة أخرى.',
  },
  forbidden: rights,
  table_not_found: rights,
  action_not_defined: rights,
  validation_failed: request,
}

const withLink: Readonly<Record<string, Bilingual>> = {
  mail_failed: {
    en: 'Download the file by the link below and pass it on, or check the addresses and request it again.',
    ar: 'نزّل الملف من الرابط أدناه وأرسله إلى المستلمين، أو تحقق من العناوين ثم اطلبه مرة أخرى.',
  },
  mail_unknown: {
    en: 'Ask the recipients whether it has arrived. If it has not, download the file by the link below and pass it on.',
    ar: 'اسأل المستلمين إن كان التقرير قد وصلهم، وإن لم يصل فنزّل الملف من الرابط أدناه وأرسله إليهم.',
  },
}

/** Returns advice for the owner of a job that failed with this code. */
export const failureAdvice = (code: string, hasLink: boolean, language: Language): string =>
  ((hasLink ? withLink[code] : undefined) ?? advice[code] ?? later)[language]
