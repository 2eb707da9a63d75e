import { useEffect } from 'react'
import { LoadNote } from './load-note.tsx'
import { loadPartsWhenIdle } from './parts.ts'
import type { ListedTable } from './service/wire.ts'
import type { Loaded } from './state/use-loaded.ts'
import type { View } from './state/view.ts'
import { Skeleton } from './table/skeleton.tsx'
import { useWords } from './texts/language.tsx'
import { Nothing } from './ui/nothing.tsx'

interface TablesStateProps {
  readonly tables: Omit<Loaded<readonly ListedTable[]>, 'put'>
  readonly view: View
}

/** Explains why no table is shown, and what to do. */
export const TablesState = ({ tables, view: { table, perPage } }: TablesStateProps) => {
  const { t } = useWords()
  const isAnswered = tables.response !== undefined
  useEffect(() => (isAnswered ? loadPartsWhenIdle() : undefined), [isAnswered])
  return (
    <main className="main">
      {tables.response === undefined && <Skeleton rows={perPage} />}
      {tables.response?.length === 0 && <Nothing title={t.noTables} help={t.noTablesHelp} />}
      {tables.response !== undefined && tables.response.length > 0 && table !== undefined && (
        <Nothing title={t.unknownTable(table)} help={t.chooseTable} />
      )}
      <LoadNote loaded={tables} />
    </main>
  )
}
