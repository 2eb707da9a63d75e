import { type CountedNoun, countNoun, groupDigits } from '../../../../lib/i18n/count-noun.ts'

const group: CountedNoun = {
  en: ['group', 'groups'],
  ar: {
    none: 'لا مجموعات',
    one: 'مجموعة واحدة',
    two: ['مجموعتان', 'مجموعتين'],
    few: 'مجموعات',
    many: 'مجموعة',
    other: 'مجموعة',
  },
}

const countGroups = (count: number) => countNoun(count, group, { format: groupDigits })

const english = {
  help: 'Counts the rows of each value. Totals are of each group.',
  add: 'Group by a column',
  bucket: 'Joined by',
  eachValue: 'each value',
  units: { day: 'day', week: 'week', month: 'month', quarter: 'quarter', year: 'year' },
  width: 'Width of ranges',
  notWidth: 'Write a number above 0, such as 100.',
  measure: 'What the bars show',
  rows: 'Rows',
  groups: 'Groups',
  chart: 'Chart',
  table: 'Table',
  ungroup: 'Ungroup',
  notLive: 'Not live',
  refresh: 'Refresh',
  refreshHelp: 'Groups are not updated when others change rows: this button loads them again.',
  missing: '(empty)',
  open: (name: string) => `Show the rows of ${name}`,
  opened: 'The group',
  back: 'Back to the groups',
  count: (count: number, hasMore: boolean) => `${countGroups(count).en}${hasMore ? ' on this page' : ''}`,
  none: 'No groups: no rows match.',
  slow: 'This took too long. Narrow the filters, or group by fewer columns.',
  chartTitle: (measure: string, by: string) => `${measure} by ${by}`,
  summary: (count: string, highest: string, lowest: string) => `${count}. Highest: ${highest}. Lowest: ${lowest}.`,
  withoutValue: (count: string) => `Without a value, and not in the chart: ${count}.`,
  asTable: 'The table has the same numbers.',
}

const arabic: typeof english = {
  help: 'يعدّ الصفوف لكل قيمة، وتُحسب الإجماليات لكل مجموعة.',
  add: 'تجميع حسب عمود',
  bucket: 'مجمَّعة حسب',
  eachValue: 'كل قيمة',
  units: { day: 'اليوم', week: 'الأسبوع', month: 'الشهر', quarter: 'الربع', year: 'السنة' },
  width: 'عرض النطاقات',
  notWidth: 'اكتب عددًا أكبر من 0، مثل 100.',
  measure: 'ما تعرضه الأعمدة البيانية',
  rows: 'الصفوف',
  groups: 'المجموعات',
  chart: 'رسم بياني',
  table: 'جدول',
  ungroup: 'إلغاء التجميع',
  notLive: 'دون تحديث مباشر',
  refresh: 'تحديث',
  refreshHelp: 'لا تُحدَّث المجموعات عندما يغيّر الآخرون الصفوف: يعيد هذا الزر تحميلها.',
  missing: '(فارغ)',
  open: (name) => `عرض صفوف ${name}`,
  opened: 'المجموعة',
  back: 'العودة إلى المجموعات',
  count: (count, hasMore) => `${countGroups(count).ar}${hasMore ? ' في هذه الصفحة' : ''}`,
  none: 'لا توجد مجموعات لأنه لا توجد صفوف مطابقة.',
  slow: 'استغرق هذا وقتًا طويلًا. ضيّق عوامل التصفية أو جمّع حسب أعمدة أقل.',
  chartTitle: (measure, by) => `${measure} حسب ${by}`,
  summary: (count, highest, lowest) => `${count}. الأعلى: ${highest}. الأدنى: ${lowest}.`,
  withoutValue: (count) => `بلا قيمة، وليست في الرسم: ${count}.`,
  asTable: 'تجد الأرقام نفسها في الجدول.',
}

/** The texts of grouping, which are not in the first script. */
export const groupingTexts: Readonly<Record<'en' | 'ar', typeof english>> = { en: english, ar: arabic }
