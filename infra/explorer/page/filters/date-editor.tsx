import { useState } from 'react'
import type { Filter } from '../service/wire.ts'
import { useWords } from '../texts/language.tsx'
import { DayField, readDay } from '../ui/day-field.tsx'
import type { EditorProps } from './editor-props.ts'
import { isAfter } from './filter-entry.ts'
import { EditorButtons } from './text-editor.tsx'

interface DateEditorProps extends EditorProps {
  readonly until: Filter
}

const halfDayMs = 43_200_000

/** Limits are midnights of the table's time zone, which the page does not know: their day is that of the nearest UTC midnight. */
const day = (ms: number): string => new Date(ms + halfDayMs).toISOString().slice(0, 10)

/** Both ends of a range of days, of which either may be open. */
export const DateEditor = ({ field: { filter }, until, applied, apply, close }: DateEditorProps) => {
  const { t } = useWords()
  const [fault, setFault] = useState<string>()
  const appliedText = ({ filter_name: name }: Filter) =>
    String(applied.find(({ field }) => field === name)?.value ?? '')
  const ends = [
    { end: filter, label: t.from },
    { end: until, label: t.to },
  ]
  const enter = (form: FormData) => {
    const days = ends.map(({ end }) => {
      const text = String(form.get(end.filter_name)).trim()
      return text === '' ? '' : readDay(text)
    })
    const [from = '', to = ''] = days
    if (days.includes(undefined)) return setFault(t.notDay)
    if (from !== '' && to !== '' && isAfter(from, to)) return setFault(t.reversed)
    apply(
      ends.flatMap(({ end }, at) => {
        const value = days[at] ?? ''
        const operator = end.props.operators[0] ?? '='
        return value === '' ? [] : [{ field: end.filter_name, operator, value }]
      }),
    )
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
      {ends.map(({ end, label }) => (
        <div key={end.filter_name} className="labelled">
          <span aria-hidden="true">{label}</span>
          <DayField
            name={end.filter_name}
            label={label}
            defaultValue={appliedText(end)}
            isFaulty={fault !== undefined}
            {...(filter.min !== undefined && { min: day(filter.min) })}
            {...(filter.max !== undefined && { max: day(filter.max) })}
          />
        </div>
      ))}
      {fault !== undefined && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
      <EditorButtons isOn={applied.length > 0} clear={() => apply([])} close={close} />
    </form>
  )
}
