import { createContext, use } from 'react'
import { groupDigits } from '../../../../lib/i18n/count-noun.ts'
import { arabic } from './arabic.ts'
import { english, type Texts } from './english.ts'

export interface Words {
  readonly language: 'en' | 'ar'
  readonly t: Texts
  /** Writes a whole number. */
  readonly number: (value: number) => string
}

/** Returns the locale for numbers. Arabic has the same digits as in the texts of the service. */
export const numberLocale = (language: 'en' | 'ar'): string => (language === 'ar' ? 'ar-u-nu-latn' : 'en')

export const wordsByLanguage: Readonly<Record<'en' | 'ar', Words>> = {
  en: { language: 'en', t: english, number: groupDigits },
  ar: { language: 'ar', t: arabic, number: groupDigits },
}

export const WordsContext = createContext(wordsByLanguage.en)

/** The page's texts and numbers in the language of the view. */
export const useWords = (): Words => use(WordsContext)
