import { useState } from 'react'
import { foldText } from '../../../lib/i18n/fold-text.ts'
import type { ListedTable } from './service/wire.ts'
import { useWords } from './texts/language.tsx'

interface TableListProps {
  readonly tables: readonly ListedTable[]
  readonly entry: ListedTable | undefined
  readonly choose: (table: string) => void
}

const searchedFrom = 8

const searchTexts = { en: 'Find a table', ar: 'ابحث عن جدول' }

/** The tables to choose from, with a field to find one where there are many. */
export const TableList = ({ tables, entry, choose }: TableListProps) => {
  const { language } = useWords()
  const [searchText, setSearchText] = useState('')
  const found = tables.filter(({ label, tableName }) =>
    foldText(`${label} ${tableName}`).includes(foldText(searchText).trim()),
  )
  return (
    <>
      {tables.length >= searchedFrom && (
        <input
          className="field wide"
          type="search"
          aria-label={searchTexts[language]}
          placeholder={searchTexts[language]}
          value={searchText}
          onChange={({ target }) => setSearchText(target.value)}
        />
      )}
      <ul className="options">
        {found.map(({ tableName, label }) => (
          <li key={tableName}>
            <button
              type="button"
              className="option"
              {...(tableName === entry?.tableName && { 'aria-current': 'page' })}
              onClick={() => choose(tableName)}
            >
              <span className="grow">{label}</span>
              <small className="muted">
                <bdi>{tableName}</bdi>
              </small>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
