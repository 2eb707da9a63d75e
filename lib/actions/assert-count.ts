import { RequestError } from '../errors/request-error.ts'
import { countNoun, nouns } from '../i18n/count-noun.ts'

const formatRows = (count: number) => countNoun(count, nouns.row, { genitive: true })

/** Throws `unexpected_count` if the client expected another number of rows. */
export function assertExpectedCount(
  { expectedCount }: { readonly expectedCount: number | undefined },
  count: number,
): void {
  if (expectedCount === undefined || expectedCount === count) return
  const expected = { en: String(expectedCount), ar: formatRows(expectedCount).ar }
  throw new RequestError('unexpected_count', { count: formatRows(count), expected })
}

/** Throws `selection_too_large` for more than `maxRows` rows. */
export function assertSelectionFits(count: number, maxRows: number): void {
  if (count > maxRows) throw new RequestError('selection_too_large', { limit: formatRows(maxRows) })
}
