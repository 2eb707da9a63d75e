import { countNoun, groupDigits, nouns } from '../../../../lib/i18n/count-noun.ts'

const countRows = (count: number) => countNoun(count, nouns.row, { format: groupDigits })

const english = {
  show: 'Show what would happen',
  apply: 'Apply these changes',
  back: 'Back',
  impossible: 'This action cannot show what would happen.',
  applicable: (count: string, rows: string) => `It would change ${count} of ${rows} selected rows.`,
  refused: (count: number, why: string) => `${countRows(count).en} would not change: ${why}`,
  row: 'Row',
  before: 'Before',
  after: 'After',
  column: 'Column',
  some: 'Some of the rows, before and after',
}

const arabic: typeof english = {
  show: 'عرض ما سيحدث',
  apply: 'تطبيق هذه التغييرات',
  back: 'رجوع',
  impossible: 'لا يمكن عرض ما سيحدث لهذا الإجراء.',
  applicable: (count, rows) => `سيغيّر ${count} من الصفوف المحددة (${rows}).`,
  refused: (count, why) => `سيبقى ${countRows(count).ar} دون تغيير: ${why}`,
  row: 'الصف',
  before: 'قبل',
  after: 'بعد',
  column: 'العمود',
  some: 'بعض الصفوف، قبل وبعد',
}

/** The texts of what an action would do, which are not in the first script. */
export const foreseenTexts: Readonly<Record<'en' | 'ar', typeof english>> = { en: english, ar: arabic }
