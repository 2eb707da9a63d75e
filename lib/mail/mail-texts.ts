import type { Language } from '../i18n/language.ts'

/** The words of a report's mail. */
export interface MailTexts {
  readonly greeting: string
  /** Before what the mail is about. */
  readonly intro: string
  readonly table: string
  readonly action: string
  readonly rows: string
  readonly attached: string
  readonly download: string
  /** Before the moment until which a link works. */
  readonly until: string
  readonly anyoneWithLink: string
  readonly why: string
}

export const mailTexts: Readonly<Record<Language, MailTexts>> = {
  en: {
    greeting: 'Hello,',
    intro: 'The report you asked for is ready.',
    table: 'Table',
    action: 'Report',
    rows: 'Rows',
    attached: 'Attached file',
    download: 'Download the file',
    until: 'The link works until',
    anyoneWithLink: 'Whoever has the link can open the file: pass it on with care.',
    why: 'This message was sent automatically because somebody asked for a report to this address.',
  },
  ar: {
    greeting: 'مرحبًا،',
    intro: 'التقرير الذي طُلب جاهز.',
    table: 'الجدول',
    action: 'التقرير',
    rows: 'عدد الصفوف',
    attached: 'الملف المرفق',
    download: 'تنزيل الملف',
    until: 'يعمل الرابط حتى',
    anyoneWithLink: 'يستطيع كل من لديه الرابط فتح الملف، فشاركه بحذر.',
    why: 'أُرسلت هذه الرسالة تلقائيًا لأن تقريرًا طُلب إرساله إلى هذا العنوان.',
  },
}
