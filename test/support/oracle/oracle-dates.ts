import fc from 'fast-check'
import { createClock, type OracleFilter, type OracleKey, valueUnder } from './oracle-values.ts'

const dateKeys = ['shipped', 'packed', 'seen'] as const

const operators = ['=', '!=', '<', '<=', '>', '>='] as const

/** A day, or a moment as a clock time in the tables' zone, and how a request spells it. */
interface OracleDate {
  readonly day?: string
  readonly moment?: string
  /** The same in epoch milliseconds, where the request names an instant. */
  readonly instant?: number
  readonly sent: unknown
}

export type DateOperator = (typeof operators)[number]

const two = (value: number): string => String(value).padStart(2, '0')

const calendarDay = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
  .map(([month, day]) => `2026-${two(month)}-${two(day)}`)

const edgeDays = fc.constantFrom(
  '2026-03-08',
  '2026-11-01',
  '2026-02-28',
  '2025-12-31',
  '2027-01-01',
  '0001-01-01',
  '9999-12-31',
)

const wholeDay: fc.Arbitrary<OracleDate> = fc
  .tuple(fc.oneof(calendarDay, edgeDays), fc.boolean())
  .map(([day, reversed]) => ({
    day,
    sent: reversed ? day.split('-').reverse().join('-') : day,
  }))

/** From 04:00 on, so that daylight saving never makes two instants of it or none. */
const clock = fc.constantFrom('04:00', '08:30:15', '08:30:15.25', '12:00:00', '23:59:59.999', '23:15:30.5')

const paddedClock = (text: string): string => {
  const [, minutes = '', seconds = '00', fraction = ''] = /^(\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?$/.exec(text) ?? []
  return `${minutes}:${seconds}.${fraction.padEnd(3, '0')}`
}

const clockTime: fc.Arbitrary<OracleDate> = fc
  .tuple(calendarDay, clock, fc.constantFrom(' ', 'T'))
  .map(([day, time, separator]) => ({
    moment: `${day} ${paddedClock(time)}`,
    sent: `${day}${separator}${time}`,
  }))

/** Instants whose clock time in New York is not in the small hours either. */
const instant: fc.Arbitrary<OracleDate> = fc
  .tuple(
    calendarDay,
    fc.constantFrom('12:00:00.000', '23:15:30.500', '03:30:00.000', '04:59:59.999', '05:00:00.000'),
    fc.nat(4),
  )
  .map(([day, time, spelling]) => {
    const zulu = `${day}T${time}Z`
    const milliseconds = Date.parse(zulu)
    const inRiyadh = `${new Date(milliseconds + 3 * 3_600_000).toISOString().slice(0, -1)}+03:00`
    return {
      moment: createClock(milliseconds),
      instant: milliseconds,
      sent: [zulu, milliseconds, String(milliseconds), inRiyadh, zulu.replace('T', ' ').toLowerCase()][spelling],
    }
  })

const date = fc.oneof(wholeDay, clockTime, instant)

/** Compares a clock time with a date; a day counts as a whole. */
function compareWith(own: string, { day, moment }: Omit<OracleDate, 'sent'>): number {
  const left = day === undefined ? own : own.slice(0, 10)
  const right = day ?? moment ?? ''
  return left < right ? -1 : left > right ? 1 : 0
}

/** Whether a clock time (`YYYY-MM-DD HH:mm:ss.SSS`) is where the operator wants it; a day counts as a whole. */
export function keepsDate(own: string | null, operator: DateOperator, value: Omit<OracleDate, 'sent'>): boolean {
  if (own === null) return operator === '!='
  const order = compareWith(own, value)
  return { '=': order === 0, '!=': order !== 0, '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[
    operator
  ]
}

const clockUnder = (key: OracleKey, parcel: Parameters<typeof valueUnder>[1]): string | null =>
  valueUnder(key, parcel) as string | null

const withOperator = fc
  .record({ key: fc.constantFrom(...dateKeys), operator: fc.constantFrom(...operators), value: date })
  .map(
    ({ key, operator, value }): OracleFilter => ({
      sent: { field: `${key}_from`, operator, value: value.sent },
      keeps: (parcel) => keepsDate(clockUnder(key, parcel), operator, value),
    }),
  )

const upperEntry = fc.record({ key: fc.constantFrom(...dateKeys), value: date }).map(
  ({ key, value }): OracleFilter => ({
    sent: { field: `${key}_to`, value: value.sent },
    keeps: (parcel) => keepsDate(clockUnder(key, parcel), '<=', value),
  }),
)

const dayMs = 86_400_000

/**
 * Returns the meaning of an end of `{from, to}`: the whole picked day, unless it is the last moment of a day already.
 */
function keepsPicked(key: OracleKey, own: string | null, operator: '>=' | '<=', value: OracleDate): boolean {
  const { day, moment = '', instant: picked } = value
  const isLastMoment = picked !== undefined && moment.includes(':59.')
  if (day !== undefined || isLastMoment) return keepsDate(own, operator, value)
  if (key === 'shipped') {
    const nearest = picked === undefined ? moment : new Date(Math.round(picked / dayMs) * dayMs).toISOString()
    return keepsDate(own, operator, { day: nearest.slice(0, 10) })
  }
  if (operator === '>=' || picked === undefined) return keepsDate(own, operator, value)
  if (moment.endsWith(' 00:00:00.000')) return keepsDate(own, '<=', { day: moment.slice(0, 10) })
  return keepsDate(own, '<', { moment: createClock(picked + dayMs) })
}

/** `{from, to}` with either end missing, a list of two, or `A - B`. */
const range = fc
  .record({
    key: fc.constantFrom(...dateKeys),
    from: date,
    to: date,
    form: fc.constantFrom('both', 'from', 'to', 'list', 'text'),
  })
  .map(({ key, from, to, form }): OracleFilter => {
    const sentByForm = {
      both: { from: from.sent, to: to.sent },
      from: { from: from.sent },
      to: { from: '', to: to.sent },
      list: [from.sent, to.sent],
      text: `${from.sent} - ${to.sent}`,
    }
    const isList = form === 'list' || form === 'text'
    return {
      sent: { field: `${key}_from`, ...(isList && { operator: 'between' }), value: sentByForm[form] },
      keeps: (parcel) => {
        const own = clockUnder(key, parcel)
        if (!isList) {
          const keepsFrom = form === 'to' || keepsPicked(key, own, '>=', from)
          return keepsFrom && (form === 'from' || keepsPicked(key, own, '<=', to))
        }
        return keepsDate(own, '>=', from) && keepsDate(own, '<=', to)
      },
    }
  })

/** Date filters over a day, a time without a zone and an instant, in every spelling a client may use. */
export const dateFilter: fc.Arbitrary<OracleFilter> = fc.oneof(withOperator, upperEntry, range)
