import fc from 'fast-check'

/** The calendar of a table. */
export interface ContractCalendar {
  readonly timeZone: string
  readonly firstWeekday: string
}

/** A period as a response resolves it; `to` is exclusive. */
export interface ResolvedBounds {
  readonly from: string
  readonly to: string
}

export const anyPeriod: fc.Arbitrary<string> = fc.constantFrom(
  ...['today', 'yesterday', 'tomorrow', 'this_week', 'this_month', 'this_quarter', 'this_year', 'last_30_days'],
  ...['last_2_weeks', 'last_11_months', 'last_3_quarters', 'last_1_years', 'next_1_months', 'next_2_years'],
  ...['week_to_date', 'month_to_date', 'quarter_to_date', 'year_to_date'],
)

/** Writes a clock time in a time zone, `YYYY-MM-DD HH:mm:ss.SSS`. */
export function clockIn(timeZone: string, instant: number): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    ...({ timeZone, dateStyle: 'short', timeStyle: 'medium' } as const),
  })
  return `${format.format(instant)}.${new Date(instant).toISOString().slice(20, 23)}`
}

const dayMs = 86_400_000
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

const write = (day: number): string => new Date(day).toISOString().slice(0, 10)

/** The days of a period at a moment, by the plainest means; `to` is exclusive. */
function periodDays(period: string, { timeZone, firstWeekday }: ContractCalendar, now: number): ResolvedBounds {
  const today = Date.parse(clockIn(timeZone, now).slice(0, 10))
  const shift = ['yesterday', 'today', 'tomorrow'].indexOf(period) - 1
  if (shift > -2) return { from: write(today + shift * dayMs), to: write(today + (shift + 1) * dayMs) }
  const [, side = '', count = '1', unit = ''] =
    /^(this|last|next|)_?(\d*)_?(day|week|month|quarter|year)/.exec(period) ?? []
  let start = today
  const begins = (day: number): boolean => {
    const date = new Date(day).getUTCDate()
    const month = new Date(day).getUTCMonth()
    if (unit === 'week') return weekdays[new Date(day).getUTCDay()] === firstWeekday
    if (unit === 'day' || date > 1) return unit === 'day'
    return unit === 'month' || month === 0 || (unit === 'quarter' && month % 3 === 0)
  }
  while (!begins(start)) start -= dayMs
  const after = (units: number): number => {
    const date = new Date(start)
    if (unit === 'day' || unit === 'week') return start + units * dayMs * (unit === 'week' ? 7 : 1)
    return date.setUTCMonth(date.getUTCMonth() + units * (unit === 'year' ? 12 : unit === 'quarter' ? 3 : 1))
  }
  if (period.endsWith('to_date')) return { from: write(start), to: write(today + dayMs) }
  const units = Number(count || 1)
  if (side === 'last') return { from: write(after(-units)), to: write(start) }
  return side === 'next'
    ? { from: write(after(1)), to: write(after(1 + units)) }
    : { from: write(start), to: write(after(1)) }
}

/** Whether a response resolves a period as the calendar says at one of two moments, between which it was asked. */
export function isResolved(
  period: string,
  { from, to }: ResolvedBounds,
  calendar: ContractCalendar,
  moments: readonly [before: number, after: number],
): boolean {
  const isOpen = period.endsWith('to_date') && to.length > 10
  const [before, after] = moments
  return moments.some((moment) => {
    const days = periodDays(period, calendar, moment)
    const ends = isOpen ? Date.parse(to) >= before - 1 && Date.parse(to) <= after + 1 : to.slice(0, 10) === days.to
    return from.slice(0, 10) === days.from && ends
  })
}
