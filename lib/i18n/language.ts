/** The languages of the service; English is the default and comes first in every pair. */
export const languages = ['en', 'ar'] as const

export type Language = (typeof languages)[number]

/** A text in both languages. */
export interface Bilingual {
  readonly en: string
  readonly ar: string
}

/** A label as an author writes it: one text for every language, or one for each. */
export type Label = string | Bilingual

/** Returns the text of a label in one language. */
export const translate = (label: Label, language: Language): string =>
  typeof label === 'string' ? label : label[language]

const isLanguage = (value: string): value is Language => (languages as readonly string[]).includes(value)

/**
 * Returns the language of the header `ln`, else the best match of `Accept-Language`, else English. `ar-SA` counts as
 * `ar`. Header names are lower case, as API Gateway delivers them.
 */
export function callerLanguage(headers: Readonly<Record<string, string | undefined>>): Language {
  const ln = primarySubtag(headers['ln'] ?? '')
  if (isLanguage(ln)) return ln
  const accepted = (headers['accept-language'] ?? '').slice(0, 256).split(',').map(parseWeightedTag)
  const best = accepted
    .filter(({ tag, weight }) => isLanguage(tag) && weight > 0)
    .sort((a, b) => b.weight - a.weight)[0]
  return best !== undefined && isLanguage(best.tag) ? best.tag : 'en'
}

const primarySubtag = (tag: string): string => tag.trim().toLowerCase().split(/[-_,]/, 1)[0] ?? ''

function parseWeightedTag(part: string): { tag: string; weight: number } {
  const [tag = '', ...parameters] = part.toLowerCase().split(';')
  const q = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('q='))
  const weight = q === undefined ? 1 : Number(q.slice(2))
  return { tag: primarySubtag(tag), weight: Number.isFinite(weight) ? weight : 0 }
}
