import { countNoun, groupDigits, nouns } from '../../../../lib/i18n/count-noun.ts'

const cell = {
  en: ['cell', 'cells'],
  ar: { none: 'لا خلايا', one: 'خلية واحدة', two: ['خليتان', 'خليتين'], few: 'خلايا', many: 'خلية', other: 'خلية' },
} as const

const writeCount = (count: number, noun: typeof cell | typeof nouns.row, genitive = false) =>
  countNoun(count, noun, { format: groupDigits, genitive })

const english = {
  choose: 'Send an edited file back …',
  roundTrip: 'Excel files can be edited and sent back',
  drop: 'Drop the file to see what it would change',
  oneFile: 'Send one file at a time.',
  title: (file: string) => `Edited file: ${file}`,
  sending: 'Sending the file …',
  reading: 'Reading the file …',
  tooLarge: 'The file is larger than 20 MB. Export fewer rows and send those.',
  empty: 'The file is empty. Choose another one.',
  notSent:
    'The file could not be sent. If you have saved it again meanwhile, choose it again; else check the connection.',
  how: 'To get such a file: open Actions, tick “Excel files can be edited and sent back”, export, and edit that file.',
  again: 'Send it again',
  nothing: 'Nothing would change: the table has the values of the file.',
  read: (rows: number) => `${writeCount(rows, nouns.row).en} read.`,
  changes: (cells: number) => `${writeCount(cells, cell).en} would change`,
  conflicts: (cells: number) =>
    `Not changed, because another user has edited it since the export: ${writeCount(cells, cell).en}`,
  refused: (places: number) => `Cannot be changed: ${groupDigits(places)}`,
  ignored: (names: string) => `Columns that are not read: ${names}`,
  place: 'Cell',
  column: 'Column',
  row: 'Row',
  now: 'Now',
  file: 'In the file',
  exported: 'As exported',
  reason: 'Why',
  hidden: 'hidden',
  more: 'Show more',
  cancel: 'Change nothing',
  apply: (cells: number) => `Change ${writeCount(cells, cell).en}`,
}

const arabic: typeof english = {
  choose: 'إرسال ملف معدَّل …',
  roundTrip: 'ملفات Excel يمكن تعديلها وإعادة إرسالها',
  drop: 'أفلت الملف لترى ما سيغيّره',
  oneFile: 'أرسل ملفًا واحدًا في كل مرة.',
  title: (file) => `الملف المعدَّل: \u2068${file}\u2069`,
  sending: 'يُرسل الملف …',
  reading: 'يُقرأ الملف …',
  tooLarge: 'الملف أكبر من 20 ميغابايت. صدّر صفوفًا أقل وأرسلها.',
  empty: 'الملف فارغ. اختر ملفًا آخر.',
  notSent: 'تعذّر إرسال الملف. إن كنت قد حفظته من جديد فاختره مرة أخرى، وإلا فتحقق من الاتصال.',
  how: 'للحصول على ملف كهذا: افتح «الإجراءات»، وحدّد «ملفات Excel يمكن تعديلها وإعادة إرسالها»، ثم صدّر وعدّل ذلك الملف.',
  again: 'إرساله مرة أخرى',
  nothing: 'لن يتغير شيء: قيم الجدول هي قيم الملف نفسها.',
  read: (rows) => `قُرئ من الملف: ${writeCount(rows, nouns.row).ar}.`,
  changes: (cells) => `ما سيتغير: ${writeCount(cells, cell).ar}`,
  conflicts: (cells) => `ما يُترك كما هو لأن مستخدمًا آخر غيّره منذ التصدير: ${writeCount(cells, cell).ar}`,
  refused: (places) => `ما لا يمكن تغييره: ${groupDigits(places)}`,
  ignored: (names) => `أعمدة لا تُقرأ: ${names}`,
  place: 'الخلية',
  column: 'العمود',
  row: 'الصف',
  now: 'الآن',
  file: 'في الملف',
  exported: 'عند التصدير',
  reason: 'السبب',
  hidden: 'مخفي',
  more: 'عرض المزيد',
  cancel: 'عدم تغيير شيء',
  apply: (cells) => `تغيير ${writeCount(cells, cell, true).ar}`,
}

/** The texts of edited files, which are not in the first script. */
export const importTexts: Readonly<Record<'en' | 'ar', typeof english>> = { en: english, ar: arabic }
