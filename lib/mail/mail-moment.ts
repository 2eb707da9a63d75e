import type { Language } from '../i18n/language.ts'

/** Western digits, as in the cells of tables. */
const locales: Readonly<Record<Language, string>> = { en: 'en-GB', ar: 'ar-u-nu-latn' }

const day = { day: 'numeric', month: 'long', year: 'numeric' } as const
const second = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
const moment = { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const

/** A moment to the second in a time zone that it does not name, for subjects: mails with the same one become a thread. */
export const subjectMoment = (date: Date, language: Language, timeZone: string): string =>
  new Intl.DateTimeFormat(locales[language], { ...day, ...second, timeZone }).format(date)

/** A moment in a time zone that it names. */
export const momentWords = (date: Date, language: Language, timeZone: string): string =>
  new Intl.DateTimeFormat(locales[language], { ...moment, timeZone }).format(date)
