import { useEffect, useRef } from 'react'
import { LoadNote } from './load-note.tsx'
import { loadPartsWhenIdle } from './parts.ts'
import type { ListedTable } from './service/wire.ts'
import { useReturn } from './state/use-return.ts'
import { useRows, useStructure } from './state/use-table.ts'
import type { Change } from './state/use-view.ts'
import type { View } from './state/view.ts'
import { Skeleton } from './table/skeleton.tsx'
import { TableView } from './table-view.tsx'
import { useWords } from './texts/language.tsx'
import { Nothing } from './ui/nothing.tsx'

interface TablePageProps {
  readonly view: View
  readonly change: Change
  readonly entry: ListedTable
}

/** One table, from its structure to its rows. */
export const TablePage = ({ view, change, entry }: TablePageProps) => {
  const { t } = useWords()
  const structure = useStructure(view, entry)
  const rows = useRows(view, structure.response)
  useReturn(structure)
  const known = structure.response
  const { reload, failure } = rows
  const drawn = useRef(known)
  useEffect(() => {
    // Other columns want other values; the first structure comes together with its rows.
    if (drawn.current !== undefined && drawn.current !== known) reload()
    drawn.current = known
  }, [known, reload])
  const { reload: reloadStructure } = structure
  useEffect(() => {
    // The table may have lost a column, a filter or a sort since: trying the same again would not help.
    if (failure?.status === 422) reloadStructure()
  }, [failure, reloadStructure])
  // A failure without a status is that of the connection, which the parts would share.
  const isAnswered = rows.response !== undefined || Boolean(rows.failure?.status)
  useEffect(() => (isAnswered ? loadPartsWhenIdle() : undefined), [isAnswered])
  return (
    <main className="main">
      {known === undefined && <Skeleton rows={view.perPage} />}
      {known?.columns.length === 0 && <Nothing title={t.noColumns} help={t.noColumnsHelp} />}
      {known !== undefined && known.columns.length > 0 && (
        <TableView structure={known} view={view} change={change} rows={rows} />
      )}
      <LoadNote loaded={known === undefined || structure.failure !== undefined ? structure : rows} />
    </main>
  )
}
