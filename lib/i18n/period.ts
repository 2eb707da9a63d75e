import { startOfZoneDay, zoneDay, zoneOffset } from './time-zone.ts'

export type Weekday = 'monday' | 'saturday' | 'sunday'

type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year'

interface Calendar {
  readonly timeZone: string
  /** The present moment in epoch milliseconds. */
  readonly now: number
  /** The day on which weeks begin. */
  readonly firstWeekday: Weekday
}

/** The days of a period by their UTC midnights; `to` is the first day after it. */
export interface DayPeriod {
  readonly from: number
  readonly to: number
  /** The period ends at this moment, within the day before `to`. */
  readonly until?: number
}

const dayMs = 86_400_000
const relative = /^(?:(this)_(day|week|month|quarter|year)|(last|next)_([1-9]\d{0,3})_(day|week|month|quarter|year)s)$/
const toDate = /^(day|week|month|quarter|year)_to_date$/
const days: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 }

/**
 * Returns the days of a period such as `today`, `this_week`, `last_7_days` or `year_to_date`; `undefined` for any other
 * word.
 */
export function resolvePeriod(word: string, calendar: Calendar): DayPeriod | undefined {
  const today = zoneDay(calendar.now, calendar.timeZone)
  const shift = Object.hasOwn(days, word) ? days[word] : undefined
  if (shift !== undefined) return { from: today + shift * dayMs, to: today + (shift + 1) * dayMs }
  const begun = toDate.exec(word)?.[1] as Unit | undefined
  if (begun !== undefined) {
    return { from: startOfUnit(today, begun, calendar), to: today + dayMs, until: calendar.now }
  }
  const [, , present, side, count, unit = present] = relative.exec(word) ?? []
  if (unit === undefined) return undefined
  const start = startOfUnit(today, unit as Unit, calendar)
  const units = Number(count ?? 1)
  if (side === 'last') return { from: addUnits(start, unit as Unit, -units), to: start }
  const from = side === 'next' ? addUnits(start, unit as Unit, 1) : start
  return { from, to: addUnits(from, unit as Unit, units) }
}

/** How many days before a Monday the week begins. */
export const daysBeforeMonday: Readonly<Record<Weekday, number>> = { monday: 0, sunday: 1, saturday: 2 }

function startOfUnit(day: number, unit: Unit, { firstWeekday }: Calendar): number {
  const date = new Date(day)
  const year = date.getUTCFullYear()
  const month = date.getUTCMonth()
  if (unit === 'day') return day
  if (unit === 'week') return day - ((date.getUTCDay() + 6 + daysBeforeMonday[firstWeekday]) % 7) * dayMs
  if (unit === 'month') return Date.UTC(year, month)
  return Date.UTC(year, unit === 'quarter' ? month - (month % 3) : 0)
}

/** Adds whole units to the first day of one. */
function addUnits(day: number, unit: Unit, count: number): number {
  const date = new Date(day)
  const year = date.getUTCFullYear()
  const month = date.getUTCMonth()
  if (unit === 'day' || unit === 'week') return day + count * (unit === 'week' ? 7 : 1) * dayMs
  return Date.UTC(year, month + count * { month: 1, quarter: 3, year: 12 }[unit])
}

/** Writes a day such as `2026-01-31`. */
export const dayText = (day: number): string => new Date(day).toISOString().slice(0, 10)

/** Writes a moment with the offset of a time zone, such as `2026-01-31T00:00:00.000+03:00`. */
export function momentText(instant: number, timeZone: string): string {
  const offset = zoneOffset(instant, timeZone)
  const local = new Date(instant + offset).toISOString().slice(0, -1)
  const minutes = Math.abs(Math.round(offset / 60_000))
  const pad = (part: number) => String(part).padStart(2, '0')
  return `${local}${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}

/** Returns the moments at which a period of days begins and ends in a time zone. */
export const periodMoments = (
  { from, to, until }: DayPeriod,
  timeZone: string,
): readonly [from: number, to: number] => [startOfZoneDay(from, timeZone), until ?? startOfZoneDay(to, timeZone)]
