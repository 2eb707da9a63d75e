import { arabic } from './arabic.ts'
import { english, type Texts } from './english.ts'

/** The page's own texts by language. */
export const textsOf: Readonly<Record<'en' | 'ar', Texts>> = { en: english, ar: arabic }
