import { useState } from 'react'
import type * as Chart from '../chart.ts'
import type { Structure } from '../service/wire.ts'
import type { View } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'
import { groupColumnName } from './group-columns.ts'
import { groupingTexts } from './grouping-texts.ts'
import type { Measure } from './measure.ts'
import { groupKey, groupName, type ShownGroup } from './use-groups.ts'

interface GroupFigureProps {
  readonly groups: readonly ShownGroup[]
  readonly measures: readonly Measure[]
  readonly view: View
  readonly structure: Structure
  readonly chart: typeof Chart
  readonly open: (group: ShownGroup) => void
}

/** The groups as bars, with the chart in words below. */
export const GroupFigure = ({ groups, measures: all, view, structure, chart, open }: GroupFigureProps) => {
  const { language, number } = useWords()
  const texts = groupingTexts[language]
  const measures = all.filter(({ isNumber }) => isNumber)
  const [chosen, setChosen] = useState('')
  const measure = measures.find(({ key }) => key === chosen) ?? measures[0]
  if (measure === undefined) return null
  const isAxis = view.groupBy.length === 1 && view.groupBy[0]?.bucket !== ''
  // A group without a value has no place on an axis.
  const placed = isAxis ? groups.filter(({ keys }) => keys[0]?.value !== null) : groups
  const bars = placed.map((group) => {
    const { value, text } = measure.read(group)
    const at = isAxis ? readPlace(group.keys[0]?.value) : undefined
    return {
      key: groupKey(group),
      name: groupName(group, texts.missing),
      value,
      text: text ?? number(value ?? 0),
      at,
      open: group.token === null ? undefined : () => open(group),
    }
  })
  const columns = view.groupBy.map((column) => groupColumnName(structure, column, language))
  const title = texts.chartTitle(measure.name, columns.join(' · '))
  const summary = describeBars(bars, (count, highest, lowest) =>
    texts.summary(texts.count(count, false), highest, lowest),
  )
  const rest = groups.find((group) => !placed.includes(group))
  return (
    <figure className="figure">
      {measures.length > 1 && (
        <select
          className="field"
          aria-label={texts.measure}
          value={measure.key}
          onChange={({ target }) => setChosen(target.value)}
        >
          {measures.map(({ key, name }) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </select>
      )}
      <chart.BarChart bars={bars} label={title} />
      <figcaption className="help">
        <strong>{title}</strong> {summary} {rest && texts.withoutValue(measure.read(rest).text ?? number(rest.count))}{' '}
        {texts.asTable}
      </figcaption>
    </figure>
  )
}

/** Returns the place on an axis at which a group begins: a day by its time, a number by itself. */
function readPlace(value: unknown): number {
  const place = Number(value)
  return Number.isNaN(place) ? Date.parse(String(value)) : place
}

interface Named {
  readonly name: string
  readonly value: number | undefined
  readonly text: string
}

/** Says how many bars there are, and which is the longest and which the shortest. */
function describeBars(
  bars: readonly Named[],
  write: (count: number, highest: string, lowest: string) => string,
): string {
  const sorted = bars
    .filter(({ value }) => value !== undefined)
    .sort((one, other) => (other.value ?? 0) - (one.value ?? 0))
  const highest = sorted[0]
  const lowest = sorted.at(-1)
  if (highest === undefined || lowest === undefined) return ''
  return write(bars.length, nameBar(highest), nameBar(lowest))
}

/** Keeps the order of its digits in a sentence of either direction. */
const nameBar = ({ name, text }: Named): string => `\u2068${name} (${text})\u2069`
