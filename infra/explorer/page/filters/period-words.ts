import { type CountedNoun, countNoun } from '../../../../lib/i18n/count-noun.ts'
import type { Texts } from '../texts/english.ts'

export const periodUnits = ['day', 'week', 'month', 'quarter', 'year'] as const

export type PeriodUnit = (typeof periodUnits)[number]

type ArabicForms = CountedNoun['ar']

const forms = (one: string, two: ArabicForms['two'], few: string, many: string): ArabicForms => ({
  none: one,
  one,
  two,
  few,
  many,
  other: one,
})

/** The Arabic forms of a unit: counted, and with the article and a word that points at it. */
export const arabicUnits: Readonly<Record<PeriodUnit, readonly [counted: ArabicForms, present: string, side: string]>> =
  {
    day: [forms('يوم', ['يومان', 'يومين'], 'أيام', 'يومًا'), 'هذا اليوم', ''],
    week: [forms('أسبوع', ['أسبوعان', 'أسبوعين'], 'أسابيع', 'أسبوعًا'), 'هذا الأسبوع', ''],
    month: [forms('شهر', ['شهران', 'شهرين'], 'أشهر', 'شهرًا'), 'هذا الشهر', ''],
    quarter: [forms('ربع', ['ربعان', 'ربعين'], 'أرباع', 'ربعًا'), 'هذا الربع', ''],
    year: [forms('سنة', ['سنتان', 'سنتين'], 'سنوات', 'سنة'), 'هذه السنة', 'ة'],
  }

const days: Readonly<Record<string, { readonly en: string; readonly ar: string }>> = {
  today: { en: 'today', ar: 'اليوم' },
  yesterday: { en: 'yesterday', ar: 'أمس' },
  tomorrow: { en: 'tomorrow', ar: 'غدًا' },
}

const shape = /^(?:(this)_([a-z]+)|(last|next)_(\d{1,4})_([a-z]+)s|([a-z]+)_to_date)$/

interface Period {
  readonly side: 'this' | 'last' | 'next' | 'to_date'
  readonly count: number
  readonly unit: PeriodUnit
}

/**
 * Returns the parts of a period such as `last_7_days`; `undefined` for a day such as `today` and for any other text.
 */
export function readPeriod(value: string): Period | undefined {
  const [, present, presentUnit, side, count, countedUnit, begun] = shape.exec(value) ?? []
  const unit = periodUnits.find((one) => one === (presentUnit ?? countedUnit ?? begun))
  if (unit === undefined) return undefined
  return { side: (present ?? side ?? 'to_date') as Period['side'], count: Number(count ?? 1), unit }
}

/** Writes a period such as `last_7_days` in words. */
export function periodText(value: string, language: 'en' | 'ar'): string {
  const period = readPeriod(value)
  if (period === undefined) return (Object.hasOwn(days, value) ? days[value]?.[language] : undefined) ?? value
  return language === 'ar' ? arabicPeriod(period) : englishPeriod(period)
}

function englishPeriod({ side, count, unit }: Period): string {
  if (side === 'to_date') return `${unit} to date`
  return count === 1 ? `${side} ${unit}` : `${side} ${count} ${unit}s`
}

function arabicPeriod({ side, count, unit }: Period): string {
  const [ar, present, feminine] = arabicUnits[unit]
  const named = present.slice(present.indexOf(' ') + 1)
  if (side === 'this') return present
  if (side === 'to_date') return `منذ بداية ${named}`
  if (count === 1) return `${named} ${side === 'last' ? 'الماضي' : 'القادم'}${feminine}`
  const countUnits = (genitive: boolean) => countNoun(count, { en: ['', ''], ar }, { genitive }).ar
  return side === 'last' ? `آخر ${countUnits(true)}` : `${countUnits(false)} بعد ${unit === 'day' ? named : present}`
}

interface Resolved {
  readonly from: string
  readonly to: string
}

const midnight = 'T00:00:00.000'

/** Writes the first and the last day of a resolved period, whose `to` is exclusive. */
export function resolvedText({ from, to }: Resolved, t: Texts): string {
  const first = from.slice(0, 10)
  const end = to.slice(0, 10)
  const isWhole = to.length === 10 || to.slice(10).startsWith(midnight)
  const last = isWhole ? new Date(Date.parse(`${end}T00:00:00Z`) - 1).toISOString().slice(0, 10) : end
  return first >= last ? first : t.days([first, last])
}
