import { countNoun, groupDigits, nouns } from '../../../../lib/i18n/count-noun.ts'

const countRows = (count: number) => countNoun(count, nouns.row, { format: groupDigits })

const english = {
  without: (name: string, count: number) => `Without “${name}” there would be ${countRows(count).en}.`,
  remove: 'Remove',
  removes: (name: string) => `Remove “${name}”`,
  together: 'No single filter is the reason: without any one of them there are still no rows.',
  search: (text: string) => `Search: ${text}`,
  slow: 'Finding out which filter is the reason took too long.',
}

const arabic: typeof english = {
  without: (name, count) => `لولا «${name}» لظهر ${countRows(count).ar}.`,
  remove: 'إزالة',
  removes: (name) => `إزالة «${name}»`,
  together: 'لا يوجد عامل تصفية واحد هو السبب: لا صفوف حتى بعد إزالة أي منها.',
  search: (text) => `البحث: ${text}`,
  slow: 'استغرق تحديد عامل التصفية المتسبب وقتًا طويلًا.',
}

/** The texts of explanations, which are not in the first script. */
export const explainTexts: Readonly<Record<'en' | 'ar', typeof english>> = { en: english, ar: arabic }
