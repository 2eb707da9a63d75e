import fc from 'fast-check'
import { depots, notes, type Parcel, parcels, regions } from '../parcels/parcel-rows.ts'
import { foldWord } from './oracle-fold.ts'
import { type OracleKey, valueUnder } from './oracle-values.ts'

/** A search as it is sent, and which parcels it keeps. */
export interface OracleSearch {
  readonly sent: unknown
  readonly keeps: (parcel: Parcel) => boolean
}

const searchable = ['code', 'note', 'depot__city', 'depot__region__name'] as const satisfies readonly OracleKey[]

/** The separators of words. An emoji is none. */
const wordBreak = /[\p{P}\p{Z}\p{Sm}\p{Sc}\p{Sk}\p{Cc}]/u

function occursIn(text: string, term: string): boolean {
  // Most texts end here, in a tenth of the time.
  if (!foldWord(text).includes(foldWord(term))) return false
  const letters = [...foldWord(text)]
  const wanted = [...foldWord(term)]
  return letters.some(
    (_, at) =>
      wanted.every((letter, index) => letters[at + index] === letter) &&
      (wanted.length > 2 || at === 0 || wordBreak.test(letters[at - 1] ?? '')),
  )
}

const texts = [
  ...notes,
  ...depots.flatMap(({ city }) => city ?? []),
  ...regions.map(({ name }) => name),
  ...parcels(40).map(({ code }) => code),
  'ÅRE',
  'شحنه',
  'coast-',
]

/** A part of a text that exists, in some case, of two characters or more and without quotes. */
const term = fc
  .record({
    text: fc.constantFrom(...texts),
    at: fc.nat(8),
    length: fc.integer({ min: 2, max: 9 }),
    upper: fc.boolean(),
  })
  .map(({ text, at, length, upper }) => {
    const part = [...text.replaceAll('"', '')]
      .slice(at, at + length)
      .join('')
      .trim()
    return upper ? part.toUpperCase() : part
  })
  .filter((part) => [...foldWord(part)].length >= 2)

export const oracleSearch: fc.Arbitrary<OracleSearch> = fc
  .record({
    terms: fc.array(term, { minLength: 1, maxLength: 3 }),
    quoted: fc.boolean(),
    columns: fc.option(fc.subarray([...searchable], { minLength: 1 }), { nil: undefined, freq: 3 }),
  })
  .map(({ terms, quoted, columns = searchable }) => {
    const q = terms.map((one) => (quoted || /\s/u.test(one) ? `"${one}"` : one)).join(' ')
    return {
      sent: columns === searchable ? q : { q, columns },
      keeps: (parcel) =>
        terms.every((one) => columns.some((key) => occursIn(String(valueUnder(key, parcel) ?? ''), one))),
    }
  })
