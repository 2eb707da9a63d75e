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

/** The name of the table, and the way to any other. */
export const TablePicker = ({ tables, entry, change }: TablePickerProps) => {
  const { t } = useWords()
  const [isOpen, setIsOpen] = useState(false)
  const choose = (table: string) => {
    setIsOpen(false)
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
      {(menus) => <menus.TableList tables={tables} entry={entry} choose={choose} />}
    </Popup>
  )
}
