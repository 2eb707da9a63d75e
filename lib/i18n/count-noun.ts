import type { Bilingual } from './language.ts'

/** A noun in every form that a number can ask for. */
export interface CountedNoun {
  readonly en: readonly [one: string, many: string]
  readonly ar: ArabicNoun
}

interface ArabicNoun {
  /** Zero as the subject of a sentence, such as `لا صفوف`. */
  readonly none: string
  /** One and two are written without a digit, and two changes behind a preposition: `صفان`, `على صفين`. */
  readonly one: string
  readonly two: readonly [nominative: string, genitive: string]
  /** The plural of 3 to 10, such as `صفوف`. */
  readonly few: string
  /** The accusative singular of 11 to 99, such as `صفًا`. */
  readonly many: string
  /** The genitive singular of 100, 101, 1,000 and of fractions, such as `صف`. */
  readonly other: string
}

interface CountOptions {
  /** The text stands behind a preposition or a noun, as in `على صفين`. */
  readonly genitive?: boolean
  /** Writes the digits. Default: without separators. */
  readonly format?: (count: number) => string
}

const arabicRules = new Intl.PluralRules('ar')

/** Writes a number with its noun in both languages. The only place that knows how they agree. */
export function countNoun(count: number, { en, ar }: CountedNoun, options: CountOptions = {}): Bilingual {
  const digits = (options.format ?? String)(count)
  return { en: `${digits} ${en[count === 1 ? 0 : 1]}`, ar: arabicCount(count, digits, ar, options.genitive ?? false) }
}

function arabicCount(count: number, digits: string, noun: ArabicNoun, genitive: boolean): string {
  const form = arabicRules.select(count)
  if (form === 'one') return noun.one
  if (form === 'two') return noun.two[genitive ? 1 : 0]
  if (form === 'zero') return genitive ? `${digits} ${noun.other}` : noun.none
  return `${digits} ${noun[form]}`
}

/** The nouns that the service itself counts. */
export const nouns = {
  row: {
    en: ['row', 'rows'],
    ar: { none: 'لا صفوف', one: 'صف واحد', two: ['صفان', 'صفين'], few: 'صفوف', many: 'صفًا', other: 'صف' },
  },
  second: {
    en: ['second', 'seconds'],
    ar: {
      none: '0 ثانية',
      one: 'ثانية واحدة',
      two: ['ثانيتان', 'ثانيتين'],
      few: 'ثوانٍ',
      many: 'ثانية',
      other: 'ثانية',
    },
  },
} as const satisfies Readonly<Record<string, CountedNoun>>

/** Writes a whole number with thousands separators, in the digits of both languages. */
export const groupDigits = (count: number): string =>
  // The first use of Intl is slow: in the explorer it took longer than the rest of its script.
  String(count).replace(/\B(?=(\d{3})+$)/g, ',')
