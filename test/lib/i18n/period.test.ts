import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dayText, momentText, periodMoments, resolvePeriod, type Weekday } from '../../../lib/i18n/period.ts'

const resolve = (word: string, now: string, timeZone = 'UTC', firstWeekday: Weekday = 'monday') => {
  const period = resolvePeriod(word, { now: Date.parse(now), timeZone, firstWeekday })
  return period && [dayText(period.from), dayText(period.to)]
}

describe('a period of days', () => {
  // A Sunday.
  const now = '2026-11-22T10:30:00Z'

  it.each([
    ['today', '2026-11-22', '2026-11-23'],
    ['yesterday', '2026-11-21', '2026-11-22'],
    ['tomorrow', '2026-11-23', '2026-11-24'],
    ['this_day', '2026-11-22', '2026-11-23'],
    ['this_week', '2026-11-16', '2026-11-23'],
    ['this_month', '2026-11-01', '2026-12-01'],
    ['this_quarter', '2026-10-01', '2027-01-01'],
    ['this_year', '2026-01-01', '2027-01-01'],
    ['last_7_days', '2026-11-15', '2026-11-22'],
    ['last_1_weeks', '2026-11-09', '2026-11-16'],
    ['last_12_months', '2025-11-01', '2026-11-01'],
    ['last_3_quarters', '2026-01-01', '2026-10-01'],
    ['last_2_years', '2024-01-01', '2026-01-01'],
    ['next_1_days', '2026-11-23', '2026-11-24'],
    ['next_2_weeks', '2026-11-23', '2026-12-07'],
    ['next_2_months', '2026-12-01', '2027-02-01'],
    ['next_1_quarters', '2027-01-01', '2027-04-01'],
    ['next_1_years', '2027-01-01', '2028-01-01'],
    ['week_to_date', '2026-11-16', '2026-11-23'],
    ['year_to_date', '2026-01-01', '2026-11-23'],
  ])('%s is from %s to before %s', (word, from, to) => {
    expect(resolve(word, now)).toEqual([from, to])
  })

  it.each([
    ['monday', '2026-11-16'],
    ['sunday', '2026-11-22'],
    ['saturday', '2026-11-21'],
  ] as const)('begins its week on a %s if the table says so', (weekday, from) => {
    expect(resolve('this_week', now, 'UTC', weekday)?.[0]).toBe(from)
  })

  it.each([
    '',
    'Today',
    'last_7_day',
    'last_0_days',
    'last_-1_days',
    'next_days',
    'last_99999_days',
    'to_date',
    'this_days',
    'not_this_day',
    'this_day_more',
    'a_week_to_date',
    'week_to_dates',
  ])('is not named by %j', (word) => expect(resolve(word, now)).toBeUndefined())

  it('follows the clocks of the time zone', () => {
    expect(resolve('today', '2026-11-22T22:00:00Z', 'Asia/Riyadh')).toEqual(['2026-11-23', '2026-11-24'])
    expect(resolve('today', '2026-11-22T02:00:00Z', 'America/New_York')).toEqual(['2026-11-21', '2026-11-22'])
  })

  it('ends months of any length at the first day of another month', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
        fc.integer({ min: 1, max: 400 }),
        (date, months) => {
          const [from = '', to = ''] = resolve(`last_${months}_months`, date.toISOString()) ?? []
          expect([from.slice(8), to]).toEqual(['01', `${date.toISOString().slice(0, 7)}-01`])
          const between = (Number(to.slice(0, 4)) - Number(from.slice(0, 4))) * 12
          expect(between + Number(to.slice(5, 7)) - Number(from.slice(5, 7))).toBe(months)
        },
      ),
    )
  })
})

describe('the moments of a period', () => {
  it('are 23 hours apart on a day that loses one, and 25 on a day that repeats one', () => {
    const hours = (now: string) => {
      const timeZone = 'America/New_York'
      const period = resolvePeriod('today', { now: Date.parse(now), timeZone, firstWeekday: 'monday' })
      const [from, to] = periodMoments(period ?? { from: 0, to: 0 }, timeZone)
      return (to - from) / 3_600_000
    }
    expect([hours('2026-03-08T18:00:00Z'), hours('2026-11-01T18:00:00Z'), hours('2026-06-01T18:00:00Z')]).toEqual([
      23, 25, 24,
    ])
  })

  it('end now for "to date"', () => {
    const now = Date.parse('2026-11-22T10:30:00Z')
    const period = resolvePeriod('month_to_date', { now, timeZone: 'Asia/Riyadh', firstWeekday: 'monday' })
    const [from, to] = periodMoments(period ?? { from: 0, to: 0 }, 'Asia/Riyadh')
    expect([new Date(from).toISOString(), to]).toEqual(['2026-10-31T21:00:00.000Z', now])
  })

  it('are written with the offset of their time zone', () => {
    const moment = Date.parse('2026-01-31T21:00:00Z')
    expect([
      momentText(moment, 'Asia/Riyadh'),
      momentText(moment, 'America/New_York'),
      momentText(moment, 'UTC'),
    ]).toEqual(['2026-02-01T00:00:00.000+03:00', '2026-01-31T16:00:00.000-05:00', '2026-01-31T21:00:00.000+00:00'])
  })
})
