import { useState } from 'react'
import { useWords } from '../texts/language.tsx'
import { plainNumber } from '../texts/plain-number.ts'
import { arabicUnits, type PeriodUnit, periodText, periodUnits, readPeriod } from './period-words.ts'

const presets = [
  'today',
  'yesterday',
  'this_week',
  'last_1_weeks',
  'last_7_days',
  'last_30_days',
  'this_month',
  'last_1_months',
  'this_quarter',
  'last_1_quarters',
  'this_year',
  'year_to_date',
  'last_1_years',
  'tomorrow',
  'next_7_days',
]

const english = { other: 'Another period…', last: 'last', next: 'next', count: 'How many', unit: 'Unit' }

const arabic: typeof english = { other: 'فترة أخرى…', last: 'الماضي', next: 'القادم', count: 'العدد', unit: 'الوحدة' }

const periodTexts = { en: english, ar: arabic }

const sides = ['last', 'next'] as const

/** Matches 1 to 9999 in any digits: a field for numbers would drop those of an Arabic keyboard. */
const wholeNumber = '[0٠۰]*[1-9١-٩۱-۹][0-9٠-٩۰-۹]{0,3}'

type Side = (typeof sides)[number]

interface PeriodFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A period relative to today: one of a list, or any number of days, weeks, months, quarters or years. */
export const PeriodField = ({ label, value, onChange }: PeriodFieldProps) => {
  const { language } = useWords()
  const period = readPeriod(value)
  const isListed = presets.includes(value)
  const [isCounted, setIsCounted] = useState(!isListed && (period?.side === 'last' || period?.side === 'next'))
  // A period of an address, such as `day_to_date`, stays on offer.
  const offered = isListed || isCounted || value === '' ? presets : [value, ...presets]
  return (
    <>
      <select
        className="field wide"
        aria-label={label}
        value={isCounted ? 'counted' : value}
        onChange={({ target }) => {
          setIsCounted(target.value === 'counted')
          onChange(target.value === 'counted' ? 'last_14_days' : target.value)
        }}
      >
        {offered.map((one) => (
          <option key={one} value={one}>
            {periodText(one, language)}
          </option>
        ))}
        <option value="counted">{periodTexts[language].other}</option>
      </select>
      {isCounted && period !== undefined && <CountedPeriod label={label} onChange={onChange} {...period} />}
    </>
  )
}

interface CountedPeriodProps {
  readonly label: string
  readonly side: string
  readonly count: number
  readonly unit: PeriodUnit
  readonly onChange: (value: string) => void
}

const CountedPeriod = ({ label, side, count, unit, onChange }: CountedPeriodProps) => {
  const { language } = useWords()
  const texts = periodTexts[language]
  const put = (next: { readonly side?: Side; readonly count?: number; readonly unit?: PeriodUnit }) =>
    onChange(`${next.side ?? side}_${next.count ?? count}_${next.unit ?? unit}s`)
  return (
    <span className="counted-period">
      <select
        className="field"
        aria-label={`${label}: ${texts.last} / ${texts.next}`}
        value={side}
        onChange={({ target }) => put({ side: sides.find((one) => one === target.value) ?? 'last' })}
      >
        {sides.map((one) => (
          <option key={one} value={one}>
            {texts[one]}
          </option>
        ))}
      </select>
      <input
        className="field"
        inputMode="numeric"
        autoComplete="off"
        required
        pattern={wholeNumber}
        min={1}
        max={9999}
        aria-label={texts.count}
        defaultValue={count}
        onChange={({ target }) => target.validity.valid && put({ count: Number(plainNumber(target.value)) })}
      />
      <select
        className="field"
        aria-label={texts.unit}
        value={unit}
        onChange={({ target }) => put({ unit: periodUnits.find((one) => one === target.value) ?? 'day' })}
      >
        {periodUnits.map((one) => (
          <option key={one} value={one}>
            {unitNoun(one, count, language)}
          </option>
        ))}
      </select>
    </span>
  )
}

/** Returns the noun of a unit beside its number, which stands in a field of its own. */
function unitNoun(unit: PeriodUnit, count: number, language: 'en' | 'ar'): string {
  if (language === 'en') return count === 1 ? unit : `${unit}s`
  const { few, many, other } = arabicUnits[unit][0]
  return { zero: other, one: other, two: few, few, many, other }[new Intl.PluralRules('ar').select(count)]
}
