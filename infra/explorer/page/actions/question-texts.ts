import { countNoun, groupDigits, nouns } from '../../../../lib/i18n/count-noun.ts'

const countRows = (count: number) => countNoun(count, nouns.row, { format: groupDigits })

const english = {
  emails: 'Recipients, with commas between them',
  emailsHelp: 'If empty, the report is sent to your own address.',
  affects: (total: number) => `This concerns ${total === 0 ? 'no rows' : countRows(total).en}.`,
  notCounted: 'The rows could not be counted.',
  submit: 'Submit',
  seeFields: 'Correct the marked fields.',
}

const arabic: typeof english = {
  emails: 'المستلمون، مفصولون بفواصل',
  emailsHelp: 'إذا تُرك فارغًا، يُرسل التقرير إلى عنوانك.',
  affects: (total) => (total === 0 ? 'لا يشمل هذا أي صف.' : `يشمل هذا: ${countRows(total).ar}.`),
  notCounted: 'تعذّر عدّ الصفوف.',
  submit: 'إرسال',
  seeFields: 'صحّح الحقول المميَّزة.',
}

/** The texts of forms and questions, which are not in the first script. */
export const questionTexts: Readonly<Record<'en' | 'ar', typeof english>> = { en: english, ar: arabic }
