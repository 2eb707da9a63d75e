import { type Language, translate } from '../i18n/language.ts'
import type { RowFailure } from './row-outcome.ts'

const maxSampleIds = 10
const maxReasons = 20

/** The refused rows of a plan by their reason. */
export interface RefusalGroup {
  readonly code: string
  readonly text: string
  readonly count: number
  readonly sample_ids: readonly (string | number)[]
}

/** Counts refused rows by their reason, with the ids of some. */
export function countRefusals(
  refused: readonly (readonly [id: string | number, failure: RowFailure])[],
  language: Language,
): readonly RefusalGroup[] {
  const groups = Map.groupBy(refused, ([, { code, text }]) => `${code} ${text.en}`)
  return [...groups.values()].map((group) => {
    const [, { code, text }] = group[0] as (typeof group)[number]
    const ids = group.slice(0, maxSampleIds).map(([id]) => id)
    return { code, text: translate(text, language), count: group.length, sample_ids: ids }
  })
}

/** Adds the groups of several chunks up. Returns the 20 with the most rows. */
export function sumRefusals(groups: readonly RefusalGroup[]): readonly RefusalGroup[] {
  const sums = new Map<string, RefusalGroup>()
  for (const group of groups) {
    const name = `${group.code} ${group.text}`
    const sum = sums.get(name)
    const ids = [...(sum?.sample_ids ?? []), ...group.sample_ids].slice(0, maxSampleIds)
    sums.set(name, { ...group, count: (sum?.count ?? 0) + group.count, sample_ids: ids })
  }
  return [...sums.values()].toSorted((one, other) => other.count - one.count).slice(0, maxReasons)
}
