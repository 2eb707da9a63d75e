import fc from 'fast-check'
import { foldText } from '../../../lib/i18n/fold-text.ts'
import { type ContractCondition, findCell } from './contract-queries.ts'
import type { ContractSubject, SubjectCaller } from './contract-subject.ts'

/** A mark that makes the letter before it another one, and that a search does not see. */
const acute = '\u0301'

/**
 * Words of what rows hold, in any case and with a mark; `undefined` where nothing can be searched, or no row holds a
 * word.
 */
export function anySearch(
  searchable: readonly string[],
  { rows }: SubjectCaller,
  { table }: ContractSubject,
): fc.Arbitrary<ContractCondition> | undefined {
  const [first] = searchable
  if (first === undefined) return undefined
  const held = searchable.flatMap((key) => rows.flatMap((row) => findCell(row, key).text ?? []))
  const words = [...new Set(held.flatMap((text) => text.replaceAll(/["“”„]/g, ' ').split(/\s+/u)))].filter(isSearched)
  const word = fc.constantFrom(`no row has this in ${table.name}`.replaceAll(' ', '_'), ...words)
  const term = fc.record({ word, from: fc.nat(4), isUpper: fc.boolean(), isMarked: fc.boolean() }).map(spellTerm)
  return fc
    .record({
      terms: fc.array(term, { minLength: 1, maxLength: 2 }),
      columns: fc.oneof(
        fc.constant(undefined),
        fc.constantFrom(...searchable).map((key) => [key]),
        fc.subarray([...searchable], { minLength: 1 }),
      ),
    })
    .map(({ terms, columns }) => createSearch(terms, columns, searchable))
}

/** Shorter ones match the beginning of words only, whose rules the property tests of searches know. */
const isSearched = (text: string): boolean => [...foldText(text)].length >= 3

function spellTerm(spelling: {
  readonly word: string
  readonly from: number
  readonly isUpper: boolean
  readonly isMarked: boolean
}): string {
  const { word, from, isUpper, isMarked } = spelling
  const part = [...word].slice(from).join('')
  const [first = '', ...rest] = isSearched(part) ? part : word
  const marked = isMarked && /\p{L}/u.test(first) ? [first, acute, ...rest].join('') : [first, ...rest].join('')
  return isUpper ? marked.toUpperCase() : marked
}

function createSearch(
  terms: readonly string[],
  columns: readonly string[] | undefined,
  searchable: readonly string[],
): ContractCondition {
  const keys = columns ?? searchable
  const q = terms.join(' ')
  const wanted = terms.map(foldText)
  return {
    keys,
    body: { search: columns === undefined ? q : { q, columns } },
    keeps: (row) => {
      const texts = keys.map((key) => foldText(findCell(row, key).text ?? ''))
      return wanted.every((one) => texts.some((text) => text.includes(one)))
    },
  }
}
