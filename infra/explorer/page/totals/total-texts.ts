const english = {
  fns: {
    sum: 'Sum',
    avg: 'Average',
    min: 'Lowest',
    max: 'Highest',
    median: 'Median',
    count: 'Filled in',
    count_distinct: 'Different values',
    count_empty: 'Empty',
  },
  dates: { min: 'Earliest', max: 'Latest' },
  help: 'Totals are of all rows that match, on every page.',
  add: 'Add a total',
  row: 'Totals of all rows that match',
  slow: 'This took too long. Narrow the filters.',
}

const arabic: typeof english = {
  fns: {
    sum: 'المجموع',
    avg: 'المتوسط',
    min: 'الأدنى',
    max: 'الأعلى',
    median: 'الوسيط',
    count: 'غير الفارغة',
    count_distinct: 'القيم المختلفة',
    count_empty: 'الفارغة',
  },
  dates: { min: 'الأقدم', max: 'الأحدث' },
  help: 'تشمل الإجماليات جميع الصفوف المطابقة في كل الصفحات.',
  add: 'إضافة إجمالي',
  row: 'إجماليات جميع الصفوف المطابقة',
  slow: 'استغرق هذا وقتًا طويلًا. ضيّق عوامل التصفية.',
}

/** The texts of totals, which are not in the first script. */
export const totalTexts: Readonly<Record<'en' | 'ar', typeof english>> = { en: english, ar: arabic }
