import { useState } from 'react'
import { foldText } from '../../../../lib/i18n/fold-text.ts'
import type { Column } from '../service/wire.ts'
import type { Change } from '../state/use-view.ts'
import { useWords } from '../texts/language.tsx'
import { isShown, valueColumns } from './use-grid.ts'

export interface ColumnListProps {
  readonly columns: readonly Column[]
  readonly changed: readonly string[]
  readonly change: Change
}

const searchedFrom = 8

const english: Readonly<Record<Column['value_type'], string>> = {
  text: 'text',
  number: 'number',
  date: 'date',
  datetime: 'date and time',
  boolean: 'yes or no',
  url: 'link',
  image: 'image',
  list: 'list',
}

const arabic: typeof english = {
  text: 'نص',
  number: 'عدد',
  date: 'تاريخ',
  datetime: 'تاريخ ووقت',
  boolean: 'نعم أو لا',
  url: 'رابط',
  image: 'صورة',
  list: 'قائمة',
}

const allTexts = { en: 'Show all', ar: 'إظهار الكل' }

const typeNames = { en: english, ar: arabic }

/** The columns, each with a box that shows it. */
export const ColumnList = ({ columns, changed, change }: ColumnListProps) => {
  const { t, language } = useWords()
  const toggle = ({ data_src: name, showable }: Column, isOn: boolean) => {
    const others = changed.filter((one) => one !== name && one !== `-${name}`)
    change({ columns: isOn === showable ? others : [...others, isOn ? name : `-${name}`] }, 'replace')
  }
  const [searchText, setSearchText] = useState('')
  const all = valueColumns(columns)
  const found = all.filter(({ label }) => foldText(label).includes(foldText(searchText).trim()))
  const hidden = all.filter((column) => !column.showable)
  return (
    <>
      {all.length >= searchedFrom && (
        <input
          className="field wide"
          type="search"
          placeholder={t.find}
          aria-label={`${t.find}: ${t.columns}`}
          value={searchText}
          onChange={({ target }) => setSearchText(target.value)}
        />
      )}
      <ul className="options">
        {found.map((column) => (
          <li key={column.data_src}>
            <label className="option">
              <input
                type="checkbox"
                checked={isShown(column, changed)}
                onChange={({ target }) => toggle(column, target.checked)}
              />
              <span className="grow">{column.label}</span>
              <small className="muted">{typeNames[language][column.value_type]}</small>
            </label>
          </li>
        ))}
      </ul>
      <button
        type="button"
        className="button"
        onClick={() => change({ columns: hidden.map(({ data_src: name }) => name) }, 'replace')}
      >
        {allTexts[language]}
      </button>
    </>
  )
}
