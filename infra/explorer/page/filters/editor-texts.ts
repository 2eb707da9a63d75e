const english = {
  least: 'At least',
  most: 'At most',
  notFound: 'No choice has this text.',
  noOptions: 'Nothing to choose from. It may depend on another filter.',
  notNumber: 'Write a number, such as 1500 or 0.5.',
  notDay: 'Write a day as year-month-day, such as 2026-03-31.',
}

const arabic: typeof english = {
  least: 'على الأقل',
  most: 'على الأكثر',
  notFound: 'لا يوجد خيار يحتوي على هذا النص.',
  noOptions: 'لا توجد خيارات. قد تعتمد على عامل تصفية آخر.',
  notNumber: 'اكتب عددًا، مثل 1500 أو 0.5.',
  notDay: 'اكتب التاريخ بصيغة «سنة-شهر-يوم»، مثل \u200e2026-03-31.',
}

/** The texts of the editors of filters, which are not in the first script. */
export const editorTexts: Readonly<Record<'en' | 'ar', typeof english>> = { en: english, ar: arabic }
