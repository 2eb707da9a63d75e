import { findDatePattern } from './compile-columns.ts'
import type { CompiledColumn } from './compiled-table.ts'

/** The parts of a date pattern, the longest first. */
const patternParts = [
  ['yyyy', 'year'],
  ['MM', 'month'],
  ['dd', 'day'],
  ['HH', 'hour'],
  ['mm', 'minute'],
  ['ss', 'second'],
] as const

type PatternUnit = (typeof patternParts)[number][1]

/** Returns the shortest unit that a pattern shows; `undefined` where it leaves out a longer one. */
export function shownUnit({ definition, source }: CompiledColumn): PatternUnit | undefined {
  const pattern = findDatePattern(definition, source)
  const shown = patternParts.map(([part]) => pattern.includes(part))
  const last = shown.lastIndexOf(true)
  return shown.slice(0, last + 1).every(Boolean) ? patternParts[last]?.[1] : undefined
}
