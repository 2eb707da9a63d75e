import { createContext, use } from 'react'
import type { Texts } from './english.ts'
import { textsOf } from './texts.ts'

export interface Words {
  readonly language: 'en' | 'ar'
  readonly t: Texts
  readonly number: (value: number) => string
}

const words = (language: 'en' | 'ar'): Words => {
  const format = new Intl.NumberFormat(numberLocale(language))
  return { language, t: textsOf[language], number: (value) => format.format(value) }
}

/** Arabic with the digits that the service writes as well. */
export const numberLocale = (language: 'en' | 'ar'): string => (language === 'ar' ? 'ar-u-nu-latn' : 'en')

export const wordsOf: Readonly<Record<'en' | 'ar', Words>> = { en: words('en'), ar: words('ar') }

export const WordsContext = createContext(wordsOf.en)

/** The page's texts and numbers in the language of the view. */
export const useWords = (): Words => use(WordsContext)
