import { useId, useState } from 'react'
import { periodUnits } from '../filters/period-words.ts'
import type { Structure } from '../service/wire.ts'
import type { Change } from '../state/use-view.ts'
import type { GroupColumn } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'
import { plainNumber } from '../texts/plain-number.ts'
import { Icon } from '../ui/icon.tsx'
import { useFieldValue } from '../ui/use-field-value.ts'
import { findColumn, groupableColumns, isDate, maxGroupColumns } from './group-columns.ts'
import { groupingTexts } from './grouping-texts.ts'

interface GroupByListProps {
  readonly structure: Structure
  readonly groupBy: readonly GroupColumn[]
  readonly change: Change
}

/** The columns by which rows are grouped, each with what joins its values. */
export const GroupByList = ({ structure, groupBy, change }: GroupByListProps) => {
  const { t, language } = useWords()
  const texts = groupingTexts[language]
  const set = (next: readonly GroupColumn[]) => change({ groupBy: next, page: 1 })
  const rest = groupableColumns(structure).filter(({ data_src: name }) => !groupBy.some(({ field }) => field === name))
  const add = (field: string) => {
    const column = findColumn(structure, field)
    if (column !== undefined) set([...groupBy, { field, bucket: isDate(column) ? 'month' : '' }])
  }
  return (
    <>
      <p className="help">{texts.help}</p>
      <ol className="sorts">
        {groupBy.map((one, at) => (
          <GroupByLine
            key={one.field}
            structure={structure}
            column={one}
            put={(next) => set(groupBy.map((other, place) => (place === at ? next : other)))}
            remove={() => set(groupBy.filter((other) => other !== one))}
          />
        ))}
      </ol>
      {groupBy.length < maxGroupColumns && rest.length > 0 && (
        <select className="field wide" aria-label={texts.add} value="" onChange={({ target }) => add(target.value)}>
          <option value="">{texts.add}</option>
          {rest.map(({ data_src: name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      )}
      {groupBy.length > 0 && (
        <button type="button" className="button" onClick={() => set([])}>
          {t.clear}
        </button>
      )}
    </>
  )
}

interface GroupByLineProps {
  readonly structure: Structure
  readonly column: GroupColumn
  readonly put: (column: GroupColumn) => void
  readonly remove: () => void
}

const GroupByLine = ({ structure, column: { field, bucket }, put, remove }: GroupByLineProps) => {
  const { t, language } = useWords()
  const texts = groupingTexts[language]
  const column = findColumn(structure, field)
  const label = column?.label ?? field
  return (
    <li className="sort-line">
      <span className="grow">{label}</span>
      {column && isDate(column) && (
        <select
          className="field"
          aria-label={`${label}: ${texts.bucket}`}
          value={bucket}
          onChange={({ target }) => put({ field, bucket: target.value })}
        >
          <option value="">{texts.eachValue}</option>
          {periodUnits.map((unit) => (
            <option key={unit} value={unit}>
              {texts.units[unit]}
            </option>
          ))}
        </select>
      )}
      {column?.value_type === 'number' && (
        <WidthField label={`${label}: ${texts.width}`} width={bucket} put={(width) => put({ field, bucket: width })} />
      )}
      <button type="button" className="button quiet square" aria-label={t.remove(label)} onClick={remove}>
        <Icon name="close" />
      </button>
    </li>
  )
}

interface WidthFieldProps {
  readonly label: string
  readonly width: string
  readonly put: (width: string) => void
}

/** How wide the ranges of a number are; empty for each number by itself. */
const WidthField = ({ label, width, put }: WidthFieldProps) => {
  const { language } = useWords()
  const texts = groupingTexts[language]
  const [isWrong, setIsWrong] = useState(false)
  const id = useId()
  const field = useFieldValue(width)
  const enter = (entered: string) => {
    const text = plainNumber(entered)
    const isFit = text === '' || (Number(text) > 0 && Number.isFinite(Number(text)))
    setIsWrong(!isFit)
    if (isFit && text !== width) put(text)
  }
  return (
    <form
      className="width"
      onSubmit={(event) => {
        event.preventDefault()
        enter(String(new FormData(event.currentTarget).get('width')))
      }}
    >
      <input
        className="field"
        ref={field}
        name="width"
        inputMode="decimal"
        autoComplete="off"
        placeholder={texts.eachValue}
        aria-label={label}
        aria-invalid={isWrong}
        {...(isWrong && { 'aria-describedby': id })}
        defaultValue={width}
        onBlur={({ target }) => enter(target.value)}
      />
      {isWrong && (
        <p className="fault" role="alert" id={id}>
          {texts.notWidth}
        </p>
      )}
    </form>
  )
}
