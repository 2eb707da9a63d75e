import { useState } from 'react'
import type { Filter } from '../service/wire.ts'
import { useWords } from '../texts/language.tsx'
import { DayField } from '../ui/day-field.tsx'
import { useFault } from '../ui/use-fault.tsx'
import { dateOperators, dayEntries, findComparison, openRange, readDays } from './date-entry.ts'
import type { EditorProps } from './editor-props.ts'
import type { EntryFault } from './entry-fault.ts'
import { FacetRanges } from './facet-ranges.tsx'
import { OperatorSelect } from './operator-select.tsx'
import { PeriodField } from './period-field.tsx'
import { resolvedText } from './period-words.ts'
import { EditorButtons } from './text-editor.tsx'

interface DateEditorProps extends EditorProps {
  readonly until: Filter
}

const halfDayMs = 43_200_000

/**
 * Limits are midnights of the table's time zone, which the page does not know: their day is that of the nearest UTC
 * midnight.
 */
const day = (ms: number): string => new Date(ms + halfDayMs).toISOString().slice(0, 10)

/**
 * Both ends of a range of days, of which either may be open; a period such as the last 7 days; or another comparison.
 */
export const DateEditor = ({ field, until, view, applied, resolved, apply, close }: DateEditorProps) => {
  const words = useWords()
  const { t } = words
  const { filter, label } = field
  const dates = { filter, until }
  const comparison = findComparison(applied)
  const [fault, setFault] = useState<EntryFault>()
  const { state, note } = useFault(fault?.text)
  const [operator, setOperator] = useState(comparison?.operator ?? openRange)
  const [period, setPeriod] = useState(comparison?.operator === 'within' ? String(comparison.value) : 'last_7_days')
  const entries = dayEntries(operator, dates, applied, t)
  const enter = (form: FormData) => {
    const days = entries.map(({ name }) => String(form.get(name)))
    const read =
      operator === 'within'
        ? [{ field: filter.filter_name, operator, value: period }]
        : readDays(operator, dates, days, words)
    if ('text' in read) return setFault(read)
    apply(read)
    close()
  }
  return (
    <form
      className="editor"
      onSubmit={(event) => {
        event.preventDefault()
        enter(new FormData(event.currentTarget))
      }}
    >
      <OperatorSelect
        field={field}
        operators={dateOperators(dates)}
        value={operator}
        onChange={(next) => {
          setOperator(next)
          setFault(undefined)
        }}
      />
      {operator === 'within' && (
        <PeriodField label={`${label}: ${t.operators['within']}`} value={period} onChange={setPeriod} />
      )}
      {resolved !== undefined && comparison?.value === period && operator === 'within' && (
        <p className="help">
          <bdi>{resolvedText(resolved, t)}</bdi>
        </p>
      )}
      {entries.map((entry, at) => (
        <div key={entry.name} className="labelled">
          {entry.label !== '' && <span aria-hidden="true">{entry.label}</span>}
          <DayField
            name={entry.name}
            label={entry.label || label}
            defaultValue={entry.value}
            {...((fault?.end ?? at) === at && { state })}
            {...(filter.min !== undefined && { min: day(filter.min) })}
            {...(filter.max !== undefined && { max: day(filter.max) })}
          />
        </div>
      ))}
      {note}
      <EditorButtons isOn={applied.length > 0} clear={() => apply([])} close={close} />
      <FacetRanges
        view={view}
        field={field}
        choose={(filters) => {
          apply(filters)
          close()
        }}
      />
    </form>
  )
}
