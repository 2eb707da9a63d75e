import { useState } from 'react'
import type { Filter } from '../service/wire.ts'
import type { Applied, View } from '../state/view.ts'
import { failureText } from '../texts/failure-text.ts'
import { useWords } from '../texts/language.tsx'
import type { FilterField } from './filter-field.ts'
import { useFacet } from './use-facet.ts'

interface FacetRangesProps {
  readonly view: View
  readonly field: FilterField
  readonly choose: (filters: readonly Applied[]) => void
}

const texts = {
  en: {
    title: 'Rows in each range',
    impossible: 'The rows of this filter cannot be counted in ranges.',
    slow: 'Counting takes too long. Choose other filters first, so that fewer rows are counted.',
  },
  ar: {
    title: 'عدد الصفوف في كل نطاق',
    impossible: 'لا يمكن عدّ صفوف عامل التصفية هذا ضمن نطاقات.',
    slow: 'يستغرق العدّ وقتًا طويلًا. اختر عوامل تصفية أخرى أولًا ليقلّ عدد الصفوف.',
  },
} as const

/**
 * How many rows are in each range of a number or a date. They are counted when this is unfolded; a click chooses a
 * range.
 */
export const FacetRanges = ({ view, field, choose }: FacetRangesProps) => {
  const { t, language, number } = useWords()
  const [isOpen, setIsOpen] = useState(false)
  const { facet, failure } = useFacet(view, field, isOpen)
  const { title, impossible, slow } = texts[language]
  const fault = failure
    ? Object.keys(failure.fields).some((name) => name.startsWith('facets'))
      ? impossible
      : failureText(failure, t)
    : facet === null
      ? slow
      : undefined
  const max = Math.max(...(facet?.options ?? []).map(({ count }) => count), 1)
  return (
    <details className="facet" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {fault !== undefined && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
      {isOpen && facet === undefined && fault === undefined && <p className="help">{t.counting}</p>}
      <ul className="options few">
        {facet?.options.map(({ value, label, count }) => {
          const filters = typeof value === 'object' ? rangeFilters(field, value) : []
          const days = filters.map(({ value: day }) => day)
          const content = (
            <>
              <bdi className="grow">{field.until && days.length > 0 ? t.days(days) : label}</bdi>
              <meter max={max} value={count} aria-hidden="true" />
              <bdi className="muted facet-count">{number(count)}</bdi>
            </>
          )
          return (
            <li key={label}>
              {filters.length === 0 ? (
                <span className="option">{content}</span>
              ) : (
                <button type="button" className="option" onClick={() => choose(filters)}>
                  {content}
                </button>
              )}
            </li>
          )
        })}
      </ul>
    </details>
  )
}

interface Range {
  readonly from: string | number
  readonly to: string | number
}

/** Returns the filters of a range, whose `to` is exclusive; none where the filter cannot say it. */
function rangeFilters({ filter, until }: FilterField, { from, to }: Range): readonly Applied[] {
  const field = filter.filter_name
  if (until !== undefined) {
    return [
      { field, operator: '>=', value: String(from).slice(0, 10) },
      { field: until.filter_name, operator: '<=', value: dayBefore(String(to)) },
    ]
  }
  const allows = (operator: Filter['props']['operators'][number]) => filter.props.operators.includes(operator)
  if (!allows('>=') || !allows('<')) return []
  return [
    { field, operator: '>=', value: String(from) },
    { field, operator: '<', value: String(to) },
  ]
}

const dayBefore = (day: string): string =>
  new Date(Date.parse(`${day.slice(0, 10)}T00:00:00Z`) - 1).toISOString().slice(0, 10)
