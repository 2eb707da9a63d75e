import type { Language } from '../i18n/language.ts'

/** The words of a report's mail. */
export interface MailTexts {
  readonly greeting: string
  /** To whoever asked, before what the mail is about. */
  readonly intro: string
  /** To anybody else. */
  readonly askedBy: (requester: string) => string
  readonly noRows: string
  readonly table: string
  readonly action: string
  readonly rows: string
  readonly attached: string
  readonly download: string
  /** Before the moment until which a link works. */
  readonly until: string
  readonly anyoneWithLink: string
  readonly why: string
  /** To the requester of a job that failed. */
  readonly failed: string
  readonly whyFailed: string
  /** Before the action, in the subject. */
  readonly notDelivered: string
  readonly reference: string
  readonly size: string
}

export const mailTexts: Readonly<Record<Language, MailTexts>> = {
  en: {
    greeting: 'Hello,',
    intro: 'The report you asked for is ready.',
    askedBy: (requester) => `${requester} has asked for this report to be sent to you.`,
    noRows: 'No rows matched, so the report is empty.',
    table: 'Table',
    action: 'Action',
    rows: 'Rows',
    attached: 'Attached file',
    download: 'Download the file',
    until: 'The link works until',
    anyoneWithLink: 'Whoever has the link can open the file: pass it on with care.',
    why: 'This message was sent automatically because somebody asked for a report to this address.',
    failed: 'What you requested by e-mail was not delivered, or not to every recipient.',
    whyFailed: 'This message was sent automatically because a request of yours failed.',
    notDelivered: 'Not delivered:',
    reference: 'Reference',
    size: 'Size',
  },
  ar: {
    greeting: 'مرحبًا،',
    intro: 'التقرير الذي طلبته جاهز.',
    askedBy: (requester) => `أُرسل إليك هذا التقرير بناءً على طلب ${requester}.`,
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
}
