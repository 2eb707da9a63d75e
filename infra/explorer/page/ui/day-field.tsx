import { useRef } from 'react'
import { useWords } from '../texts/language.tsx'
import { plainNumber } from '../texts/plain-number.ts'
import { Icon } from './icon.tsx'
import type { FieldState } from './use-fault.tsx'

const pickTexts = { en: 'Choose a day', ar: 'اختر يومًا' }

interface DayFieldProps {
  readonly name: string
  readonly label: string
  readonly defaultValue: string
  readonly min?: string
  readonly max?: string
  readonly state?: FieldState
}

/**
 * A day as the cells write it, typed or picked from the browser's calendar, whose own field follows the system's
 * language.
 */
export const DayField = ({ name, label, defaultValue, min, max, state }: DayFieldProps) => {
  const { language } = useWords()
  const text = useRef<HTMLInputElement>(null)
  const calendar = useRef<HTMLInputElement>(null)
  const pick = () => {
    if (calendar.current === null) return
    calendar.current.value = readDay(text.current?.value ?? '') ?? ''
    calendar.current.showPicker()
  }
  return (
    <span className="day">
      <input
        className="field wide"
        name={name}
        ref={text}
        aria-label={label}
        {...state}
        placeholder="YYYY-MM-DD"
        autoComplete="off"
        dir="ltr"
        defaultValue={defaultValue}
      />
      <input
        ref={calendar}
        type="date"
        className="day-picker"
        tabIndex={-1}
        aria-hidden="true"
        min={min}
        max={max}
        onChange={({ target }) => {
          if (text.current !== null) text.current.value = target.value
        }}
      />
      <button type="button" className="button square" aria-label={`${pickTexts[language]}: ${label}`} onClick={pick}>
        <Icon name="calendar" />
      </button>
    </span>
  )
}

/** The day of a text such as 2001-3-1 as 2001-03-01; `undefined` where there is no such day. */
export function readDay(text: string): string | undefined {
  const [, year, month = '', day = ''] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(plainNumber(text)) ?? []
  if (year === undefined) return undefined
  const written = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const time = Date.parse(`${written}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(written) ? written : undefined
}
