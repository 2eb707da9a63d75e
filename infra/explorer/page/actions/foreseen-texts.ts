const english = {
  show: 'Show what would happen',
  apply: 'Apply it',
  back: 'Back',
  applicable: (count: string, rows: string) => `It would change ${count} of ${rows} selected rows.`,
  refused: (count: string, why: string) => `${count} would not change: ${why}`,
  row: 'Row',
  before: 'Before',
  after: 'After',
  column: 'Column',
  some: 'Some of the rows, before and after',
}

const arabic: typeof english = {
  show: 'عرض ما سيحدث',
  apply: 'تطبيقه',
  back: 'رجوع',
  applicable: (count, rows) => `سيغيّر ${count} من الصفوف المحددة (${rows}).`,
  refused: (count, why) => `${count} لن تتغير: ${why}`,
  row: 'الصف',
  before: 'قبل',
  after: 'بعد',
  column: 'العمود',
  some: 'بعض الصفوف، قبل وبعد',
}

/** The texts of what an action would do, which are not in the first script. */
export const foreseenTexts: Readonly<Record<'en' | 'ar', typeof english>> = { en: english, ar: arabic }
