import { countNoun, nouns } from '../i18n/count-noun.ts'
import type { Bilingual } from '../i18n/language.ts'

export interface Counts {
  readonly succeeded: number
  readonly failed: number
}

/** Says how many rows were changed and how many were not. */
export function countsMessage({ succeeded, failed }: Counts): Bilingual {
  const [done, not] = [countNoun(succeeded, nouns.row), countNoun(failed, nouns.row)]
  if (failed === 0) return { en: `${done.en} done`, ar: `تم: ${done.ar}` }
  return { en: `${done.en} done, ${not.en} not`, ar: `تم: ${done.ar}، ولم يتم: ${not.ar}` }
}
