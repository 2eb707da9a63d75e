import type { ReactNode } from 'react'
import type { Id, Item, Structure } from '../service/wire.ts'
import { isTicked, type Selection, ticked } from '../state/selection.ts'
import { useWords } from '../texts/language.tsx'
import { HeaderCell } from './header-cell.tsx'
import { TableRow } from './table-row.tsx'
import type { Grid } from './use-grid.ts'

interface DataTableProps {
  readonly structure: Structure
  readonly grid: Grid
  readonly isLoading: boolean
  /** Whether what was asked since has failed. */
  readonly isOld: boolean
  readonly selection: Selection
  readonly onSelection: (selection: Selection) => void
  readonly onActions: (item: Item, button: HTMLElement) => void
  /** What stands in place of rows where there are none. */
  readonly children?: ReactNode
}

/** The rows: the names of columns stay above them, the first column beside them. */
export const DataTable = (props: DataTableProps) => {
  const { structure, grid, isLoading, isOld, selection, onSelection, onActions, children } = props
  const { t } = useWords()
  const rows = grid.getRowModel().rows
  const ids = rows.map(({ original }) => original.id)
  // A page that was not ticked one by one is what remains when one is taken out of all that match.
  const base = selection.all ? ticked(selection, ids, true) : selection
  const tick = (changed: readonly Id[], isOn: boolean) => onSelection(ticked(base, changed, isOn))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
    <section id="rows" className="table-frame" tabIndex={0} aria-label={structure.label}>
      <table className="data" aria-busy={isLoading} aria-rowcount={-1}>
        <caption className="unseen">{structure.label}</caption>
        <thead>
          <tr>
            <th scope="col" className="tick">
              <SelectPage ids={ids} selection={selection} tick={tick} />
            </th>
            {grid.getHeaderGroups()[0]?.headers.map(({ column }) => (
              <HeaderCell key={column.id} structure={structure} column={column} />
            ))}
            <th scope="col" className="row-actions">
              <span className="unseen">{t.bulk}</span>
            </th>
          </tr>
        </thead>
        <tbody className={isLoading ? 'fading' : isOld ? 'old' : ''}>
          {rows.map((row) => (
            <TableRow
              key={row.id}
              {...{ row, structure, tick, onActions }}
              isTicked={isTicked(selection, row.original.id)}
            />
          ))}
        </tbody>
      </table>
      {children}
    </section>
  )
}

interface SelectPageProps {
  readonly ids: readonly Id[]
  readonly selection: Selection
  readonly tick: (changed: readonly Id[], isOn: boolean) => void
}

const SelectPage = ({ ids, selection, tick }: SelectPageProps) => {
  const { t } = useWords()
  const count = ids.filter((id) => isTicked(selection, id)).length
  return (
    <input
      type="checkbox"
      aria-label={t.selectPage}
      checked={count > 0 && count === ids.length}
      ref={(box) => {
        if (box !== null) box.indeterminate = count > 0 && count < ids.length
      }}
      onChange={({ target }) => tick(ids, target.checked)}
    />
  )
}
