import type { Bilingual } from '../i18n/language.ts'

export interface Counts {
  readonly succeeded: number
  readonly failed: number
}

const rows = new Intl.PluralRules('ar')

/** Arabic counts things in six ways. */
const arabicRows: Readonly<Record<Intl.LDMLPluralRule, (count: number) => string>> = {
  zero: () => 'لا صفوف',
  one: () => 'صف واحد',
  two: () => 'صفان',
  few: (count) => `${count} صفوف`,
  many: (count) => `${count} صفًا`,
  other: (count) => `${count} صف`,
}

const inEnglish = (count: number): string => `${count} ${count === 1 ? 'row' : 'rows'}`
const inArabic = (count: number): string => arabicRows[rows.select(count)](count)

/** How many rows were changed and how many were not. */
export function countsMessage({ succeeded, failed }: Counts): Bilingual {
  if (failed === 0) return { en: `${inEnglish(succeeded)} done`, ar: `تم: ${inArabic(succeeded)}` }
  return {
    en: `${inEnglish(succeeded)} done, ${inEnglish(failed)} not`,
    ar: `تم: ${inArabic(succeeded)}، ولم يتم: ${inArabic(failed)}`,
  }
}
