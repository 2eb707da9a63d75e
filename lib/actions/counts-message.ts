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

/** A number of rows, in words. */
export const rowsText = (count: number): Bilingual => ({
  en: `${count} ${count === 1 ? 'row' : 'rows'}`,
  ar: arabicRows[rows.select(count)](count),
})

/** How many rows were changed and how many were not. */
export function countsMessage({ succeeded, failed }: Counts): Bilingual {
  const [done, not] = [rowsText(succeeded), rowsText(failed)]
  if (failed === 0) return { en: `${done.en} done`, ar: `تم: ${done.ar}` }
  return { en: `${done.en} done, ${not.en} not`, ar: `تم: ${done.ar}، ولم يتم: ${not.ar}` }
}
