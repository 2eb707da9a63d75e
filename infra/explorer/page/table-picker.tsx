import { useState } from 'react'
import type { ListedTable } from './service/wire.ts'
import { lastView } from './state/last-views.ts'
import type { Change } from './state/use-view.ts'
import { useWords } from './texts/language.tsx'
import { Icon } from './ui/icon.tsx'
import { Popup } from './ui/popup.tsx'

interface TablePickerProps {
  readonly tables: readonly ListedTable[]
  readonly entry: ListedTable | undefined
  readonly change: Change
}

const searchedFrom = 8

/** The name of the table, and the way to any other. */
export const TablePicker = ({ tables, entry, change }: TablePickerProps) => {
  const { t } = useWords()
  const [isOpen, setIsOpen] = useState(false)
  const [sought, setSought] = useState('')
  const found = tables.filter(({ label, tableName }) =>
    `${label} ${tableName}`.toLowerCase().includes(sought.toLowerCase()),
  )
  const choose = (table: string) => {
    setIsOpen(false)
    setSought('')
    if (table !== entry?.tableName) change(lastView(table))
  }
  return (
    <Popup
      className="button quiet table-name"
      title={t.tables}
      open={isOpen}
      onOpenChange={setIsOpen}
      trigger={
        <>
          <span>{entry?.label ?? t.tables}</span>
          <Icon name="down" />
        </>
      }
    >
      {tables.length >= searchedFrom && (
        <input
          className="field wide"
          type="search"
          aria-label={t.searchTables}
          placeholder={t.searchTables}
          value={sought}
          onChange={({ target }) => setSought(target.value)}
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
    </Popup>
  )
}
