import { endOfDayFrom } from '../i18n/time-zone.ts'
import type { Source } from '../table/source.ts'
import { type Condition, compareDate } from './compare.ts'
import { type DateValue, readDate } from './date-value.ts'

const dayMs = 86_400_000

/** The ends of a range of days that a person picked; either may be missing. */
export interface PickedRange {
  readonly from: DateValue | undefined
  readonly to: DateValue | undefined
}

/** Reads `{from, to}`. Throws a field fault without a path for an end that is no date. */
export const readPickedRange = (range: { readonly from?: unknown; readonly to?: unknown }): PickedRange => ({
  from: isMissing(range.from) ? undefined : readDate(range.from),
  to: isMissing(range.to) ? undefined : readDate(range.to),
})

const isMissing = (end: unknown): boolean => end === undefined || end === null || end === ''

/**
 * Returns the conditions for both days, each included whole. Date pickers send the instant of the client's local midnight:
 * for a source of plain dates it is rounded to the nearest UTC midnight, which is the day that the person saw.
 */
export function pickedConditions(source: Source, { from, to }: PickedRange, timeZone: string): readonly Condition[] {
  const isDay = source.kind === 'date'
  return [
    ...(from === undefined ? [] : [compareDate(source, '>=', isDay ? pickedDay(from) : from, timeZone)]),
    ...(to === undefined ? [] : [upperCondition(source, isDay ? pickedDay(to) : to, timeZone)]),
  ]
}

function upperCondition(source: Source, to: DateValue, timeZone: string): Condition {
  if (to.form === 'clock' && isMidnight(to)) return compareDate(source, '<=', dayOfClock(to), timeZone)
  if (to.form !== 'instant' || isEndOfDay(to)) return compareDate(source, '<=', to, timeZone)
  const end = new Date(endOfDayFrom(Date.parse(to.text), timeZone)).toISOString()
  return compareDate(source, '<', { form: 'instant', text: end }, timeZone)
}

/** Some pickers send the last moment of the day instead of its midnight: its seconds are 59, and the day is whole already. */
const isEndOfDay = ({ text }: DateValue): boolean => new Date(text).getUTCSeconds() === 59

const isMidnight = ({ text }: DateValue): boolean => /^\S+ 00:00(?::00(?:\.0+)?)?$/.test(text)

const dayOfClock = ({ text }: DateValue): DateValue => ({ form: 'day', text: text.slice(0, 10) })

/** Returns the day whose UTC midnight is nearest to an instant. Noon belongs to the day that follows it. */
function pickedDay(value: DateValue): DateValue {
  if (value.form === 'clock') return dayOfClock(value)
  if (value.form === 'day' || isEndOfDay(value)) return value
  const nearest = Math.floor((Date.parse(value.text) + dayMs / 2) / dayMs) * dayMs
  return { form: 'day', text: new Date(nearest).toISOString().slice(0, 10) }
}
