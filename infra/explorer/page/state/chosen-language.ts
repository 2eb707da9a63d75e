import { browserTexts } from './kept-texts.ts'

const key = 'explorer-language'

let chosen: 'en' | 'ar' | undefined

const parseLanguage = (text: string | null | undefined): 'en' | 'ar' | undefined =>
  text === 'en' || text === 'ar' ? text : undefined

/**
 * The language that was chosen in this browser; before any choice that of the link it was opened by, else the browser's
 * own.
 */
export function chosenLanguage(ofLink: string | null): 'en' | 'ar' {
  chosen ??=
    parseLanguage(browserTexts.read(key)) ??
    parseLanguage(ofLink) ??
    (navigator.language.startsWith('ar') ? 'ar' : 'en')
  return chosen
}

export function chooseLanguage(language: 'en' | 'ar'): void {
  chosen = language
  browserTexts.write(key, language)
}
