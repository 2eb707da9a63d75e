import { createContext, use } from 'react'
import { groupDigits } from '../../../../lib/i18n/count-noun.ts'
import type { Texts } from './english.ts'
import { textsOf } from './texts.ts'

export interface Words {
  readonly language: 'en' | 'ar'
  readonly t: Texts
  /** Writes a whole number. */
  readonly number: (value: number) => string
}

const words = (language: 'en' | 'ar'): Words => ({ language, t: textsOf[language], number: groupDigits })

/** Arabic with the digits that the service writes as well. */
export const numberLocale = (language: 'en' | 'ar'): string => (language === 'ar' ? 'ar-u-nu-latn' : 'en')

export const wordsOf: Readonly<Record<'en' | 'ar', Words>> = { en: words('en'), ar: words('ar') }

export const WordsContext = createContext(wordsOf.en)

/** The page's texts and numbers in the language of the view. */
export const useWords = (): Words => use(WordsContext)
