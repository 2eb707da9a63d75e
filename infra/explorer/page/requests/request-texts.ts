const english = {
  none: 'Nothing has been sent yet',
  help: 'What this page has sent, the newest first. The copies have $TOKEN in place of your token.',
  asCurl: 'Copy as curl',
  asTypeScript: 'Copy as TypeScript',
  aborted: 'cancelled',
  noResponse: 'no response',
  pending: 'in progress',
  timing: 'Server',
}

const arabic: typeof english = {
  none: 'لم يُرسل شيء بعد',
  help: 'ما أرسلته هذه الصفحة، الأحدث أولًا. في النسخ يحلّ $TOKEN محل رمزك.',
  asCurl: 'نسخ كأمر curl',
  asTypeScript: 'نسخ كشيفرة TypeScript',
  aborted: 'أُلغي',
  noResponse: 'لم يصل رد',
  pending: 'قيد الإرسال',
  timing: 'الخادم',
}

/** The texts of the log of requests, which are not in the first script. */
export const requestTexts: Readonly<Record<'en' | 'ar', typeof english>> = { en: english, ar: arabic }
